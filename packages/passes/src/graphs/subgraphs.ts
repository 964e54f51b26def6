import { finish, type Work } from "@sconce/errors";
import { edit, type Graph } from "@sconce/ir";

/** Returns the graph with each subgraph replaced; the same object when none changes. */
export const mapSubgraphs = (graph: Graph, change: (subgraph: Graph, target: string) => Graph): Graph =>
  finish(
    // biome-ignore lint/correctness/useYield: the change is made at once.
    mapSubgraphSteps(graph, function* (subgraph, target) {
      return change(subgraph, target);
    }),
  );

/** As {@link mapSubgraphs}, in pieces. */
export function* mapSubgraphSteps(
  graph: Graph,
  change: (subgraph: Graph, target: string) => Work<Graph>,
): Work<Graph> {
  const changes: (readonly [target: string, changed: Graph])[] = [];
  for (const [target, subgraph] of graph.subgraphs) {
    const changed = yield* change(subgraph, target);
    if (changed !== subgraph) changes.push([target, changed]);
  }
  if (changes.length === 0) return graph;
  return edit(graph, (editor) => {
    for (const [target, changed] of changes) editor.setSubgraph(target, changed);
  });
}
