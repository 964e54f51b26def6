/** @file Sizes, strides and offsets of views. */
import { FakeTensor, type IntLike } from "@sconce/ir";
import { eq, floorDiv, ge, mod, mul, ne, or, type SymEnv } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isEqual, mayBeBelow, mayDiffer } from "./comparison.js";
import { describeSize, describeSizes } from "./describe.js";
import { contiguousStridesOf, isContiguousFake, numelOf } from "./fake.js";

/** Returns a view into the memory of `base`. */
export function viewOf(
  base: FakeTensor,
  shape: readonly IntLike[],
  strides: readonly IntLike[],
  storageOffset: IntLike = base.storageOffset,
  dtype: DType = base.dtype,
): FakeTensor {
  const { device, layout, requiresGrad } = base;
  return new FakeTensor({ dtype, shape, strides, storageOffset, device, layout, requiresGrad });
}

/** Returns a new object for the same memory, sizes and strides. */
export const aliasOf = (base: FakeTensor): FakeTensor => viewOf(base, base.shape, base.strides);

/**
 * Returns the sizes, with a -1 replaced by the size that the number of elements implies.
 *
 * @param isNative whether PyTorch's C++ code infers the size: it also asks whether the number of
 *   elements is the product of the other sizes
 * @throws SconceError `SHAPE_MISMATCH`, `INVALID_ARGUMENT`
 */
export function inferSizes(
  env: SymEnv,
  sizes: readonly IntLike[],
  numel: IntLike,
  isNative = false,
): readonly IntLike[] {
  let known: IntLike = 1;
  let inferred = -1;
  for (let d = 0; d < sizes.length; d++) {
    const size = sizes[d]!;
    if (size === -1) {
      if (inferred >= 0) throw invalidArgument("only one dimension can be inferred");
      inferred = d;
    } else if (typeof size === "number" && size < 0) {
      throw invalidArgument(`invalid shape dimension ${size}`);
    } else {
      if (typeof size !== "number")
        check(env, ge(size, 0), () => invalidArgument(`invalid shape dimension ${describeSize(size)}`));
      known = mul(known, size);
    }
  }
  const misfit = (): Error =>
    shapeMismatch(`shape '${describeSizes(sizes)}' is invalid for input of size ${describeSize(numel)}`);
  if (inferred < 0) {
    check(env, eq(numel, known), misfit);
    return sizes;
  }
  if (isEqual(env, known, 0)) {
    if (mayDiffer(env, numel, 0)) throw misfit();
    throw shapeMismatch(
      `cannot reshape tensor of 0 elements into shape ${describeSizes(sizes)} because the unspecified dimension size -1 ` +
        "can be any value and is ambiguous",
    );
  }
  if (!isNative) check(env, ne(known, 0), misfit);
  else if (!env.guard(ne(known, 0))) throw misfit();
  const divides = eq(mod(numel, known), 0);
  check(env, isNative ? or(eq(numel, known), divides) : divides, misfit);
  return sizes.map((size, d) => (d === inferred ? floorDiv(numel, known) : size));
}

/**
 * Strides under which the same memory has these sizes (already inferred); undefined when a copy is
 * needed.
 *
 * @param mayBeRowMajor false where it was found out that the base is not row-major
 */
export function viewStrides(
  base: FakeTensor,
  sizes: readonly IntLike[],
  env: SymEnv,
  mayBeRowMajor = true,
): readonly IntLike[] | undefined {
  if (base.ndim === 0) return sizes.map(() => 1);
  const numel = numelOf(base.shape);
  if (isEqual(env, numel, 0)) {
    const same = sizes.length === base.ndim && sizes.every((size, d) => isEqual(env, size, base.shape[d]!));
    return same ? base.strides : contiguousStridesOf(sizes);
  }
  if (mayBeRowMajor && isContiguousFake(base, env) && !allNumbers(base.shape, base.strides, sizes))
    return contiguousStridesOf(sizes);
  const strides = regroupStrides(base, sizes, env);
  if (strides === undefined || !base.shape.includes(1) || !allNumbers(base.shape, base.strides, sizes))
    return strides;
  // Which stride a dimension of size 1 gets is arbitrary, and a retrace does not choose as the
  // kernels do.
  return (
    rebuildStrides(
      base.shape as readonly number[],
      base.strides as readonly number[],
      sizes as readonly number[],
    ) ?? strides
  );
}

const allNumbers = (...lists: readonly (readonly IntLike[])[]): boolean =>
  lists.every((list) => list.every((item) => typeof item === "number"));

/** Walks both shapes from the innermost dimension, matching runs of memory that lie evenly. */
function regroupStrides(
  base: FakeTensor,
  sizes: readonly IntLike[],
  env: SymEnv,
): readonly IntLike[] | undefined {
  const { shape, strides, ndim } = base;
  const result = new Array<IntLike>(sizes.length);
  let viewDim = sizes.length - 1;
  let runStride = strides[ndim - 1]!;
  let runSize: IntLike = 1;
  let viewSize: IntLike = 1;
  for (let dim = ndim - 1; dim >= 0; dim--) {
    runSize = mul(runSize, shape[dim]!);
    const outer = dim - 1;
    if (
      outer >= 0 &&
      (!mayDiffer(env, shape[outer]!, 1) || !mayDiffer(env, strides[outer]!, mul(runSize, runStride)))
    ) {
      continue;
    }
    while (viewDim >= 0 && (mayBeBelow(env, viewSize, runSize) || isEqual(env, sizes[viewDim]!, 1))) {
      result[viewDim] = mul(viewSize, runStride);
      viewSize = mul(viewSize, sizes[viewDim]!);
      viewDim--;
    }
    if (mayDiffer(env, viewSize, runSize)) return undefined;
    if (outer >= 0) {
      runStride = strides[outer]!;
      runSize = 1;
      viewSize = 1;
    }
  }
  return viewDim === -1 ? result : undefined;
}

/**
 * Builds the sizes from the outermost dimension, merging and splitting dimensions as PyTorch's
 * reference of `view` does.
 */
function rebuildStrides(
  from: readonly number[],
  fromStrides: readonly number[],
  sizes: readonly number[],
): readonly number[] | undefined {
  const shape = [...from];
  const strides = [...fromStrides];
  for (let dim = 0; dim < sizes.length; dim++) {
    const size = sizes[dim]!;
    if (dim >= shape.length) {
      shape.push(1);
      strides.push(strides.at(-1)!);
      continue;
    }
    let end = dim;
    let merged = shape[dim]!;
    while (merged % size !== 0) {
      end++;
      if (end === shape.length) return undefined;
      merged *= shape[end]!;
    }
    let stride = strides[end]!;
    for (let d = end - 1; d >= dim; d--) if (shape[d] !== 1) stride = Math.min(stride, strides[d]!);
    const rest = merged / size;
    const split = rest === 1 || shape[dim] === size ? [] : [rest];
    shape.splice(dim, end - dim + 1, size, ...split);
    strides.splice(
      dim,
      end - dim + 1,
      split.length === 0 ? stride : stride * rest,
      ...split.map(() => stride),
    );
  }
  return strides.slice(0, sizes.length);
}
