/**
 * @file Small programs with the numbers that PyTorch computes, run on every backend;
 * `oracle/backend_numbers` makes them.
 */
import { createRandomSource, type RandomSource } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import type { Executable, ExportedProgram, Value } from "@sconce/ir";
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
  /** What the inputs hold afterwards; null for those that are not written to. */
  readonly after?: readonly (PackedTensor | null)[];
  /**
   * The strides of the results, where they are not in rows; null where a dimension has one element.
   */
  readonly strides?: readonly (readonly number[] | null)[];
  /** What the lowered program computes, where that differs. */
  readonly lowered?: readonly PackedTensor[] | null;
  readonly loweredAfter?: readonly (PackedTensor | null)[] | null;
}
interface RecordedProgram {
  readonly name: string;
  /** The relative tolerance; zero where results are equal bit by bit, NaN aside. */
  readonly rtol: number;
  /** Where random numbers of each run begin. */
  readonly seed?: number;
  readonly pt2: string;
  /** PyTorch cannot lower it. */
  readonly isNotLowered?: true;
  /** Its lowered form is not compared. */
  readonly isOriginalOnly?: true;
  readonly runs: readonly RecordedRun[];
}

function recorded(group: string): readonly RecordedProgram[] {
  return fixtureText(`backend-numbers/${group}.jsonl.br`)
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
  readonly random: RandomSource;
}
const place = async (backend: string, threads: number): Promise<Place> => {
  const random = createRandomSource(0);
  return {
    session: createSconce({ random, backends: [await loadBackend(backend, { threads })] }),
    backend,
    random,
  };
};
function interpreter(): Place {
  const random = createRandomSource(0);
  return { session: createSconce({ random }), backend: "cpu", random };
}
type Places = Readonly<Record<string, () => Promise<Place>>>;
/** Where most programs run. */
export const PLACES: Places = {
  cpu: () => Promise.resolve(interpreter()),
  wasm: () => place("wasm", 1),
};
/** For the full suite. */
export const OTHER_PLACES: Places = {
  "wasm, two threads": () => place("wasm", 2),
  "gpujs:cpu": () => place("gpujs:cpu", 1),
};
/** Where the machine has WebGPU, in software too. */
export const WEBGPU: Places = { "gpujs:webgpu": () => place("gpujs:webgpu", 1) };

/**
 * Divisions of which a part is read. WebGPU computes that part only, so zeros that divide the rest
 * are not refused (docs/concepts/gpu-js.md).
 */
const UNREAD_IN_PART = /^(fmod|fmod_|floor_divide|div floor|div_) torch\.int32 part$/;

/**
 * Sums with factors near the end of float32. WGSL lets `fma` round the product, which overflows
 * then (docs/concepts/gpu-js.md).
 */
const FUSED = /^factors? (of open sizes|-?[\d.]+)$/;

/** How a program is run. */
interface Way {
  readonly isLowered: boolean;
  /** Whether its inputs are given to the device before. */
  readonly isUploaded: boolean;
  /** Whether its runs may be refused, as views that reach beyond their memory. */
  readonly mayRefuse?: boolean;
}

/** Returns what differs from PyTorch's results, if anything does. */
async function problemsOf(
  { session, backend, random }: Place,
  program: ExportedProgram,
  { name, runs, rtol, seed }: RecordedProgram,
  { isLowered, isUploaded, mayRefuse }: Way,
): Promise<string[]> {
  using executable = await session.compile(program, backend);
  const problems: string[] = [];
  // WebGPU may take subnormal numbers for zero.
  const isShader = backend === "gpujs:webgpu";
  const mayRoundTwice = isShader && FUSED.test(name);
  const atol = mayRoundTwice ? 1e-6 : isShader ? 2 ** -126 : 0;
  const uploaded = async (given: Value): Promise<Value> =>
    isUploaded && given instanceof Tensor ? ((await executable.toDevice?.(given)) ?? given) : given;
  for (const [at, run] of runs.entries()) {
    const given = await Promise.all(run.inputs.map(unpacked).map(uploaded));
    const { outputs, after, strides } = wanted(run, isLowered && mayRefuse !== true);
    if (seed !== undefined) random.seed(seed);
    if (outputs === null) {
      if (backend === "gpujs:webgpu" && UNREAD_IN_PART.test(name)) continue;
      await expect(executable.run(given), `run ${at}`).rejects.toThrow(
        expect.objectContaining({ name: "SconceError" }),
      );
      continue;
    }
    const got = await resultsOf(executable, given, mayRefuse === true);
    if (got === undefined) continue;
    const compare = (what: string, have: Tensor, want: PackedTensor): void => {
      const wanted = unpacked(want);
      const compared = mayRoundTwice ? withoutRounded(have, wanted) : have;
      const problem = compareTensors(compared, wanted, { rtol, atol });
      if (problem !== undefined) problems.push(`run ${at}, ${what}: ${problem}`);
    };
    outputs.forEach((want, i) => {
      compare(`result ${i}`, got[i]!, want);
      const laid = strides?.[i];
      if (laid != null && String(laid) !== String(got[i]!.strides))
        problems.push(`run ${at}, result ${i}: strides ${got[i]!.strides} instead of ${laid}`);
    });
    for (const [i, input] of given.entries()) {
      await (input as Tensor).load();
      compare(`input ${i}`, input as Tensor, after?.[i] ?? run.inputs[i]!);
    }
  }
  return problems;
}

