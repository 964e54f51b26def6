/**
 * @file Assertions on numbers that always hold, or that follow from the assertions of another
 * graph.
 */
import { type Graph, isRef, isSymScalar, type Node } from "@sconce/ir";
import { freeSymbols, ShapeEnv, type SymBool, SymExpr } from "@sconce/symbolic";
import { isAssertion } from "./program-sides.js";

/** What a call asserts of numbers; undefined for one that asserts something of tensors. */
function conditionOf({ target, args }: Node, graph: Graph): SymBool | undefined {
  if (target !== "aten._assert_scalar.default") return undefined;
  const [condition] = args;
  if (typeof condition === "boolean") return condition;
  const val = isRef(condition) ? graph.find(condition.name)?.meta.val : undefined;
  if (typeof val !== "object" || val === null || !isSymScalar(val) || val.kind !== "SymBool")
    return undefined;
  return val.expr as SymBool;
}

/**
 * Whether an assertion of one graph can never fail where those of the other hold. Ranges of
 * data-dependent numbers do not count: these are what the assertions check.
 */
export function isImplied(assertion: Node, graph: Graph, other: Graph): boolean {
  const condition = conditionOf(assertion, graph);
  if (condition === undefined || typeof condition === "boolean") return condition === true;
  const symbols = new Set(freeSymbols(condition).keys());
  const env = new ShapeEnv();
  for (const node of other.nodes()) {
    const known = isAssertion(node) ? conditionOf(node, other) : undefined;
    if (known instanceof SymExpr && [...freeSymbols(known).keys()].some((name) => symbols.has(name)))
      if (env.staticallyKnown(known) === undefined) env.addAxiom(known);
  }
  return env.knownTrue(condition);
}
