/** @file Dimension numbers and broadcasting. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, type SymEnv } from "@sconce/symbolic";
import { dimOutOfRange, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { describeSize } from "./describe.js";
import { sameAs } from "./fake.js";

/** Returns a dimension number counted from the front; a 0-d tensor takes 0 and -1. */
export function wrapDim(dim: IntLike, ndim: number): number {
  const rank = Math.max(ndim, 1);
  if (typeof dim !== "number" || dim < -rank || dim >= rank) throw dimOutOfRange(Number(dim), ndim);
  return dim < 0 ? dim + rank : dim;
}

/** Sorted, distinct dimension numbers; all of them for null. */
export function wrapDims(dims: readonly IntLike[] | null, ndim: number): readonly number[] {
  if (dims === null) return Array.from({ length: ndim }, (_, i) => i);
  const wrapped = dims.map((dim) => wrapDim(dim, ndim));
  const seen = new Set<number>();
  for (const dim of wrapped) {
    if (seen.has(dim)) throw invalidArgument(`dim ${dim} appears multiple times in the list of dims`);
    seen.add(dim);
  }
  return wrapped.sort((a, b) => a - b);
}

/**
 * Makes all sizes of tensors static: PyTorch's kernels of some composite operators take numbers.
 */
export function specializeSizes(env: SymEnv, tensors: readonly FakeTensor[]): void {
  for (const { shape } of tensors) for (const size of shape) env.guardInt(size);
}

/** Returns whether two shapes are equal; symbolic sizes are decided, with a guard where needed. */
export function sizesEqual(a: readonly IntLike[], b: readonly IntLike[], env: SymEnv): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++)
    if (!decides((condition) => env.guard(condition), a[i]!, b[i]!)) return false;
  return true;
}

/** Returns whether two lists of strides are equal; false where only the data decide. */
export const stridesEqual = (a: readonly IntLike[], b: readonly IntLike[], env: SymEnv): boolean =>
  a.length === b.length &&
  a.every((stride, d) => decides((condition) => env.orFalse(condition), stride, b[d]!));

/**
 * Returns whether two sizes are equal, as an operator requires (`torch._check`): a guard where that
 * depends on the example, an assertion where only the data decide.
 */
export const sizeEquals = (a: IntLike, b: IntLike, env: SymEnv): boolean =>
  decides((condition) => env.check(condition), a, b);

/** Compares two sizes. A number stands on the right of a guard, as Python compares it. */
function decides(decide: SymEnv["guard"], a: IntLike, b: IntLike): boolean {
  if (typeof a === "number") return typeof b === "number" ? a === b : decide(eq(b, a));
  return sameAs(a, b) || decide(eq(a, b));
}

/**
 * Returns the common shape. A size that is not known to be 1 is taken not to be (PyTorch's rule for
 * unbacked sizes).
 *
 * @throws SconceError `SHAPE_MISMATCH`
 */
export const broadcastShapes = (
  env: SymEnv,
  ...shapes: readonly (readonly IntLike[])[]
): readonly IntLike[] => broadcast(env, shapes, sizeEquals);

/**
 * Returns the common shape of the operands of an elementwise operator. PyTorch compares the size of
 * a later operand with that of the earlier ones: a guard shows them in this order.
 *
 * @throws SconceError `SHAPE_MISMATCH`
 */
export const broadcastOperands = (
  env: SymEnv,
  ...shapes: readonly (readonly IntLike[])[]
): readonly IntLike[] => broadcast(env, shapes, (a, b) => sizeEquals(b, a, env));

/**
 * Returns the common batch of two operands of `matmul`, which decides whether sizes are equal
 * before it requires so (`torch.functional.broadcast_shapes`).
 *
 * @throws SconceError `SHAPE_MISMATCH`
 */
export const broadcastBatches = (
  env: SymEnv,
  ...shapes: readonly (readonly IntLike[])[]
): readonly IntLike[] =>
  broadcast(
    env,
    shapes,
    (a, b) => decides((condition) => env.orFalse(condition), b, a) || sizeEquals(b, a, env),
  );

type Equals = (a: IntLike, b: IntLike, env: SymEnv) => boolean;

function broadcast(env: SymEnv, shapes: readonly (readonly IntLike[])[], equals: Equals): readonly IntLike[] {
  let result = shapes[0] ?? [];
  for (let i = 1; i < shapes.length; i++) result = broadcastPair(env, result, shapes[i]!, equals);
  return result;
}

function broadcastPair(
  env: SymEnv,
  a: readonly IntLike[],
  b: readonly IntLike[],
  equals: Equals,
): readonly IntLike[] {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  const rank = Math.max(a.length, b.length);
  const out = new Array<IntLike>(rank);
  // From the last dimension, as PyTorch does: guards are recorded in that order.
  for (let d = rank - 1; d >= 0; d--) {
    const i = d - rank + a.length;
    const j = d - rank + b.length;
    out[d] = i < 0 ? b[j]! : j < 0 ? a[i]! : broadcastSize(env, a[i]!, b[j]!, d, equals);
  }
  return out;
}

function broadcastSize(env: SymEnv, a: IntLike, b: IntLike, dim: number, equals: Equals): IntLike {
  if (sameAs(a, b)) return a;
  if (a === 1) return b;
  if (b === 1) return a;
  if (isOne(env, a)) return b;
  if (isOne(env, b)) return a;
  if (equals(a, b, env)) return typeof b === "number" ? b : a;
  throw shapeMismatch(
    `The size of tensor a (${describeSize(a)}) must match the size of tensor b (${describeSize(b)}) at non-singleton dimension ${dim}`,
  );
}

/** Used only when plain numbers do not decide the broadcast. */
const isOne = (env: SymEnv, size: IntLike): boolean =>
  typeof size === "number" ? size === 1 : env.orFalse(eq(size, 1));
