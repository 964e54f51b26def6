/** @file Conditions that a program requires of its sizes and values (`torch._check`). */

import { checkOptions, type OptionNames } from "@sconce/errors";
import { currentTrace } from "../trace/dispatch.js";
import * as conditions from "../trace/runtime-checks.js";
import { type Size, SymBool, SymInt } from "../trace/sym-int.js";
import { requirementFailed, wrongCondition } from "./errors.js";
import { type Condition, sym } from "./sym.js";

const exprOf = (value: Size): number | SymInt["expr"] => (value instanceof SymInt ? value.expr : value);

/**
 * Requires a condition (`torch._check`). On sizes of inputs it becomes a guard, on values of
 * tensors a run-time assertion; branches that follow from it are decided.
 *
 * @throws SconceError `CHECK_FAILED` when it does not hold
 */
export function check(condition: Condition, message?: string | (() => string)): void {
  if (!(condition instanceof SymBool || typeof condition === "boolean"))
    throw wrongCondition("check", condition);
  const trace = currentTrace();
  const expr = condition instanceof SymBool ? condition.expr : condition;
  if (trace !== undefined) conditions.requireCondition(trace.env, expr, message);
  else if (expr !== true) throw requirementFailed(typeof message === "function" ? message() : message);
}

/** Requires that an integer is a size: not negative (`torch._check_is_size`). */
export function checkIsSize(value: Size): void {
  check(sym.ge(value, 0));
  const trace = currentTrace();
  if (trace !== undefined) conditions.requireIsSize(trace.env, exprOf(value));
}

/** Bounds of an integer, both included. */
export type Bounds = conditions.ValueBounds;
const BOUNDS: OptionNames<Bounds> = { min: true, max: true };

/** Requires that an integer lies within bounds (`constrain_as_value`). */
export function constrainAsValue(value: Size, bounds: Bounds = {}): void {
  checkOptions("constrainAsValue", bounds, BOUNDS);
  const trace = currentTrace();
  if (trace !== undefined) conditions.requireValueRange(trace.env, exprOf(value), bounds);
  else requireBounds(value, bounds);
}

/** Requires that an integer is a size within bounds (`constrain_as_size`). */
export function constrainAsSize(value: Size, bounds: Bounds = {}): void {
  checkOptions("constrainAsSize", bounds, BOUNDS);
  const trace = currentTrace();
  if (trace !== undefined) conditions.requireSizeRange(trace.env, exprOf(value), bounds);
  else requireBounds(value, { ...bounds, min: Math.max(0, bounds.min ?? 0) });
}

function requireBounds(value: Size, { min = -Infinity, max = Infinity }: Bounds): void {
  if (typeof value === "number" && value >= min && value <= max) return;
  throw requirementFailed(`${String(value)} is not in the range [${min}, ${max}]`);
}
