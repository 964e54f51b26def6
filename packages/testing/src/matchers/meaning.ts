import { cpuBackend } from "@sconce/backend-cpu";
import { checkOptions, type OptionNames } from "@sconce/errors";
import type { Backend, Executable, ExportedProgram, Value } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { type Closeness, copyTensor, giver, sampleInputs, tensorsDifference } from "@sconce/passes";
import { type DType, Tensor } from "@sconce/tensor";
import { type ToleranceOptions, tensorDifference } from "@sconce/tensor/compare";
import { toleranceOf } from "../generator/noise.js";

import type { MatcherResult } from "./result.js";

/** How the results of two programs are compared. */
export interface MeaningOptions extends ToleranceOptions {
  /** The program whose meaning is to be kept. */
  readonly of: ExportedProgram;
  /** Sets of inputs to run on; sampled when left out. */
  readonly inputs?: readonly (readonly Value[])[] | undefined;
  /** How many sets to sample; 3 when left out. */
  readonly runs?: number | undefined;
  /** The seed of the sampled inputs. */
  readonly seed?: number | undefined;
  /**
   * The float dtype that the received program computes in, where that is another on purpose, as a
   * pass's `changesNumbers` says. It then gets its inputs, and gives its outputs and written state,
   * in its own dtypes; they are close enough within the roundings that a differential check allows,
   * unless `rtol` or `atol` is given.
   */
  readonly precision?: DType | undefined;
  /**
   * Where the received program runs; the interpreter when left out. The other always runs on the
   * interpreter.
   */
  readonly backend?: Backend | undefined;
  /** Operators that the programs use; Sconce's own when left out. */
  readonly operators?: OperatorTable | undefined;
}

const MEANING: OptionNames<MeaningOptions> = {
  of: true,
  inputs: true,
  runs: true,
  seed: true,
  precision: true,
  backend: true,
  operators: true,
  rtol: true,
  atol: true,
};

/**
 * Returns what a program does otherwise than another, run after run on one state each: outputs,
 * what was written to inputs, and the state that one of them writes. The first difference, or
 * undefined. Inputs that the other program itself refuses do not count.
 */
export async function meaningDifference(
  received: ExportedProgram,
  options: MeaningOptions,
): Promise<string | undefined> {
  checkOptions("meaningDifference", options, MEANING);
  const { of: original, runs = 3, seed, operators, precision } = options;
  const sets = options.inputs ?? sampleInputs(original, { count: runs, seed });
  // A backend each: both draw the same random numbers.
  const cpu = (): Backend => cpuBackend(operators === undefined ? {} : { operators });
  using before = await cpu().compile(original);
  using after = await (options.backend ?? cpu()).compile(received);
  const tolerance = precision === undefined ? defaults(original) : { precision };
  const closeness = { ...tolerance, ...given(options) };
  const compare = new Comparison(original, received, closeness);
  const give = giver(received, closeness);
  let ran = 0;
  let refusal = "";
  for (const [run, inputs] of sets.entries()) {
    const want = await outcome(before, inputs);
    if ("error" in want) {
      refusal = want.error;
      continue;
    }
    ran++;
    const got = await outcome(after, give(inputs));
    const place = `run ${run + 1} on (${inputs.map(summary).join(", ")})`;
    if ("error" in got) return `${place}: the program fails: ${got.error}`;
    const difference = compare.outcomes(got, want) ?? compare.states(after, before);
    if (difference !== undefined) return `${place}: ${difference}`;
  }
  return ran > 0 || sets.length === 0
    ? undefined
    : `the original program takes none of the inputs: ${refusal}`;
}

/**
 * Returns the matcher `toPreserveMeaning`. It is asynchronous:
 * `await expect(after).toPreserveMeaning({ of: before })`.
 */
export async function toPreserveMeaning(
  received: ExportedProgram,
  options: MeaningOptions,
): Promise<MatcherResult> {
  const difference = await meaningDifference(received, options);
  return {
    pass: difference === undefined,
    message: () =>
      difference === undefined
        ? "expected the programs to differ"
        : `the meaning is not preserved: ${difference}`,
  };
}

