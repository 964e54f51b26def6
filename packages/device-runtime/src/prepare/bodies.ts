/** @file The graphs that calls run. */
import { forEachInput, type Graph, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

/** Returns the graph that an input of a call reads; undefined for a value. */
export function bodyOf(name: string, graph: Graph): Graph | undefined {
  const { op, target } = graph.node(name);
  return op === "get_attr" ? graph.subgraphs.get(target) : undefined;
}

/** Returns the graphs that a call runs, each once. */
export function bodiesOf(node: Node, graph: Graph): readonly Graph[] {
  const bodies = new Set<Graph>();
  forEachInput(node, (name) => {
    const body = bodyOf(name, graph);
    if (body !== undefined) bodies.add(body);
  });
  return [...bodies];
}

/** Returns whether some call of a graph, or of its bodies, writes to an argument. */
export const writesAny = (graph: Graph, operators: OperatorTable): boolean =>
  graph.calls().some(({ target }) => operators.schemaOf(target)?.isMutable === true) ||
  [...graph.subgraphs.values()].some((nested) => writesAny(nested, operators));
