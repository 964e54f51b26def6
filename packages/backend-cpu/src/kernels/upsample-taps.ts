/** @file Where each output of resampling reads, and how much of it: weights of every mode. */

export type Mode = "nearest" | "nearest-exact" | "linear" | "cubic";

import { scratch } from "../kernel/scratch.js";
import { sinc } from "./pointwise-math.js";

/** Output `o` is the sum over `t` of `weight[o * width + t] * input[index[o * width + t]]`. */
export interface Taps {
  readonly inputs: number;
  readonly outputs: number;
  readonly width: number;
  readonly index: Int32Array;
  readonly weight: Float64Array;
  /** Whether taps of weight 0 are none; else they are read, and NaN and infinities give NaN. */
  readonly isPadded?: boolean;
}

export interface Resampling {
  readonly mode: Mode;
  readonly align: boolean;
  /** Rounds coordinates as PyTorch does: to float32 unless the data are float64. */
  readonly round: (x: number) => number;
  /** Rounds linear weights, where PyTorch keeps them in the dtype of the data. */
  readonly roundWeight?: ((x: number) => number) | undefined;
  /**
   * The kernel copies equal and doubled lengths element by element, whatever scale is given
   * (`nearest_idx`).
   */
  readonly copiesWhole?: boolean;
}

const WIDTHS: Readonly<Record<Mode, number>> = { nearest: 1, "nearest-exact": 1, linear: 2, cubic: 4 };

export function tapsOf(inputs: number, outputs: number, scale: number | null, how: Resampling): Taps {
  const width = WIDTHS[how.mode];
  const index = scratch(Int32Array, outputs * width);
  const weight = scratch(Float64Array, outputs * width);
  for (let o = 0; o < outputs; o++) {
    const [first, weights] = tap(o, inputs, outputs, scale, how);
    const last = how.mode === "linear" && inputs === outputs ? o : inputs - 1;
    for (let t = 0; t < width; t++) {
      index[o * width + t] = Math.min(Math.max(first + t, 0), last);
      weight[o * width + t] = weights[t]!;
    }
  }
  return { inputs, outputs, width, index, weight };
}

function tap(
  o: number,
  inputs: number,
  outputs: number,
  scale: number | null,
  { mode, align, round, roundWeight = (x) => x, copiesWhole = false }: Resampling,
): readonly [first: number, weights: readonly number[]] {
  if (mode === "nearest" || mode === "nearest-exact") {
    if (copiesWhole && inputs === outputs) return [o, [1]];
    if (copiesWhole && outputs === 2 * inputs) return [o >> 1, [1]];
    const ratio = Math.fround(scale !== null && scale > 0 ? 1 / scale : inputs / outputs);
    return [Math.floor(Math.fround((mode === "nearest" ? o : o + 0.5) * ratio)), [1]];
  }
  if (mode === "linear" && inputs === outputs) return [o, [1, 0]];
  const position = source(o, inputs, outputs, scale, mode, align, round);
  const first = Math.floor(position);
  const t = round(position - first);
  if (mode === "cubic") return [first - 1, cubicWeights(t)];
  const upper = roundWeight(t);
  return [first, [roundWeight(1 - upper), upper]];
}

function source(
  o: number,
  inputs: number,
  outputs: number,
  scale: number | null,
  mode: Mode,
  align: boolean,
  round: (x: number) => number,
): number {
  if (align) return outputs > 1 ? round(round((inputs - 1) / (outputs - 1)) * o) : 0;
  const ratio = round(scale !== null && scale > 0 ? 1 / scale : inputs / outputs);
  const position = round(round(ratio * (o + 0.5)) - 0.5);
  return mode === "linear" && position < 0 ? 0 : position;
}

