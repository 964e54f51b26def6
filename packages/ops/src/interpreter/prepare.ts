/** @file What an interpreter of a large program needs, prepared in pieces before it is made. */
import type { Work } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { OperatorTable } from "../table/table.js";
import { mutatedPlaceholders, mutationSteps } from "./mutation.js";
import { type GraphPlan, planGraph, planSteps } from "./plan.js";

/** What the constructor of an interpreter takes from a program. */
interface Prepared {
  readonly operators: OperatorTable;
  readonly plan: GraphPlan;
  /** Names of the placeholders that runs may write to. */
  readonly mutated: ReadonlySet<string>;
}

const waiting = new WeakMap<ExportedProgram, Prepared>();

/**
 * Does most of the work of making an interpreter, in pieces. The next `Interpreter` of the program
 * and the operators takes the result. Backends run it in `compile`, so that large programs leave
 * the event loop free.
 *
 * @throws SconceError `NO_SUBGRAPH`
 */
export function* prepareInterpreter(program: ExportedProgram, operators: OperatorTable): Work<void> {
  const plan = yield* planSteps(program.graph);
  const mutated = yield* mutationSteps(program.graph, operators);
  yield;
  // The first look-up builds the index of names.
  program.graph.find("");
  waiting.set(program, { operators, plan, mutated });
}

/** What was prepared for one interpreter, or prepared now. */
export function takePrepared(program: ExportedProgram, operators: OperatorTable): Prepared {
  const prepared = waiting.get(program);
  waiting.delete(program);
  if (prepared?.operators === operators) return prepared;
  const { graph } = program;
  return { operators, plan: planGraph(graph), mutated: mutatedPlaceholders(graph, operators) };
}
