import type { Work } from "@sconce/errors";
import type { ExportedProgram, Graph } from "@sconce/ir";
import { withoutDeadNodes } from "../graphs/dead-nodes.js";
import { withGraph } from "../graphs/rename.js";
import { mapSubgraphSteps } from "../graphs/subgraphs.js";
import { definePass, type PassContext } from "../pass/pass.js";

/** `x -> y -> dead` becomes `x -> y`: drops nodes that reach neither an output nor an effect. */
export const deadCodeElimination = definePass({
  name: "dce",
  doc: "Removes nodes that reach neither an output nor an effect, in nested graphs too. Keeps inputs.",
  steps: live,
});

function* live(program: ExportedProgram, { operators }: PassContext): Work<ExportedProgram> {
  const inAll = function* (graph: Graph): Work<Graph> {
    return yield* mapSubgraphSteps(yield* withoutDeadNodes(graph, operators), inAll);
  };
  return withGraph(program, yield* inAll(program.graph));
}
