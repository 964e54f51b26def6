/** @file What an interpreter needs of a program, prepared in pieces where the program is large. */
import type { Work } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { type InputCheck, inputCheck } from "../inputs/check.js";
import type { OperatorTable } from "../table/table.js";
import { type GraphPlan, planGraph, planSteps } from "./graph-plan.js";
import { mutatedPlaceholders, mutationSteps } from "./mutation.js";

/** What the constructor of an interpreter takes from a program. */
export interface PreparedProgram {
  readonly plan: GraphPlan;
  /** Names of the placeholders that runs may write to. */
  readonly mutated: ReadonlySet<string>;
  readonly check: InputCheck;
}

/** @throws SconceError `NO_SUBGRAPH` */
export const prepared = (program: ExportedProgram, operators: OperatorTable): PreparedProgram => ({
  plan: planGraph(program.graph),
  mutated: mutatedPlaceholders(program.graph, operators),
  check: inputCheck(program),
});

/**
 * As {@link prepared}, in pieces. Backends run it in `compile`, so that large programs leave the
 * event loop free, and give the result to the interpreter.
 *
 * @throws SconceError `NO_SUBGRAPH`
 */
export function* preparationSteps(program: ExportedProgram, operators: OperatorTable): Work<PreparedProgram> {
  const { graph } = program;
  const plan = yield* planSteps(graph);
  const mutated = yield* mutationSteps(graph, operators);
  yield;
  // The first look-up builds the index of names.
  graph.find("");
  return { plan, mutated, check: inputCheck(program) };
}
