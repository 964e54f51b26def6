/** @file How far values of a quantized program are from those of the program. */
import type { ExportedProgram, ProgramRunner, Value } from "@sconce/ir";
import { copyTensor } from "@sconce/passes";
import { castTensor, isComplexDType, Tensor } from "@sconce/tensor";
import { type Distortion, DistortionMeter } from "../numbers/distortion.js";

/** Inputs of one run, flattened, in the order of the user inputs. */
export type Sample = readonly Value[];

/** Distances of outputs, and of the values of named nodes. */
export interface Measurement {
  /** The distance of each tensor of floats that the program returns, in order. */
  readonly outputs: readonly Distortion[];
  /** The distance of the values of each named node that gives one tensor of floats. */
  readonly nodes: ReadonlyMap<string, Distortion>;
}

/** What runs of the program before quantization gave: floats by node and output. */
export interface Reference {
  readonly runs: readonly {
    readonly outputs: readonly Floats[];
    readonly nodes: ReadonlyMap<string, Floats>;
  }[];
}

/** The elements of a tensor as float64; undefined for what is not a tensor of floats. */
type Floats = Float64Array | undefined;

/** Runs the program before quantization on each sample; keeps outputs and the named nodes. */
export function referenceOf(
  program: ExportedProgram,
  samples: readonly Sample[],
  run: ProgramRunner,
  names: ReadonlySet<string>,
): Reference {
  return { runs: samples.map((sample) => runOf(program, sample, run, names)) };
}

/** Runs a program on the samples of a reference, and compares. */
export function measure(
  { runs }: Reference,
  program: ExportedProgram,
  samples: readonly Sample[],
  run: ProgramRunner,
): Measurement {
  const outputs: DistortionMeter[] = [];
  const nodes = new Map<string, DistortionMeter>();
  runs.forEach((before, i) => {
    const after = runOf(program, samples[i]!, run, new Set(before.nodes.keys()));
    before.outputs.forEach((values, place) => {
      outputs[place] ??= new DistortionMeter();
      addPair(outputs[place]!, values, after.outputs[place]);
    });
    for (const [name, values] of before.nodes) {
      const meter = nodes.get(name) ?? new DistortionMeter();
      addPair(meter, values, after.nodes.get(name));
      nodes.set(name, meter);
    }
  });
  return {
    outputs: outputs.map(({ distortion }) => distortion),
    nodes: new Map([...nodes].map(([name, { distortion }]) => [name, distortion])),
  };
}

/** Returns the largest error of the outputs, relative to the largest magnitude of the output. */
export const relativeError = ({ outputs }: Pick<Measurement, "outputs">): number =>
  outputs.reduce((worst, { maxError, maxMagnitude }) => {
    const error = maxError === 0 ? 0 : maxError / maxMagnitude;
    return Number.isNaN(error) || Number.isNaN(worst) ? Number.NaN : Math.max(worst, error);
  }, 0);

/** Returns the ratio of signal to noise of all outputs: the least of theirs, in dB. */
export const leastRatio = ({ outputs }: Pick<Measurement, "outputs">): number =>
  outputs.reduce((least, { snr }) => Math.min(least, snr), Number.POSITIVE_INFINITY);

/**
 * Returns copies of the inputs: programs may write to theirs, and samples are run several times.
 */
export const ownInputs = (sample: Sample): Value[] =>
  sample.map((value) => (value instanceof Tensor ? copyTensor(value) : value));

function runOf(
  program: ExportedProgram,
  sample: Sample,
  run: ProgramRunner,
  names: ReadonlySet<string>,
): Reference["runs"][number] {
  const nodes = new Map<string, Floats>();
  const { outputs } = run(program, ownInputs(sample), (node, value) => {
    if (names.has(node.name)) nodes.set(node.name, floatsOf(value));
  });
  return { outputs: outputs.map(floatsOf), nodes };
}

function floatsOf(value: unknown): Floats {
  if (!(value instanceof Tensor) || value.dtype === "bool" || isComplexDType(value.dtype)) return undefined;
  if (!/float/.test(value.dtype)) return undefined;
  // A copy: later nodes may write to the value.
  const { data, storageOffset, numel } = castTensor(value, "float64").contiguous();
  return Float64Array.from((data as Float64Array).subarray(storageOffset, storageOffset + numel));
}

function addPair(meter: DistortionMeter, before: Floats, after: Floats): void {
  if (before !== undefined && after !== undefined && before.length === after.length) meter.add(before, after);
}
