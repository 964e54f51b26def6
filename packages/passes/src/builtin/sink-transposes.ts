import type { Work } from "@sconce/errors";
import type { ExportedProgram, Graph } from "@sconce/ir";
import { shapeEnvOf } from "@sconce/trace";
import { requireFunctional } from "../analysis/require-functional.js";
import { withRenamed } from "../graphs/rename.js";
import { mapSubgraphSteps } from "../graphs/subgraphs.js";
import { definePass, type PassContext } from "../pass/pass.js";
import { type SinkOptions, sinkViews } from "../views/sink.js";

/** What those who watch and limit rewrites know a move by. */
const AS_RULE = { name: "sink-transposes" } as const;

/** `permute(relu(permute(x, [0, 2, 1])), [0, 2, 1])` becomes `relu(x)`. */
export const sinkTransposes = definePass({
  name: "sink-transposes",
  doc: "Moves permutations and reshapes behind pointwise calls where that reduces their number. Keeps every bit.",
  requires: "ATEN",
  steps: sunk,
});

function* sunk(program: ExportedProgram, { operators, rewrites }: PassContext): Work<ExportedProgram> {
  requireFunctional(program, operators, "sink-transposes");
  yield;
  const env = shapeEnvOf(program);
  const optionsAt: OptionsAt = (path) => ({
    operators,
    env,
    pass: "sink-transposes",
    allows: rewrites?.allows && ((root) => rewrites.allows!(AS_RULE, root, path)),
    fired: () => rewrites?.fired?.(AS_RULE),
  });
  const { graph, renamed } = yield* sinkViews(program.graph, optionsAt(""));
  return withRenamed(program, yield* inBodies(graph, optionsAt), renamed);
}

/** Options for the nested graph at a path; the program's own graph is at "". */
type OptionsAt = (path: string) => SinkOptions;

const inBodies = (graph: Graph, optionsAt: OptionsAt, outer = ""): Work<Graph> =>
  mapSubgraphSteps(graph, function* (nested, target) {
    const path = outer === "" ? target : `${outer}/${target}`;
    const { graph: sunken } = yield* sinkViews(nested, optionsAt(path));
    return yield* inBodies(sunken, optionsAt, path);
  });
