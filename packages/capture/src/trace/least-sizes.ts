/** @file Assertions that sizes are not less than a number. */
import { ge, isUnbacked, type ShapeEnv, type SymBool, type SymExpr } from "@sconce/symbolic";
import type { TraceArgument } from "./trace-node.js";
import type { PushedNode } from "./tracer.js";

/** The condition that a size is at least a number; true for a size of inputs that always is. */
export function knownCondition(env: ShapeEnv, size: SymExpr, least: number): SymBool {
  const condition = ge(size, least);
  return !isUnbacked(size) && env.knownTrue(condition) ? true : condition;
}

/** The call that asserts a condition. */
export const assertionOf = (args: readonly TraceArgument[]): PushedNode => ({
  target: "aten._assert_scalar.default",
  args,
  val: null,
  candidate: "_assert_scalar",
});
