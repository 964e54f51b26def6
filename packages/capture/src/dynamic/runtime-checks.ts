/** @file Conditions that a program requires (`torch._check` and the like). */
import { and, ge, le, printExpr, type ShapeEnv, type SymBool, SymExpr, type SymInt } from "@sconce/symbolic";
import { checkFailed } from "./errors.js";

/** Bounds of an integer, both included. */
export interface ValueBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/**
 * Requires a condition. On sizes of inputs it becomes a guard, on values of tensors a run-time
 * assertion; later conditions that follow from it are decided.
 *
 * @param message what the error says when the condition fails for the example inputs
 * @throws SconceError `CHECK_FAILED`
 */
export function check(env: ShapeEnv, condition: SymBool, message?: string | (() => string)): void {
  if (env.check(condition)) return;
  const text = typeof message === "function" ? message() : message;
  throw checkFailed(
    text ??
      (typeof condition === "boolean"
        ? "Expected cond to be True, but got False"
        : `Expected ${printExpr(condition)} to hold, and it does not`),
  );
}

/** Requires that an integer is not negative, and uses it as a size. */
export function checkIsSize(env: ShapeEnv, value: SymInt): void {
  check(env, ge(value, 0));
  if (value instanceof SymExpr && value.op === "Symbol") env.markSizeLike(value);
}

/** Requires that an integer lies within bounds. */
export function constrainAsValue(env: ShapeEnv, value: SymInt, { min, max }: ValueBounds = {}): void {
  check(env, and(min === undefined ? true : ge(value, min), max === undefined ? true : le(value, max)));
}

/** Requires that an integer is a size within bounds. */
export function constrainAsSize(env: ShapeEnv, value: SymInt, bounds: ValueBounds = {}): void {
  checkIsSize(env, value);
  constrainAsValue(env, value, bounds);
}
