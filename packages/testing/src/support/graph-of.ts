import { type Graph, GraphBuilder, type Node } from "@sconce/ir";

/** Returns a graph of these nodes. Nothing is checked: tests make broken graphs with it. */
export function graphOf(nodes: readonly Node[], subgraphs: ReadonlyMap<string, Graph> = new Map()): Graph {
  const builder = new GraphBuilder({ unknownTargets: "allow" });
  for (const [target, graph] of subgraphs) builder.subgraph(target, graph);
  for (const node of nodes) builder.add(node);
  return builder.build();
}
