/** @file Numbers of `sconce quantize`, as its texts, its page and its JSON show them. */
import type { Distortion, ReportedWeight, WeightReport } from "@sconce/quantization";

/** What a quantized program saves and costs. */
export interface CostReport extends Omit<WeightReport, "program"> {
  /** The values of calls in the quantized program. */
  readonly layers: readonly (readonly [name: string, Distortion])[];
}

/** Returns the row of a call in a table. */
export const layerFacts = ([name, { snr, maxError }]: CostReport["layers"][number]): string[] => [
  name,
  decibels(snr),
  maxError.toPrecision(3),
];

/** Returns a ratio of signal to noise as text. */
export const decibels = (ratio: number): string =>
  ratio === Number.POSITIVE_INFINITY ? "exact" : `${ratio.toFixed(1)} dB`;

/** Returns a share as text. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Returns the row of a weight in a table. */
export const weightFacts = (weight: ReportedWeight): string[] => [
  weight.name,
  String(weight.bits),
  String(weight.group),
  `${weight.bytesBefore} -> ${weight.bytesAfter}`,
  decibels(weight.distortion.snr),
  weight.distortion.maxError.toPrecision(3),
  weight.damage.toPrecision(3),
];

/** Returns a distance for JSON, which has no infinity: the ratio of equal values is null. */
export const distanceFacts = ({ snr, maxError, maxMagnitude }: Distortion) => ({
  snr: Number.isFinite(snr) ? snr : null,
  maxError,
  maxMagnitude,
});