/** Cubic convolution with a = -0.75. */
export function cubicWeights(t: number, round: (x: number) => number = (x) => x): readonly number[] {
  const a = -0.75;
  // Each operation is rounded separately. This changes results of halves only.
  const near = (x: number): number => round(round(round(round(round((a + 2) * x) - (a + 3)) * x) * x) + 1);
  const far = (x: number): number =>
    round(round(round(round(round(round(a * x) - 5 * a) * x) + 8 * a) * x) - 4 * a);
  const rest = round(1 - t);
  return [far(round(t + 1)), near(t), near(rest), far(round(rest + 1))];
}

/** Derivatives of {@link cubicWeights} by t. */
export function cubicSlopes(t: number): readonly number[] {
  const a = -0.75;
  const near = (x: number): number => (3 * (a + 2) * x - 2 * (a + 3)) * x;
  const far = (x: number): number => (3 * a * x - 10 * a) * x + 8 * a;
  return [far(t + 1), near(t), -near(1 - t), -far(2 - t)];
}

/** The kernels of antialiased resizing by their distance; the cubic one has a = -0.5. */
const FILTERS = {
  linear: (x: number): number => Math.max(1 - Math.abs(x), 0),
  cubic: (value: number): number => {
    const x = Math.abs(value);
    if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
    return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
  },
  lanczos: (x: number): number => (x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0),
} as const;

/** Filters that reach further when an image shrinks. */
export type WideMode = keyof typeof FILTERS;
/** Input elements that a filter covers when the size stays. */
const FILTER_WIDTHS: Readonly<Record<WideMode, number>> = { linear: 2, cubic: 4, lanczos: 6 };

/** Taps that reach as far as an output element covers the input, so that shrinking averages. */
export function wideTaps(
  inputs: number,
  outputs: number,
  scale: number | null,
  align: boolean,
  mode: WideMode,
): Taps {
  const ratio = align
    ? outputs > 1
      ? (inputs - 1) / (outputs - 1)
      : 0
    : scale !== null && scale > 0
      ? 1 / scale
      : inputs / outputs;
  const squeeze = ratio >= 1 ? 1 / ratio : 1;
  const support = FILTER_WIDTHS[mode] / 2 / squeeze;
  const width = Math.ceil(support) * 2 + 1;
  const index = scratch(Int32Array, outputs * width);
  const weight = scratch(Float64Array, outputs * width);
  for (let o = 0; o < outputs; o++) {
    const center = ratio * (o + 0.5);
    const first = Math.max(Math.trunc(center - support + 0.5), 0);
    const count = Math.min(Math.min(Math.trunc(center + support + 0.5), inputs) - first, width);
    let total = 0;
    for (let t = 0; t < count; t++) total += FILTERS[mode]((t + first - center + 0.5) * squeeze);
    for (let t = 0; t < count; t++) {
      index[o * width + t] = first + t;
      const share = FILTERS[mode]((t + first - center + 0.5) * squeeze);
      weight[o * width + t] = total === 0 ? share : share / total;
    }
  }
  return { inputs, outputs, width, index, weight, isPadded: true };
}

/** Taps whose weights are integers, `2 ** precision` for 1. */
export interface ByteTaps extends Taps {
  readonly precision: number;
}

/**
 * Weights of images of bytes: 16-bit integers of the greatest precision that fits, as in Pillow and
 * `compute_index_ranges_int16_weights` of PyTorch's UpSampleKernel.cpp. Weights for the same place
 * at a border are one.
 */
export function byteTaps(taps: Taps): ByteTaps {
  const weight = taps.weight.slice();
  for (let i = 1; i < weight.length; i++) {
    if (i % taps.width === 0 || taps.index[i] !== taps.index[i - 1] || weight[i] === 0) continue;
    weight[i]! += weight[i - 1]!;
    weight[i - 1] = 0;
  }
  const most = weight.reduce((max, x) => Math.max(max, x), 0);
  let precision = 0;
  while (precision < 22 && Math.trunc(0.5 + most * 2 ** (precision + 1)) < 2 ** 15) precision++;
  const scaled = weight.map((x) => Math.trunc((x < 0 ? -0.5 : 0.5) + x * 2 ** precision));
  return { ...taps, weight: scaled, precision };
}
