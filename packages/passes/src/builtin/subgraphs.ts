import { Graph } from "@sconce/ir";

/** The graph with each subgraph replaced; the same object when none changes. */
export function mapSubgraphs(graph: Graph, change: (subgraph: Graph, target: string) => Graph): Graph {
  if (graph.subgraphs.size === 0) return graph;
  const next = new Map(
    [...graph.subgraphs].map(([target, subgraph]) => [target, change(subgraph, target)] as const),
  );
  const same = [...next].every(([target, subgraph]) => graph.subgraphs.get(target) === subgraph);
  return same ? graph : new Graph([...graph.nodes()], next);
}
