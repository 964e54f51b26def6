import type { Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { eliminateDeadNodes } from "../graphs/dead-nodes.js";
import { withGraph } from "../graphs/rename.js";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import { definePass } from "../pass/pass.js";

/** `x -> y -> dead` becomes `x -> y`: drops nodes that reach neither an output nor an effect. */
export const deadCodeElimination = definePass({
  name: "dce",
  doc: "Removes nodes that reach neither an output nor an effect, in nested graphs too. Keeps inputs.",
  run(program, { operators }) {
    return withGraph(program, withoutDeadNodes(program.graph, operators));
  },
});

function withoutDeadNodes(graph: Graph, operators: OperatorTable): Graph {
  return mapSubgraphs(eliminateDeadNodes(graph, operators), (subgraph) =>
    withoutDeadNodes(subgraph, operators),
  );
}
