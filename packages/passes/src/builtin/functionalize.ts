import { finish, type Work } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { isFunctional } from "../analysis/functional.js";
import { decompositionSteps } from "../decompose/run-decompositions.js";
import { opaqueAssumption } from "../opaque/assumption.js";
import { definePass, type PassContext } from "../pass/pass.js";
import { DecompositionTable } from "../tables/table.js";

/**
 * `add_(x, 1)` becomes `add(x, 1)`, in place of `x` from there on; what was written to an input
 * becomes an output.
 */
export const functionalize = definePass({
  name: "functionalize",
  doc: "Replaces writes and mutated inputs by values and leading outputs.",
  ensures: "ATEN",
  steps: noted,
});

function* noted(program: ExportedProgram, { operators, note }: PassContext): Work<ExportedProgram> {
  const assumed = opaqueAssumption(program, operators);
  if (assumed !== undefined) note?.(assumed);
  yield;
  return yield* functionalizedSteps(program, operators);
}

/**
 * Returns the program in the ATEN dialect. One that writes nothing keeps its graph; the others are
 * retraced with an empty decomposition table (`run_decompositions({})`), which also inlines regions
 * of `no_grad` and `autocast` and decomposes composites that may alias or write. Where PyTorch's
 * text computes other numbers than the program, because operators hide that they alias or write,
 * those are decomposed too, or refused.
 *
 * @throws SconceError `NOT_FUNCTIONALIZABLE`, `INTERNAL_OVERLAP`, `SHARED_STATE`,
 * `CONSTANT_MUTATED`, and those of the operators' rules
 */
export const functionalized = (program: ExportedProgram, operators: OperatorTable): ExportedProgram =>
  finish(functionalizedSteps(program, operators));

/** As {@link functionalized}, in pieces. */
function* functionalizedSteps(program: ExportedProgram, operators: OperatorTable): Work<ExportedProgram> {
  if (isFunctional(program, operators)) return program.with({ dialect: "ATEN" });
  return yield* decompositionSteps(program, new DecompositionTable(), {
    operators,
    pass: "functionalize",
    exact: true,
  });
}
