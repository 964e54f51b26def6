/** @file What the assertions of a program say, from their messages. */
import type { Graph } from "@sconce/ir";
import { parseSrepr, SymExpr } from "@sconce/symbolic";

const MESSAGE = /^Runtime assertion failed for expression (.*) on node '.*'$/s;

/**
 * Returns the conditions that an export asserted, in its symbols: values of nodes may show other
 * ones, which took their place later.
 */
export function assertedConditions(graph: Graph): readonly SymExpr[] {
  return graph.nodes().flatMap(({ target, args }) => {
    const message = target === "aten._assert_scalar.default" ? args[1] : undefined;
    const text = typeof message === "string" ? MESSAGE.exec(message)?.[1] : undefined;
    const condition = text === undefined ? undefined : parseSrepr(text);
    return condition instanceof SymExpr ? [condition] : [];
  });
}
