import { type Graph, GraphBuilder, type Node } from "@sconce/ir";

/** Returns a graph of these nodes. Nothing is checked: tests make broken graphs with it. */
export function graphOf(nodes: readonly Node[], subgraphs: ReadonlyMap<string, Graph> = new Map()): Graph {
  return new GraphBuilder({ unknownTargets: "allow" }).addAll(nodes, subgraphs).build();
}
