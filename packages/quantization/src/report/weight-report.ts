/** @file What storing weights in fewer bits saves, and what it costs. */
import { checkOptions, type OptionNames } from "@sconce/errors";
import type { ExportedProgram, ProgramRunner } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { boundNotReached, noSamples } from "../errors.js";
import type { Distortion } from "../numbers/distortion.js";
import {
  type QuantizedWeight,
  type QuantizeWeightsOptions,
  quantizeWeights,
  type WeightQuantization,
} from "../weights/quantize-weights.js";
import {
  leastRatio,
  type Measurement,
  measure,
  type Reference,
  referenceOf,
  relativeError,
  type Sample,
} from "./measure.js";
import { stateBytes } from "./state-bytes.js";

/** A weight in a report. */
export interface ReportedWeight extends QuantizedWeight {
  /** The largest relative error of the program's outputs when this weight alone is quantized. */
  readonly damage: number;
  /**
   * The least ratio of signal to noise of the outputs, in dB, when this weight alone is quantized.
   */
  readonly aloneSnr: number;
  /** The values of each layer that reads it, in the quantized program. */
  readonly values: ReadonlyMap<string, Distortion>;
}

/** What a quantized program saves and costs. */
export interface WeightReport extends WeightQuantization {
  /** The quantized weights, those with the largest damage first. */
  readonly weights: readonly ReportedWeight[];
  /** Weights that stay in float because of `maxError`. */
  readonly floats: readonly string[];
  /** Bytes of the state and the constants before and after. */
  readonly bytes: { readonly before: number; readonly after: number };
  /** The outputs of the quantized program. */
  readonly outputs: readonly Distortion[];
  /** The largest error of an output, relative to its largest magnitude. */
  readonly error: number;
}

/** How weights are quantized and measured. */
export interface ReportWeightsOptions extends QuantizeWeightsOptions {
  /** Runs programs: `createRunner()` of the interpreter, or the session's. */
  readonly run: ProgramRunner;
  /** Inputs to run on: at least one. */
  readonly samples: readonly Sample[];
  /**
   * The largest error of an output, relative to its largest magnitude. Weights with the largest
   * damage get 8 bits, then stay in float, until it holds.
   */
  readonly maxError?: number | undefined;
  /** Takes the work done so far, in steps. */
  readonly onProgress?: ((done: number, total: number, step: string) => void) | undefined;
}

const OPTIONS: OptionNames<ReportWeightsOptions> = {
  bits: true,
  group: true,
  symmetric: true,
  scheme: true,
  dtype: true,
  eps: true,
  hessians: true,
  include: true,
  exclude: true,
  note: true,
  run: true,
  samples: true,
  maxError: true,
  onProgress: true,
};

/**
 * Quantizes weights and measures each: the weight, the values of the layers that read it, and the
 * outputs of the program when the weight alone is quantized.
 * @throws SconceError `NO_SAMPLES`; `QUANTIZATION_BOUND` when `maxError` does not hold without any
 * quantized weight; those of `quantizeWeights`
 */
export function reportWeights(
  program: ExportedProgram,
  operators: OperatorTable,
  options: ReportWeightsOptions,
): WeightReport {
  checkOptions("reportWeights", options, OPTIONS);
  if (options.samples.length === 0) throw noSamples();
  return new Reporter(program, operators, options).report();
}

type Alone = Pick<ReportedWeight, "damage" | "aloneSnr">;

class Reporter {
  readonly #program: ExportedProgram;
  readonly #operators: OperatorTable;
  readonly #options: ReportWeightsOptions;
  readonly #scheme: QuantizeWeightsOptions;
  readonly #reference: Reference;
  readonly #first: WeightQuantization;
  #done = 0;

