import type { Work } from "@sconce/errors";
import { type ExportedProgram, rebuild } from "@sconce/ir";
import { constantInputs } from "../analysis/constants.js";
import { withGraph } from "../graphs/rename.js";
import { definePass, type PassContext } from "../pass/pass.js";
import { rewriteSteps } from "../rewrite/rewrite.js";
import { foldSteps, missingValuesOption } from "./fold-constants.js";
import { batchNormRulesFor } from "./rules/batch-norm.js";

const NAME = "fold-batch-norm";

/** `batch_norm(convolution(x, w, b))` becomes `convolution(x, w', b')`. */
export const foldBatchNorm = definePass({
  name: NAME,
  doc: "Folds batch norms with fixed statistics into the weights of the convolution or linear layer before them.",
  requires: "ATEN",
  readsValues: true,
  // The factors are multiplied into the weights: sums of products are rounded, and overflow,
  // otherwise.
  changesNumbers: { rtol: 1e-4, atol: 1e-4, valueClasses: ["infinity", "nan", "large", "overflow"] },
  options: { "missing-values": missingValuesOption },
  steps: (program, context, options) => folded(program, context, String(options["missing-values"])),
});

function* folded(program: ExportedProgram, context: PassContext, missing: string): Work<ExportedProgram> {
  const { operators, rewrites } = context;
  const values = constantInputs(program, true);
  const rules = batchNormRulesFor((placeholder) => values.get(placeholder));
  const rewritten = yield* rewriteSteps(program, rules, { operators, pass: NAME, ...rewrites });
  if (rewritten === program) return program;
  const result = yield* foldSteps(rewritten, context, {
    pass: NAME,
    weights: true,
    source: program.graph,
    missing,
    maxBytes: Number.POSITIVE_INFINITY,
    only: (node) => node.meta.origin?.pass === NAME,
  });
  return withoutUnread(result, program);
}

/** Without the weights that were read before and are not any more. */
function withoutUnread(program: ExportedProgram, before: ExportedProgram): ExportedProgram {
  const { graph, graphSignature } = program;
  const goes = new Set<string>();
  for (const { kind, arg } of graphSignature.inputSpecs) {
    if (kind === "USER_INPUT" || graph.users(arg.name).length > 0) continue;
    if (before.graph.users(arg.name).length > 0) goes.add(arg.name);
  }
  if (goes.size === 0) return program;
  const inputSpecs = graphSignature.inputSpecs.filter((spec) => !goes.has(spec.arg.name));
  const dropped = new Set(
    graphSignature.inputSpecs.filter((spec) => goes.has(spec.arg.name)).map((spec) => spec.target),
  );
  for (const { target } of [...inputSpecs, ...graphSignature.outputSpecs]) dropped.delete(target);
  const without = <T>(tensors: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...tensors].filter(([target]) => !dropped.has(target)));
  return withGraph(
    program,
    rebuild(graph, (node) => !goes.has(node.name)),
  ).with({
    graphSignature: { ...graphSignature, inputSpecs },
    stateDict: without(program.stateDict),
    parameterNames: new Set([...program.parameterNames].filter((target) => !dropped.has(target))),
    constants: without(program.constants),
  });
}
