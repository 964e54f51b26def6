/**
 * @file Operands that PyTorch's kernels compare and its shape rules do not: what is known to differ
 * is refused, and nothing is recorded of sizes that are not known yet.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { envWith, mulAll, ne, type SymEnv } from "@sconce/symbolic";
import { dimOutOfRange, shapeMismatch } from "../rows/errors.js";
import { describeSize, describeSizes } from "./describe.js";
import { numelOf } from "./fake.js";
import { mayHold } from "./without-questions.js";

/** Returns whether two sizes differ for sure. */
export const isOther = (env: SymEnv, a: IntLike, b: IntLike): boolean =>
  typeof a === "number" && typeof b === "number" ? a !== b : a !== b && env.knownTrue(ne(a, b));

/** Returns whether two shapes differ for sure. */
export const areOther = (env: SymEnv, a: readonly IntLike[], b: readonly IntLike[]): boolean =>
  a.length !== b.length || a.some((size, d) => isOther(env, size, b[d]!));

/** Refuses an operand that has other sizes for sure. */
export function requireSizes(
  env: SymEnv,
  name: string,
  got: readonly IntLike[],
  sizes: readonly IntLike[],
): void {
  if (areOther(env, got, sizes))
    throw shapeMismatch(
      `expected ${name} to have sizes ${describeSizes(sizes)}, but got ${describeSizes(got)}`,
    );
}

/** Returns whether a tensor has another number of elements than the product of these, for sure. */
export const hasOtherCount = (env: SymEnv, { shape }: FakeTensor, factors: readonly IntLike[]): boolean =>
  isOther(env, numelOf(shape), mulAll(factors));

/** Requires a rank, and one size, in the words of PyTorch's `check_dim_size`. */
export function checkDimSize(
  env: SymEnv,
  tensor: FakeTensor,
  rank: number,
  dim: number,
  size: IntLike,
): void {
  const got = tensor.shape[dim];
  if (got === undefined && tensor.ndim !== rank) throw dimOutOfRange(dim, tensor.ndim);
  if (tensor.ndim === rank && !isOther(env, got!, size)) return;
  throw shapeMismatch(
    `Expected a tensor of dimension ${rank} and tensor.size[${dim}] == ${describeSize(size)} but got: ` +
      `dimension ${tensor.ndim} and tensor.size[${dim}] = ${describeSize(got)}`,
  );
}

/**
 * Requires these sizes, of which `spatial` ones and the channels come before the batch: PyTorch
 * compares it last, or reads outside of its memory.
 */
export function checkDimSizes(
  env: SymEnv,
  tensor: FakeTensor,
  shape: readonly IntLike[],
  spatial: number,
): void {
  const channels = shape.length - spatial - 1;
  const dims = shape.map((_, d) => d);
  for (const dim of [...dims.slice(channels), ...dims.slice(0, channels)])
    checkDimSize(env, tensor, shape.length, dim, shape[dim]!);
}

/**
 * Refuses the gradient of an adaptive pool with a size of 0 that is not its batch, in PyTorch's
 * words.
 */
export function checkPooledGradient(name: string, { shape }: FakeTensor): void {
  const dim = shape.findIndex((size, d) => d > 0 && size === 0);
  if (dim < 0) return;
  throw shapeMismatch(
    `${name}(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has sizes ` +
      `${describeSizes(shape)} with dimension ${dim} being empty`,
  );
}

/**
 * Returns the environment for rules that refuse only what is known to be wrong, and record nothing.
 */
export const unrecorded = (env: SymEnv): SymEnv =>
  envWith(env, {
    orFalse: (condition) => env.knownTrue(condition),
    orTrue: (condition) => env.knownTrue(condition),
    check: (condition) => mayHold(env, condition),
  });
