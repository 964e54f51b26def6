/**
 * @file Conditions on sizes: plain numbers are compared at once, symbolic ones are asked of the
 * environment.
 */
import type { IntLike } from "@sconce/ir";
import {
  and,
  type BoolLike,
  eq,
  freeSymbols,
  ge,
  gt,
  isUnbacked,
  le,
  lt,
  ne,
  type SymEnv,
  SymExpr,
} from "@sconce/symbolic";

/**
 * Comparisons as Python writes them down: with a number on the left the size is asked, so that
 * `3 <= s` is recorded as `s >= 3`. A guard shows its operands in that order.
 */
const reflecting =
  (plain: Comparison, reflected: Comparison): Comparison =>
  (a, b) =>
    typeof a === "number" ? reflected(b, a) : plain(a, b);

type Comparison = (a: IntLike, b: IntLike) => BoolLike;
/** `a <= b` as Python records it. */
export const pythonLe: Comparison = reflecting(le, ge);
/** `a >= b` as Python records it. */
export const pythonGe: Comparison = reflecting(ge, le);
/** `a < b` as Python records it. */
export const pythonLt: Comparison = reflecting(lt, gt);
/** `a > b` as Python records it. */
export const pythonGt: Comparison = reflecting(gt, lt);

/** `a == b` as Python records it. */
export const pythonEq: Comparison = reflecting(eq, eq);

/** Returns whether lists of sizes are equal, as one condition (`sym_eq`). */
export const pythonAllEqual = (a: readonly IntLike[], b: readonly IntLike[]): BoolLike =>
  and(...a.map((size, d) => size === b[d]! || pythonEq(size, b[d]!)));

const numbers = (a: IntLike, b: IntLike): boolean => typeof a === "number" && typeof b === "number";

/** `a == b`; false when that cannot be decided. */
export const isEqual = (env: SymEnv, a: IntLike, b: IntLike): boolean =>
  numbers(a, b) ? a === b : a === b || env.orFalse(eq(a, b));
/** `a <= b`; false when that cannot be decided. */
export const isAtMost = (env: SymEnv, a: IntLike, b: IntLike): boolean =>
  numbers(a, b) ? a <= b : a === b || env.orFalse(le(a, b));
/** `a >= b`, as Python records it; false when that cannot be decided. */
export const isAtLeast = (env: SymEnv, a: IntLike, b: IntLike): boolean =>
  numbers(a, b) ? a >= b : a === b || env.orFalse(pythonGe(a, b));
/** `a > b`, as Python records it; undefined when that cannot be decided. */
export function isAboveIfKnown(env: SymEnv, a: IntLike, b: IntLike): boolean | undefined {
  if (typeof a === "number" && typeof b === "number") return a > b;
  const above = pythonGt(a, b);
  if (a !== b && env.orFalse(above)) return true;
  // A question that was decided is known, and not recorded again.
  return a === b || env.knownTrue(pythonGe(b, a)) ? false : undefined;
}
/** `a < b`, as Python records it; false when that cannot be decided. */
export const isBelow = (env: SymEnv, a: IntLike, b: IntLike): boolean =>
  numbers(a, b) ? a < b : a !== b && env.orFalse(pythonLt(a, b));
/** `a != b`; true when that cannot be decided. */
export const mayDiffer = (env: SymEnv, a: IntLike, b: IntLike): boolean =>
  numbers(a, b) ? a !== b : a !== b && env.orTrue(ne(a, b));
/** `a < b`; true when that cannot be decided. */
export const mayBeBelow = (env: SymEnv, a: IntLike, b: IntLike): boolean =>
  numbers(a, b) ? a < b : a !== b && env.orTrue(lt(a, b));

/**
 * Returns whether an integer is negative; undefined where only the data decide. A rule that takes
 * either sign then decides nothing: questions about both signs would be two decisions that no size
 * meets.
 */
export function isNegative(env: SymEnv, value: IntLike): boolean | undefined {
  if (!(value instanceof SymExpr) || ![...freeSymbols(value).values()].some(isUnbacked))
    return isBelow(env, value, 0);
  if (env.knownTrue(lt(value, 0))) return true;
  return env.knownTrue(ge(value, 0)) ? false : undefined;
}

/** Throws when the condition is known to fail; an undecided one is asserted at run time. */
export function check(env: SymEnv, condition: BoolLike, error: () => Error): void {
  if (condition === true) return;
  if (condition === false || !env.check(condition)) throw error();
}
