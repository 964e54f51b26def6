import { edit, type Graph } from "@sconce/ir";

/** The graph with each subgraph replaced; the same object when none changes. */
export function mapSubgraphs(graph: Graph, change: (subgraph: Graph, target: string) => Graph): Graph {
  if (graph.subgraphs.size === 0) return graph;
  return edit(graph, (editor) => {
    for (const [target, subgraph] of graph.subgraphs) {
      const changed = change(subgraph, target);
      if (changed !== subgraph) editor.setSubgraph(target, changed);
    }
  });
}
