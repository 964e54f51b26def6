/** @file Assertions that sizes are not less, or not more, than a number. */
import { symBool } from "@sconce/ir";
import {
  type BoolLike,
  ge,
  type IntLike,
  isUnbacked,
  le,
  type ShapeEnv,
  type SymExpr,
} from "@sconce/symbolic";
import type { TraceArgument, TraceNode } from "./trace-node.js";

/** A bound of a size. */
export interface Bound {
  readonly kind: "ge" | "le";
  readonly value: number;
}

/** Returns the condition that a size is within a bound. */
export const conditionOf = (size: IntLike, { kind, value }: Bound): BoolLike =>
  kind === "ge" ? ge(size, value) : le(size, value);

/** Returns the condition of a bound; true for a size of inputs that is always within it. */
export function openCondition(env: ShapeEnv, size: SymExpr, bound: Bound): BoolLike {
  const condition = conditionOf(size, bound);
  return !isUnbacked(size) && env.knownTrue(condition) ? true : condition;
}

/** Returns the comparison that an assertion is about; `node` has the size. */
export const comparisonOf = (node: TraceArgument, { kind, value }: Bound, condition: BoolLike) => ({
  target: `operator.${kind}`,
  args: [node, value],
  val: symBool(condition),
  candidate: kind,
});

/** Returns the call that asserts a comparison, whose message has another name for the size. */
export const assertionOf = (node: TraceNode, { kind, value }: Bound, name: string) => ({
  target: "aten._assert_scalar.default",
  args: [
    node,
    `Runtime assertion failed for expression ${name} ${kind === "ge" ? ">=" : "<="} ${value} on node '${node.name}'`,
  ],
  val: null,
  candidate: "_assert_scalar",
});
