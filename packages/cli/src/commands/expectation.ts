import type { Executable, Value } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { type Closeness, compareTensors, type UlpMeasure, ulpDistance } from "@sconce/tensor/compare";
import { badExpectation } from "./errors.js";

/** All that a run leaves behind. */
export interface FinishedRun {
  readonly executable: Executable;
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
}

/** One tensor that is not as expected. */
export interface Difference {
  readonly name: string;
  readonly problem: string;
}

/**
 * Returns how far tensors are from wanted ones of the same dtype and shape in ULP, by their names.
 */
export function ulpDistances(
  run: FinishedRun,
  wanted: ReadonlyMap<string, Tensor>,
): Readonly<Record<string, UlpMeasure>> {
  const measures: [string, UlpMeasure][] = [];
  for (const [name, want] of wanted) {
    const got = resultOf(run, name);
    if (!(got instanceof Tensor) || got.dtype !== want.dtype || got.shape.join() !== want.shape.join())
      continue;
    const measure = ulpDistance(got, want);
    if (measure !== undefined) measures.push([name, measure]);
  }
  return Object.fromEntries(measures);
}

/**
 * Compares a finished run with wanted tensors: `o0`, `o1`, ... are outputs, `buffer:NAME` is the
 * state after the run, `input:0` an input after the run.
 * @throws SconceError `EXPECTATION` for other names, and when there is nothing to compare
 */
export function compareRun(
  run: FinishedRun,
  wanted: ReadonlyMap<string, Tensor>,
  closeness: Closeness,
): Difference[] {
  if (wanted.size === 0) throw badExpectation("the file of expected values holds no tensors");
  const differences: Difference[] = [];
  for (const [name, want] of wanted) {
    const got = resultOf(run, name);
    const problem =
      got instanceof Tensor ? compareTensors(got, want, closeness) : "is not a tensor of this run";
    if (problem !== undefined) differences.push({ name, problem });
  }
  return differences;
}

function resultOf({ executable, inputs, outputs }: FinishedRun, name: string): Value | undefined {
  const [, kind, rest] = /^(o|input:|buffer:)(.*)$/s.exec(name) ?? [];
  if (kind === "buffer:") return executable.state.get(rest!);
  if (kind === undefined || !/^\d+$/.test(rest!)) {
    throw badExpectation(`the file of expected values names "${name}", which is not a result of a run`);
  }
  return (kind === "o" ? outputs : inputs)[Number(rest)];
}
