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

/** What a graph asserts of numbers that only a run shows. */
export const assertedIn = (graph: Graph): readonly SymExpr[] =>
  graph.nodes().flatMap((node) => {
    const condition = isAssertion(node) ? conditionOf(node, graph) : undefined;
    return condition instanceof SymExpr ? [condition] : [];
  });

/**
 * Whether an assertion of a graph can never fail where conditions hold, those of another graph.
 * Ranges of data-dependent numbers do not count: these are what the assertions check.
 */
export function isImplied(assertion: Node, graph: Graph, conditions: readonly SymExpr[]): boolean {
  const condition = conditionOf(assertion, graph);
  if (condition === undefined || typeof condition === "boolean") return condition === true;
  const symbols = freeSymbols(condition);
  const env = new ShapeEnv();
  for (const known of conditions)
    if ([...freeSymbols(known).keys()].some((name) => symbols.has(name)))
      if (env.staticallyKnown(known) === undefined) env.addAxiom(known);
  return env.knownTrue(condition);
}