/**
 * Returns a tensor with the wanted elements in place of those that a rounded product may change:
 * those that are not finite, and sums near the end of float32.
 */
function withoutRounded(have: Tensor, want: Tensor): Tensor {
  const elements = want.toArray();
  const kept = have.toArray().map((one, i) => {
    const isKept = Number.isFinite(Number(one)) && Math.abs(Number(elements[i])) < 2 ** 100;
    return isKept ? one : elements[i]!;
  });
  return Tensor.from(kept, have.shape, have.dtype);
}

/** Undefined for a run that may be refused, and is. */
async function resultsOf(
  executable: Executable,
  given: readonly Value[],
  mayRefuse: boolean,
): Promise<Tensor[] | undefined> {
  try {
    return (await executable.run(given)) as Tensor[];
  } catch (error) {
    if (mayRefuse && isSconceError(error, "OUT_OF_STORAGE")) return undefined;
    throw error;
  }
}

/** Returns what PyTorch recorded of a program, or of its lowered form. */
function wanted(run: RecordedRun, isLowered: boolean): Pick<RecordedRun, "outputs" | "after" | "strides"> {
  if (!isLowered || run.lowered === undefined) return run;
  const after = run.loweredAfter === undefined ? run.after : (run.loweredAfter ?? undefined);
  return { outputs: run.lowered, ...(after && { after }) };
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
  "written-memory": "writes beside views that the strides of inputs decide",
  "memory-order": "results that follow the order of memory of operands",
  "rare-kernels": "kernels whose results are not those of their formulas",
  "shown-strides": "inputs with gaps, at the ends of dynamic sizes",
  "aliased-results": "control flow whose results share memory with operands, beside writes",
  "products-plus": "`prims.fma`, and the writes in branches that PyTorch records as it",
  "dtype-ends": "means, gamma functions and normalization where a step leaves the range of the dtype",
  "half-steps": "functions of halves whose kernels round more than once, or a factor first",
  "half-losses": "losses of halves, and their gradients, near the ends of the dtype",
  "row-choices": "reductions that a choice takes or that convert elements, and rows that hold NaN",
  "running-statistics":
    "batch norms by running statistics whose factors or shifts leave the range, also behind layers",
  "kernel-choices": "calls whose decompositions give other numbers than PyTorch's kernels",
  "half-norms": "layer, group and RMS norms of halves whose sums leave the range of float32",
  "scalar-factors": "numbers beside integers, which are cut to the dtype",
  "rare-statistics": "variances and norms of rows that overflow, that are not finite, or empty",
  "kernel-ends": "sums with factors, complex means and products, and layouts, as kernels have them",
  "exported-calls": "calls that PyTorch exports, whose strides or dtypes its kernels decide otherwise",
  "unread-divisions": "divisions of integers by zero whose elements nothing reads",
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
      expect(on.session.verify(program).map(({ message }) => message)).toEqual([]);
      expect(await problemsOf(on, program, one, { isLowered: false, isUploaded: false })).toEqual([]);
      // Where strides decide, they have to come to the device with the values.
      if (group === "as-strided")
        expect(await problemsOf(on, program, one, { isLowered: false, isUploaded: true })).toEqual([]);
      if (one.isOriginalOnly) return;
      const lower = (): ExportedProgram => on.session.runDecompositions(program);
      // Sconce lowers these, which PyTorch does not: their runs are refused, or compute the same.
      const mayRefuse = one.isNotLowered === true && group === "written-memory";
      if (one.isNotLowered === true && !mayRefuse) {
        expect(lower).toThrow(expect.objectContaining({ name: "SconceError" }));
        return;
      }
      const way = { isLowered: true, isUploaded: false, mayRefuse };
      expect(await problemsOf(on, lower(), one, way)).toEqual([]);
    });
  });
}
