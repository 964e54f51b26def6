/**
 * @file Conditions on sizes: plain numbers are compared at once, symbolic ones are asked of the
 * environment.
 */
import type { SymInt } from "@sconce/ir";
import { eq, le, lt, ne, type SymBool, type SymEnv } from "@sconce/symbolic";

const numbers = (a: SymInt, b: SymInt): boolean => typeof a === "number" && typeof b === "number";

/** `a == b`; false when that cannot be decided. */
export const isEqual = (env: SymEnv, a: SymInt, b: SymInt): boolean =>
  numbers(a, b) ? a === b : a === b || env.orFalse(eq(a, b));
/** `a <= b`; false when that cannot be decided. */
export const isAtMost = (env: SymEnv, a: SymInt, b: SymInt): boolean =>
  numbers(a, b) ? a <= b : a === b || env.orFalse(le(a, b));
/** `a < b`; false when that cannot be decided. */
export const isBelow = (env: SymEnv, a: SymInt, b: SymInt): boolean =>
  numbers(a, b) ? a < b : a !== b && env.orFalse(lt(a, b));
/** `a != b`; true when that cannot be decided. */
export const mayDiffer = (env: SymEnv, a: SymInt, b: SymInt): boolean =>
  numbers(a, b) ? a !== b : a !== b && env.orTrue(ne(a, b));
/** `a < b`; true when that cannot be decided. */
export const mayBeBelow = (env: SymEnv, a: SymInt, b: SymInt): boolean =>
  numbers(a, b) ? a < b : a !== b && env.orTrue(lt(a, b));

/** Throws when the condition is known to fail; an undecided one is left to run time. */
export function check(env: SymEnv, condition: SymBool, error: () => Error): void {
  if (condition === true) return;
  if (condition === false || !env.orTrue(condition)) throw error();
}
