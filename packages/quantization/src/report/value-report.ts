/** @file What codes on edges cost: the values of a quantized program beside those before. */
import type { ExportedProgram, ProgramRunner } from "@sconce/ir";
import { noSamples } from "../errors.js";
import type { Distortion } from "../numbers/distortion.js";
import { measure, referenceOf, relativeError, type Sample } from "./measure.js";
import { stateBytes } from "./state-bytes.js";

/** The distance of two programs on samples. */
export interface ValueReport {
  /** Bytes of the state and the constants before and after. */
  readonly bytes: { readonly before: number; readonly after: number };
  /** The outputs. */
  readonly outputs: readonly Distortion[];
  /** The largest error of an output, relative to its largest magnitude. */
  readonly error: number;
  /** The values of calls that both programs have, the lowest ratio of signal to noise first. */
  readonly layers: ReadonlyMap<string, Distortion>;
}

/**
 * Compares the values of a quantized program with those of the program before, call by call.
 * @throws SconceError `NO_SAMPLES`
 */
export function reportValues(
  before: ExportedProgram,
  after: ExportedProgram,
  samples: readonly Sample[],
  run: ProgramRunner,
): ValueReport {
  if (samples.length === 0) throw noSamples();
  const names = before.graph.calls().map(({ name }) => name);
  const common = new Set(names.filter((name) => after.graph.has(name)));
  const result = measure(referenceOf(before, samples, run, common), after, samples, run);
  const layers = [...result.nodes].sort(([, a], [, b]) => (a.snr === b.snr ? 0 : a.snr - b.snr));
  return {
    bytes: { before: stateBytes(before), after: stateBytes(after) },
    outputs: result.outputs,
    error: relativeError(result),
    layers: new Map(layers),
  };
}