const defaults = (program: ExportedProgram): ToleranceOptions => toleranceOf(program) ?? {};
const given = ({ rtol, atol }: ToleranceOptions): ToleranceOptions =>
  rtol === undefined && atol === undefined ? {} : { rtol, atol };

interface Outcome {
  readonly outputs: readonly Value[];
  /** The inputs as the run left them. */
  readonly inputs: readonly Value[];
}

async function outcome(
  executable: Executable,
  given: readonly Value[],
): Promise<Outcome | { readonly error: string }> {
  const inputs = given.map((value) => (value instanceof Tensor ? copyTensor(value) : value));
  try {
    // Copied: a later run may write to what an output is a view of.
    const outputs = (await executable.run(inputs)).map((value) =>
      value instanceof Tensor ? copyTensor(value) : value,
    );
    return { outputs, inputs };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

class Comparison {
  readonly #original: ExportedProgram;
  readonly #received: ExportedProgram;
  readonly #closeness: Closeness;

  constructor(original: ExportedProgram, received: ExportedProgram, closeness: Closeness) {
    this.#original = original;
    this.#received = received;
    this.#closeness = closeness;
  }

  outcomes(got: Outcome, want: Outcome): string | undefined {
    if (got.outputs.length !== want.outputs.length)
      return `${got.outputs.length} outputs, expected ${want.outputs.length}`;
    for (const [i, wanted] of want.outputs.entries()) {
      const difference = this.#value(got.outputs[i]!, wanted);
      if (difference !== undefined) return `output ${i} ${this.#names(i)}: ${difference}`;
    }
    for (const [i, wanted] of want.inputs.entries()) {
      const difference = this.#value(got.inputs[i]!, wanted);
      if (difference !== undefined) return `input ${i} after the run: ${difference}`;
    }
    return undefined;
  }

  /** Tensors by name that both hold, and that one of them has written to. */
  states(got: Executable, want: Executable): string | undefined {
    for (const [name, wanted] of want.state) {
      const tensor = got.state.get(name);
      if (tensor === undefined || tensor === wanted) continue;
      if (!isWritten(tensor, this.#received.tensor(name)) && !isWritten(wanted, this.#original.tensor(name)))
        continue;
      const difference = this.#value(tensor, wanted);
      if (difference !== undefined) return `"${name}" after the run: ${difference}`;
    }
    return undefined;
  }

  #value(got: Value, want: Value): string | undefined {
    if (got instanceof Tensor && want instanceof Tensor) return this.#tensors(got, want);
    if (typeof got === "number" && typeof want === "number") {
      const [a, b] = [got, want].map((value) => Tensor.from([value], [], "float64"));
      return this.#tensors(a!, b!) === undefined ? undefined : `${got}, expected ${want}`;
    }
    return Object.is(got, want) ? undefined : `${summary(got)}, expected ${summary(want)}`;
  }

  #tensors(got: Tensor, want: Tensor): string | undefined {
    return this.#closeness.precision === undefined
      ? tensorDifference(got, want, this.#closeness)
      : tensorsDifference(got, want, this.#closeness);
  }

  /** `(%relu, was %relu_1)`. */
  #names(i: number): string {
    const name = (program: ExportedProgram): string => {
      const value = program.userOutputs[i];
      return value !== undefined && "name" in value ? `%${value.name}` : "a constant";
    };
    const [got, want] = [name(this.#received), name(this.#original)];
    return got === want ? `(${got})` : `(${got}, in the original ${want})`;
  }
}

/**
 * Returns whether a run wrote the tensor: weights that a pass converted still equal the program's
 * own.
 */
const isWritten = (tensor: Tensor, initial: Tensor | undefined): boolean =>
  tensor !== initial &&
  (initial === undefined || tensorDifference(tensor, initial, { rtol: 0, atol: 0 }) !== undefined);

const summary = (value: Value): string =>
  value instanceof Tensor ? `${value.dtype}[${value.shape.join(", ")}]` : JSON.stringify(value, bigints);
const bigints = (_: string, value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);
