/** @file Assertions that sizes are not less, or not more, than a number. */
import { type BoolLike, ge, isUnbacked, le, type ShapeEnv, type SymExpr } from "@sconce/symbolic";
import type { TraceArgument, TraceNode } from "./trace-node.js";

/** A bound of a size. */
export interface Bound {
  readonly kind: "ge" | "le";
  readonly value: number;
}

/** Returns the condition of a bound; true for a size of inputs that always keeps it. */
function conditionOf(env: ShapeEnv, size: SymExpr, { kind, value }: Bound): BoolLike {
  const condition = kind === "ge" ? ge(size, value) : le(size, value);
  return !isUnbacked(size) && env.knownTrue(condition) ? true : condition;
}

/** The comparison that an assertion is about. */
export const comparisonOf = (env: ShapeEnv, node: TraceArgument, size: SymExpr, bound: Bound) => ({
  target: `operator.${bound.kind}`,
  args: [node, bound.value],
  val: { kind: "SymBool", expr: conditionOf(env, size, bound) } as const,
  candidate: bound.kind,
});

/** The call that asserts a comparison, whose message has another name for the size. */
export const assertionOf = (node: TraceNode, { kind, value }: Bound, name: string) => ({
  target: "aten._assert_scalar.default",
  args: [
    node,
    `Runtime assertion failed for expression ${name} ${kind === "ge" ? ">=" : "<="} ${value} on node '${node.name}'`,
  ],
  val: null,
  candidate: "_assert_scalar",
});
