/**
 * @file Batches of matrices in the last two dimensions: their layout, and what linear algebra
 * refuses.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { le, symMin } from "@sconce/symbolic";
import { type DType, dtypeInfo } from "@sconce/tensor";
import type { MetaContext } from "../rows/define-op.js";
import { dtypeMismatch, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "./comparison.js";
import { describeSize } from "./describe.js";
import { contiguousStridesOf, fake } from "./fake.js";

/** Strides of batches of matrices whose columns are dense, as LAPACK gives them. */
export function columnMajor(shape: readonly IntLike[]): readonly IntLike[] {
  const swapped = [...shape.slice(0, -2), shape.at(-1)!, shape.at(-2)!];
  const strides = contiguousStridesOf(swapped);
  return [...strides.slice(0, -2), strides.at(-1)!, strides.at(-2)!];
}

/** Matrices with dense columns. */
export const matrices = (
  like: FakeTensor,
  shape: readonly IntLike[],
  dtype: DType = like.dtype,
): FakeTensor => fake({ dtype, shape, strides: columnMajor(shape), like });

/** Pivots, or what LAPACK says of each matrix. */
export const codes = (like: FakeTensor, shape: readonly IntLike[]): FakeTensor =>
  fake({ dtype: "int32", shape, like });

/** Returns what operators give for results that were not asked for. */
export const nothing = (like: FakeTensor): FakeTensor => fake({ dtype: like.dtype, shape: [0], like });

/** Returns the smaller of two sizes, with a guard where that depends on the example. */
export const smallerOf = (env: MetaContext["env"], a: IntLike, b: IntLike): IntLike =>
  typeof a === "number" && typeof b === "number" ? Math.min(a, b) : env.guard(le(a, b)) ? a : b;

/** Rows, columns and the smaller of them. */
export function matrixSizes(tensor: FakeTensor): {
  rows: IntLike;
  columns: IntLike;
  count: IntLike;
  batch: readonly IntLike[];
} {
  const [rows, columns] = tensor.shape.slice(-2) as [IntLike, IntLike];
  return { rows, columns, count: symMin(rows, columns), batch: tensor.shape.slice(0, -2) };
}

/** Returns whether the sizes are known to be the same. */
export const sameSizes = (a: readonly IntLike[], b: readonly IntLike[], env: MetaContext["env"]): boolean =>
  a.length === b.length && a.every((size, d) => !mayDiffer(env, size, b[d]!));

/** `checkIsMatrix` of PyTorch's LinearAlgebraUtils.h. */
export function requireMatrices(name: string, tensor: FakeTensor, argument = "A"): void {
  if (tensor.ndim < 2) {
    throw shapeMismatch(`${name}: The input tensor ${argument} must have at least 2 dimensions.`);
  }
}

/** `squareCheckInputs`. */
export function requireSquare(name: string, tensor: FakeTensor, { env }: MetaContext, argument = "A"): void {
  requireMatrices(name, tensor, argument);
  const [rows, columns] = tensor.shape.slice(-2) as [IntLike, IntLike];
  if (mayDiffer(env, rows, columns)) {
    throw shapeMismatch(
      `${name}: ${argument} must be batches of square matrices, but they are ${describeSize(rows)} by ` +
        `${describeSize(columns)} matrices`,
    );
  }
}

/** `linearSolveCheckInputs` of `A X = B` and `X A = B`. */
export function requireSides(
  name: string,
  a: FakeTensor,
  b: FakeTensor,
  left: boolean,
  { env }: MetaContext,
): void {
  if (!mayDiffer(env, b.shape.at(left ? -2 : -1)!, a.shape.at(-1)!)) return;
  const sizes = (tensor: FakeTensor): string => tensor.shape.slice(-2).map(describeSize).join("x");
  throw shapeMismatch(
    `${name}: Incompatible shapes of A and B for the equation ${left ? "AX = B" : "XA = B"} (${sizes(a)} and ${sizes(b)})`,
  );
}

/** `checkFloatingOrComplex`. */
export function requireFloat(name: string, tensor: Pick<FakeTensor, "dtype">): void {
  const { kind } = dtypeInfo(tensor.dtype);
  if (kind !== "float" && kind !== "complex") {
    throw dtypeMismatch(`${name}: Expected a floating point or complex tensor as input. Got ${tensor.dtype}`);
  }
}

const isPrecise = (dtype: DType): boolean => {
  const { kind, itemSize, lanes } = dtypeInfo(dtype);
  return (kind === "float" || kind === "complex") && itemSize / lanes >= 4;
};

/** `checkFloatingOrComplex` where halves are not taken. */
export function requirePrecision(name: string, tensor: Pick<FakeTensor, "dtype">): void {
  requireFloat(name, tensor);
  if (!isPrecise(tensor.dtype)) {
    throw dtypeMismatch(`${name}: Low precision dtypes not supported. Got ${tensor.dtype}`);
  }
}

/** Refuses numbers for which LAPACK has no algorithm, by the name of PyTorch's kernel. */
export function requireLapack(kernel: string, tensor: FakeTensor): void {
  if (!isPrecise(tensor.dtype)) throw dtypeMismatch(`"${kernel}" not implemented for '${tensor.dtype}'`);
}
