/**
 * @file Small programs with the numbers that PyTorch computes, run on every backend;
 * `oracle/backend_numbers` makes them.
 */
import type { ExportedProgram, Value } from "@sconce/ir";
import { createSconce, type Sconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { contiguousStrides, type DType, Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { describe, expect, test } from "vitest";
import { fixtureText } from "./fixtures.js";
import { storageOf } from "./random-calls/recorded.js";

interface PackedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides?: readonly number[];
  readonly offset?: number;
  readonly data: string;
}
interface RecordedRun {
  readonly inputs: readonly PackedTensor[];
  /** The results of the program as it is; null where PyTorch refuses the inputs. */
  readonly outputs: readonly PackedTensor[] | null;
  /** Those of the lowered program, where they differ. */
  readonly lowered?: readonly PackedTensor[] | null;
}
interface RecordedProgram {
  readonly name: string;
  /** The relative tolerance; zero where results are equal bit by bit, NaN aside. */
  readonly rtol: number;
  readonly pt2: string;
  /** PyTorch cannot lower it. */
  readonly isNotLowered?: true;
  readonly runs: readonly RecordedRun[];
}

function recorded(group: string): readonly RecordedProgram[] {
  return fixtureText(`backend-numbers/${group}.jsonl.gz`)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RecordedProgram);
}

function unpacked({ dtype, shape, strides, offset, data }: PackedTensor): Tensor {
  return new Tensor({
    storage: storageOf(dtype, data),
    shape,
    strides: strides ?? contiguousStrides(shape),
    storageOffset: offset ?? 0,
    dtype,
  });
}

/** A session and the backend that runs programs there. */
interface Place {
  readonly session: Sconce;
  readonly backend: string;
}
const place = async (backend: string, threads: number): Promise<Place> => ({
  session: createSconce({ backends: [await loadBackend(backend, { threads })] }),
  backend,
});
type Places = Readonly<Record<string, () => Promise<Place>>>;
/** Where most programs run. */
export const PLACES: Places = {
  cpu: () => Promise.resolve({ session: createSconce(), backend: "cpu" }),
  wasm: () => place("wasm", 1),
};
/** For the full suite. */
export const OTHER_PLACES: Places = {
  "wasm, two threads": () => place("wasm", 2),
  "gpujs:cpu": () => place("gpujs:cpu", 1),
};
/** Where the machine has WebGPU, in software too. */
export const WEBGPU: Places = { "gpujs:webgpu": () => place("gpujs:webgpu", 1) };

/** How a program is run. */
interface Way {
  readonly isLowered: boolean;
  /** Whether its inputs are given to the device before. */
  readonly isUploaded: boolean;
}

/** What differs from PyTorch's results, if anything does. */
async function problemsOf(
  { session, backend }: Place,
  program: ExportedProgram,
  { runs, rtol }: RecordedProgram,
  { isLowered, isUploaded }: Way,
): Promise<string[]> {
  using executable = await session.compile(program, backend);
  const problems: string[] = [];
  const uploaded = async (given: Value): Promise<Value> =>
    isUploaded && given instanceof Tensor ? ((await executable.toDevice?.(given)) ?? given) : given;
  for (const [at, run] of runs.entries()) {
    const given = await Promise.all(run.inputs.map(unpacked).map(uploaded));
    const outputs = isLowered && run.lowered !== undefined ? run.lowered : run.outputs;
    if (outputs === null) {
      await expect(executable.run(given)).rejects.toThrow(expect.objectContaining({ name: "SconceError" }));
      continue;
    }
    const got = (await executable.run(given)) as Tensor[];
    outputs.map(unpacked).forEach((want, i) => {
      const problem = compareTensors(got[i]!, want, { rtol, atol: 0 });
      if (problem !== undefined) problems.push(`run ${at}, result ${i}: ${problem}`);
    });
  }
  return problems;
}

/** The groups of programs by their file, and what they hold. */
const GROUPS = {
  "half-constants": "constants of halves and integers that a program makes, and ranges of halves",
  "as-strided": "views by strides of inputs, of results and of views, also of inputs with other strides",
  thresholds: "activations and comparisons at numbers that their dtype does not hold",
  "zero-factors": "sums of a tensor and a product, with factors of zero beside NaN and infinities",
  empties: "values with a dimension of size 0: static ones, and sizes that are 0 in some runs",
  "logit-gradients": "the gradient of logit at the ends of its domain",
  "whole-numbers": "integers that doubles do not hold, in convolutions, pools and products",
  "checked-values": "places and probabilities that PyTorch refuses, beside those that it takes",
  "quantized-ends": "quantization of NaN, infinities and numbers beyond its integers",
  "given-places": "gradients of max pools at places that are given",
  unbounded: "losses, convolutions and factors of values that are not finite or not definite",
  "kernel-choices": "calls whose decompositions give other numbers than PyTorch's kernels",
} as const;

/** Makes a test of each `every`th program of all groups, on each backend. */
export function backendNumbersSpec(places: Places, every = 1): void {
  for (const [group, content] of Object.entries(GROUPS)) groupSpec(group, content, places, every);
}

function groupSpec(group: string, content: string, places: Places, every: number): void {
  const programs = recorded(group).filter((_, at) => at % every === 0);
  describe.each(Object.entries(places))(`${content}, on %s`, (_, open) => {
    const opened = open();
    test.each(programs.map((one) => [one.name, one] as const))("%s", async (_, one) => {
      const on = await opened;
      const program = await on.session.load(Buffer.from(one.pt2, "base64"));
      expect(await problemsOf(on, program, one, { isLowered: false, isUploaded: false })).toEqual([]);
      // Where strides decide, they have to come to the device with the values.
      if (group === "as-strided")
        expect(await problemsOf(on, program, one, { isLowered: false, isUploaded: true })).toEqual([]);
      const lowered = (): ExportedProgram => on.session.runDecompositions(program);
      if (one.isNotLowered) expect(lowered).toThrow(expect.objectContaining({ name: "SconceError" }));
      else expect(await problemsOf(on, lowered(), one, { isLowered: true, isUploaded: false })).toEqual([]);
    });
  });
}
