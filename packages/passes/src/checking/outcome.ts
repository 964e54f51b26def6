/**
 * @file What one run of a program does: its outputs, what it leaves in its inputs, and the state
 * that it writes.
 */
import type { ExportedProgram, ProgramRunner, RunLimits, Value } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { copyOf } from "../sampling/values.js";

export interface Outcome {
  readonly outputs: readonly Value[];
  /** The inputs as the run left them. */
  readonly inputs: readonly Value[];
  /** Parameters and buffers that the program may write to, as the run left them. */
  readonly state: ReadonlyMap<string, Tensor>;
  /** Iterations of the program's `while_loop`s. */
  readonly iterations: number;
}

/** Most iterations of the loops of a run on inputs that were drawn: a loop may not end on them. */
export const DRAWN_LIMIT = 10_000;

/** Most iterations of the loops of a run after a pass, when the run before took so many. */
export const limitAfter = (iterations: number): RunLimits => ({ maxIterations: 1_000 + 10 * iterations });

/** Copies of inputs: a run may write to them. */
export const copies = (inputs: readonly Value[]): Value[] =>
  inputs.map((value) => (value instanceof Tensor ? copyOf(value) : value));

/** Runs a program on copies of inputs; throws what the run throws. */
export function outcomeOf(
  run: ProgramRunner,
  program: ExportedProgram,
  given: readonly Value[],
  see?: Parameters<ProgramRunner>[2],
  limits?: RunLimits,
): Outcome {
  const inputs = copies(given);
  const { outputs, state, iterations = 0 } = run(program, inputs, see, limits);
  // What may be written to lies in copies; the rest is the program's own.
  const written = new Map([...state].filter(([name, tensor]) => tensor !== program.tensor(name)));
  return { outputs, inputs, state: written, iterations };
}
