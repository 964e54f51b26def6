/** @file Conditions that a program requires (`torch._check` and the like). */

import {
  and,
  type BoolLike,
  ge,
  type IntLike,
  le,
  printExpr,
  type ShapeEnv,
  SymExpr,
} from "@sconce/symbolic";
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
export function requireCondition(
  env: ShapeEnv,
  condition: BoolLike,
  message?: string | (() => string),
): void {
  if (env.check(condition)) return;
  const text = typeof message === "function" ? message() : message;
  const shown = typeof condition === "boolean" ? "cond" : printExpr(condition);
  throw checkFailed(text ?? `Expected ${shown} to be True, but got False`);
}

/** Requires that an integer is not negative, and uses it as a size. */
export function requireIsSize(env: ShapeEnv, value: IntLike): void {
  requireCondition(env, ge(value, 0));
  if (isUnbackedSymbol(env, value)) env.markSizeLike(value);
}

/**
 * Requires that an integer lies within bounds. What is read out of a tensor gets the range; the
 * program then asserts it where the integer is read.
 *
 * @throws SconceError `CHECK_FAILED`, `SYM_EMPTY_RANGE` for bounds that exclude what is known
 */
export function requireValueRange(env: ShapeEnv, value: IntLike, { min, max }: ValueBounds = {}): void {
  if (isUnbackedSymbol(env, value)) {
    env.setRange(value, { min: min ?? -Infinity, max: max ?? Infinity });
    return;
  }
  requireCondition(
    env,
    and(min === undefined ? true : ge(value, min), max === undefined ? true : le(value, max)),
  );
}

/**
 * Requires that an integer is a size within bounds.
 *
 * @throws SconceError `CHECK_FAILED`, `SYM_EMPTY_RANGE` for bounds that exclude what is known
 */
export function requireSizeRange(env: ShapeEnv, value: IntLike, { min, max }: ValueBounds = {}): void {
  requireValueRange(env, value, { min: Math.max(0, min ?? 0), max });
  if (isUnbackedSymbol(env, value)) env.markSizeLike(value);
}

const isUnbackedSymbol = (env: ShapeEnv, value: IntLike): value is SymExpr =>
  value instanceof SymExpr && value.op === "Symbol" && env.hint(value) === undefined;