  constructor(program: ExportedProgram, operators: OperatorTable, options: ReportWeightsOptions) {
    const { run, samples, maxError: _, onProgress: __, ...scheme } = options;
    this.#program = program;
    this.#operators = operators;
    this.#options = options;
    this.#scheme = scheme;
    this.#first = quantizeWeights(program, operators, scheme);
    const layers = new Set(this.#first.weights.flatMap((weight) => weight.layers));
    this.#reference = referenceOf(program, samples, run, layers);
    this.#step("the program");
  }

  report(): WeightReport {
    const alone = new Map(this.#first.weights.map(({ name }) => [name, this.#alone(name)]));
    const order = this.#first.weights
      .map(({ name }) => name)
      .sort((a, b) => worse(alone.get(a)!, alone.get(b)!));
    const { quantization, floats } = this.#bounded(order);
    const result = this.#measured(quantization.program);
    const weights = quantization.weights
      .map((weight) => {
        const values = weight.layers.flatMap((layer) => {
          const found = result.nodes.get(layer);
          return found === undefined ? [] : ([[layer, found]] as const);
        });
        return { ...weight, ...alone.get(weight.name)!, values: new Map(values) };
      })
      .sort(worse);
    return {
      program: quantization.program,
      weights,
      floats,
      bytes: { before: stateBytes(this.#program), after: stateBytes(quantization.program) },
      outputs: result.outputs,
      error: relativeError(result),
    };
  }

  /** Returns the error of the outputs when one weight alone is quantized, on the first sample. */
  #alone(name: string): Alone {
    const { program } = quantizeWeights(this.#program, this.#operators, {
      ...this.#scheme,
      include: [name],
      exclude: [],
      note: undefined,
    });
    const first = { runs: this.#reference.runs.slice(0, 1) };
    const result = measure(first, program, this.#options.samples, this.#options.run);
    this.#step(name);
    return { damage: relativeError(result), aloneSnr: leastRatio(result) };
  }

  /** Returns the program with the fewest weights in higher precision that the bound asks for. */
  #bounded(order: readonly string[]): { quantization: WeightQuantization; floats: readonly string[] } {
    const { maxError } = this.#options;
    const plain = { quantization: this.#first, floats: [] };
    if (maxError === undefined || this.#holds(this.#first, maxError)) return plain;
    const { bits = 8, dtype = "int" } = this.#scheme;
    const isWide = bits === 8 || dtype !== "int";
    if (!isWide) {
      const wider = (count: number) => this.#mixed(order.slice(0, count), []);
      if (this.#holds(wider(order.length), maxError))
        return { quantization: wider(this.#fewest(order.length, maxError, wider)), floats: [] };
    }
    const inFloat = (count: number) => this.#mixed(isWide ? [] : order.slice(count), order.slice(0, count));
    if (!this.#holds(inFloat(order.length), maxError)) throw boundNotReached(maxError);
    const count = this.#fewest(order.length, maxError, inFloat);
    return { quantization: inFloat(count), floats: order.slice(0, count) };
  }

  /** Returns the least count for which the bound holds; it holds for `most`. */
  #fewest(most: number, maxError: number, programOf: (count: number) => WeightQuantization): number {
    let [low, high] = [0, most];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#holds(programOf(middle), maxError)) high = middle;
      else low = middle + 1;
    }
    return high;
  }

  /** Returns the program with some weights in 8 bits, and some in float. */
  #mixed(wide: readonly string[], floats: readonly string[]): WeightQuantization {
    const { exclude = [] } = this.#scheme;
    const names = this.#first.weights.map(({ name }) => name);
    const rest = names.filter((name) => !wide.includes(name) && !floats.includes(name));
    let [program, weights]: [ExportedProgram, readonly QuantizedWeight[]] = [this.#program, []];
    for (const [include, scheme] of [
      [wide, { ...this.#scheme, bits: 8, group: "channel" }],
      [rest, this.#scheme],
    ] as const) {
      if (include.length === 0) continue;
      const next = quantizeWeights(program, this.#operators, {
        ...scheme,
        include,
        exclude,
        note: undefined,
      });
      program = next.program;
      weights = [...weights, ...next.weights];
    }
    return { program, weights };
  }

  #holds({ program }: WeightQuantization, maxError: number): boolean {
    return relativeError(this.#measured(program)) <= maxError;
  }

  #measured(program: ExportedProgram): Measurement {
    const result = measure(this.#reference, program, this.#options.samples, this.#options.run);
    this.#step("the quantized program");
    return result;
  }

  #step(name: string): void {
    this.#done++;
    const total = Math.max(this.#done, this.#first.weights.length + 2);
    this.#options.onProgress?.(this.#done, total, name);
  }
}

/** Compares by damage, the largest first. */
function worse(a: Alone, b: Alone): number {
  const rank = ({ damage }: Alone): number => (Number.isNaN(damage) ? Number.POSITIVE_INFINITY : damage);
  return rank(a) === rank(b) ? a.aloneSnr - b.aloneSnr || 0 : rank(b) - rank(a);
}
