/** @file Shapes and dtypes of reductions over dimensions. Their results are always row-major. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { type DType, isComplexDType, isFloatDType } from "@sconce/tensor";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { wrapDims } from "./dims.js";
import { askEmpty, fake, numelOf } from "./fake.js";

/** Dimensions to reduce; none given means all of them. */
const reducedDims = (dims: readonly IntLike[] | null, ndim: number): readonly number[] =>
  wrapDims(dims === null || dims.length === 0 ? null : dims, ndim);

/** Returns the shape that is left. */
export function reducedShape(
  shape: readonly IntLike[],
  dims: readonly number[],
  keepdim: boolean,
): readonly IntLike[] {
  if (keepdim) return shape.map((size, d) => (dims.includes(d) ? 1 : size));
  return shape.filter((_, d) => !dims.includes(d));
}

/** Returns the result of reducing these dimensions (all for null or an empty list). */
export function reduced(
  self: FakeTensor,
  dims: readonly IntLike[] | null,
  keepdim: boolean,
  dtype: DType = self.dtype,
): FakeTensor {
  return fake({ dtype, shape: reducedShape(self.shape, reducedDims(dims, self.ndim), keepdim), like: self });
}

/**
 * Returns the result of {@link reduced} as PyTorch's references make it: they ask of each size
 * whether it is 0, which guards follow from.
 */
export function reducedByReference(
  env: SymEnv,
  self: FakeTensor,
  dims: readonly IntLike[] | null,
  keepdim: boolean,
  dtype?: DType,
): FakeTensor {
  const result = reduced(self, dims, keepdim, dtype);
  askEmpty(env, result.shape);
  return result;
}

/**
 * Refuses the reduction of dimensions without elements, for operators that have no identity.
 *
 * @param holds what PyTorch asks of a symbolic size; nothing when left out
 */
export function requireElements(
  self: FakeTensor,
  dims: readonly IntLike[] | null,
  name: string,
  holds?: (size: IntLike) => boolean,
): void {
  if (dims === null || dims.length === 0) {
    if (numelOf(self.shape) !== 0) return;
    throw invalidArgument(
      `${name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.`,
    );
  }
  if (self.ndim === 0) return;
  for (const dim of wrapDims(dims, self.ndim)) {
    const size = self.shape[dim]!;
    if (typeof size === "number" ? size === 0 : holds?.(size) === false) {
      throw invalidArgument(`${name}(): Expected reduction dim ${dim} to have non-zero size.`);
    }
  }
}

/** Refuses integers and bool. */
export function requireFloat(dtype: DType, message: string): void {
  if (!isFloatDType(dtype) && !isComplexDType(dtype)) throw dtypeMismatch(message);
}
