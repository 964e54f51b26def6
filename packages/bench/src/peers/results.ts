/** @file What a comparison of runtimes measured, and texts of it. */
import { PEERS } from "./peer.js";

/** One runtime on one model, in milliseconds of one run. */
export interface Timing {
  /** The least mean CPU time of a burst. */
  readonly cpu: number;
  /** The median of the times of all bursts. */
  readonly wall: number;
  /** The CPU time as a multiple of that of the fastest WebAssembly runtime of another project. */
  readonly ratio?: number;
  /** The largest difference from PyTorch's output over its largest value. */
  readonly error?: number;
}

/** One model: times or the reasons for none, by the names of runtimes. */
export interface ModelResult {
  readonly model: string;
  readonly timings: Readonly<Record<string, Timing>>;
  readonly skipped: Readonly<Record<string, string>>;
  /**
   * The largest difference of Sconce's outputs from those of ONNX Runtime, over the largest value.
   */
  readonly fromOnnxRuntime?: number;
}

/** A whole comparison. */
export interface Results {
  readonly node: string;
  readonly threads: number;
  readonly models: readonly ModelResult[];
}

/** Differences of outputs above this say that a runtime computes something else. */
const MOST_DIFFERENCE = 1e-3;

/** Returns the largest difference over the largest value, or infinity for NaN and other lengths. */
export function relativeDifference(actual: Float32Array, expected: Float32Array): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let [difference, size] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    const one = Math.abs(actual[i]! - expected[i]!);
    if (Number.isNaN(one)) return Number.POSITIVE_INFINITY;
    difference = Math.max(difference, one);
    size = Math.max(size, Math.abs(expected[i]!));
  }
  return difference === 0 ? 0 : difference / size;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
};

/** Adds the ratios to the fastest WebAssembly runtime of another project. */
export function withRatios(timings: Readonly<Record<string, Timing>>): Record<string, Timing> {
  const peers = Object.entries(timings).filter(([name]) => PEERS[name]!.group === "wasm");
  if (peers.length === 0) return { ...timings };
  const best = Math.min(...peers.map(([, { cpu }]) => cpu));
  return Object.fromEntries(
    Object.entries(timings).map(([name, timing]) => [name, { ...timing, ratio: timing.cpu / best }]),
  );
}

/** Returns whether a model's outputs are as ONNX Runtime and PyTorch compute them. */
export const isExact = ({ timings, fromOnnxRuntime = 0 }: ModelResult): boolean =>
  fromOnnxRuntime <= MOST_DIFFERENCE &&
  Object.values(timings).every(({ error = 0 }) => error <= MOST_DIFFERENCE);

/** Returns a Markdown table of CPU times, and the ratio of Sconce's fastest backend. */
function resultTable({ models }: Results): string {
  const names = Object.keys(PEERS).filter((name) => models.some(({ timings }) => name in timings));
  const rows = models.map(({ model, timings }) => [
    model,
    ...names.map((name) => timeText(timings[name]?.cpu)),
    ratioText(timings),
  ]);
  const header = ["model", ...names, "Sconce / best"];
  const line = (row: readonly string[]): string => `| ${row.join(" | ")} |`;
  return [line(header), line(header.map((_, i) => (i === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n");
}

/** Returns the table, a line for each runtime that has no times, and outputs that differ. */
export function resultText(results: Results): string {
  const reasons = new Map<string, string[]>();
  for (const { model, skipped } of results.models)
    for (const [name, reason] of Object.entries(skipped))
      reasons.set(`${name}: ${reason}`, [...(reasons.get(`${name}: ${reason}`) ?? []), model]);
  const left = [...reasons].map(([reason, models]) => `not measured: ${reason} (${models.join(", ")})`);
  const wrong = results.models.filter((one) => !isExact(one)).map(({ model }) => `outputs differ: ${model}`);
  const head = `Node ${results.node}, ${threadsText(results.threads)}, milliseconds of CPU time`;
  return [head, "", resultTable(results), "", ...left, ...wrong].join("\n").trimEnd();
}

export const threadsText = (threads: number): string => (threads === 1 ? "one thread" : `${threads} threads`);

/** Returns the times of the fastest backend of Sconce. */
function bestOfSconce(timings: Readonly<Record<string, Timing>>): Timing | undefined {
  const own = Object.entries(timings).filter(([name]) => PEERS[name]!.group === "sconce");
  return own.map(([, timing]) => timing).sort((a, b) => a.cpu - b.cpu)[0];
}

function ratioText(timings: Readonly<Record<string, Timing>>): string {
  const ratio = bestOfSconce(timings)?.ratio;
  return ratio === undefined ? "" : ratio.toFixed(2);
}

/** Three digits. */
export function timeText(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return "";
  const digits = milliseconds >= 100 ? 0 : milliseconds >= 10 ? 1 : milliseconds >= 1 ? 2 : 3;
  return milliseconds.toFixed(digits);
}
