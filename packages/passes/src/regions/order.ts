import { forEachInput, type Graph, isRef, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { hasEffect } from "../graphs/dead-nodes.js";

/** Recognizes calls that must keep their order: effects, and random numbers, drawn one by one. */
export function orderedCalls(graph: Graph, operators: OperatorTable): (node: Node) => boolean {
  const known = new Map<string, boolean>();
  return (node) => {
    if (node.op !== "call_function") return false;
    if (node.target.startsWith("higher_order.") && bodiesHaveOrder(node, graph, operators)) return true;
    let ordered = known.get(node.target);
    if (ordered === undefined) {
      ordered =
        hasEffect(node, operators) || operators.tagsOf(node.target).includes("nondeterministic_seeded");
      known.set(node.target, ordered);
    }
    return ordered;
  };
}

function bodiesHaveOrder(node: Node, graph: Graph, operators: OperatorTable): boolean {
  let found = false;
  forEachInput(node, (name) => {
    const body = graph.node(name);
    const nested = body.op === "get_attr" ? graph.subgraphs.get(body.target) : undefined;
    if (nested !== undefined) found ||= nested.nodes().some(orderedCalls(nested, operators));
  });
  return found;
}

/**
 * Returns the place of the call that gives what a node takes one of: the two stay together.
 * Undefined for other nodes.
 */
export function producerOf(graph: Graph, at: number): number | undefined {
  const node = graph.nodeAt(at);
  const source = node.target === "operator.getitem" ? node.args[0] : undefined;
  return isRef(source) ? graph.indexOf(source.name) : undefined;
}
