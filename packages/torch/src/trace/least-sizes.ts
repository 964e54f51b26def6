/** @file Assertions that sizes are not less than a number. */
import { ge, isUnbacked, type ShapeEnv, type SymBool, type SymExpr } from "@sconce/symbolic";
import type { TraceArgument, TraceNode } from "./trace-node.js";

/** The condition that a size is at least a number; true for a size of inputs that always is. */
function conditionOf(env: ShapeEnv, size: SymExpr, least: number): SymBool {
  const condition = ge(size, least);
  return !isUnbacked(size) && env.knownTrue(condition) ? true : condition;
}

/** The comparison that an assertion is about. */
export const comparisonOf = (env: ShapeEnv, node: TraceArgument, size: SymExpr, least: number) => ({
  target: "operator.ge",
  args: [node, least],
  val: { kind: "SymBool", expr: conditionOf(env, size, least) } as const,
  candidate: "ge",
});

/** The call that asserts a comparison, whose message has another name for the size. */
export const assertionOf = (node: TraceNode, least: number, name: string) => ({
  target: "aten._assert_scalar.default",
  args: [node, `Runtime assertion failed for expression ${name} >= ${least} on node '${node.name}'`],
  val: null,
  candidate: "_assert_scalar",
});
