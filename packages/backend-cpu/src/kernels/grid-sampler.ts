/** @file Sampling at given places, in two and three dimensions. */

import { type DType, numel, patternEncoder, type Tensor, valueTable } from "@sconce/tensor";
import { finishOutput, type NumberArray, readNumbers } from "../kernel/dense.js";
import { isHalf } from "../kernel/half.js";
import { defineKernels, emptyOutput, type KernelContext, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { roundHalfEven } from "./pointwise-math.js";
import { cubicSlopes, cubicWeights } from "./upsample-taps.js";

export interface SampleArgs {
  readonly input: Tensor;
  readonly grid: Tensor;
  /** 0 linear, 1 nearest, 2 cubic. */
  readonly interpolation_mode: number;
  /** 0 zeros, 1 border, 2 reflection. */
  readonly padding_mode: number;
  readonly align_corners: boolean;
  /** Whether its gradients are computed. */
  readonly isGradient?: boolean;
}

/**
 * What one place reads along one dimension: positions (-1 for a zero outside), weights, and their
 * slopes by the grid value.
 */
export interface Taps {
  readonly count: number;
  readonly position: Int32Array;
  readonly weight: Float64Array;
  readonly slope: Float64Array;
}

const newTaps = (mode: number): Taps => {
  const count = mode === 0 ? 2 : mode === 1 ? 1 : 4;
  return {
    count,
    position: scratch(Int32Array, count),
    weight: scratch(Float64Array, count),
    slope: scratch(Float64Array, count),
  };
};

/**
 * Returns a coordinate folded back at both ends, and the sign of its slope. PyTorch folds images in
 * vectors of the dtype, and volumes one number after the other, with an int32 count of folds.
 */
function reflect(
  x: number,
  [low, span]: readonly [number, number],
  isImage: boolean,
  round: Round,
): readonly [number, number] {
  if (span === 0) return [0, 0];
  const distance = round(Math.abs(round(x - low)));
  const sign = x < low ? -1 : 1;
  if (isImage) {
    const period = 2 * span;
    const rest = round(distance - round(Math.trunc(round(distance / period)) * period));
    const back = round(period - rest);
    return rest <= back ? [round(rest + low), sign] : [round(back + low), -sign];
  }
  const rest = distance % span;
  const folds = Math.floor(round(distance / span));
  const even = !(folds < 2 ** 31) || folds % 2 === 0;
  return even ? [round(rest + low), sign] : [round(round(span - rest) + low), -sign];
}

/** NaN is the first place of images and the last one of volumes. */
function clip(x: number, size: number, isImage: boolean): readonly [number, number] {
  if (x <= 0 || (isImage && Number.isNaN(x))) return [0, 0];
  return x < size - 1 ? [x, 1] : [size - 1, 0];
}

const OUTSIDE: readonly [number, number] = [-100, 0];

/** Returns the coordinate of a place by the padding mode, and its slope. */
function padded(
  x: number,
  size: number,
  { input, padding_mode: padding, align_corners: align, isGradient }: SampleArgs,
  round: Round,
): readonly [number, number] {
  const isImage = input.ndim === 4;
  // Gradients of volumes leave NaN as it is, which no place is.
  const isLost = (place: number): boolean => isGradient === true && !isImage && Number.isNaN(place);
  if (padding === 0) return [isImage ? x : asInt32(x, input.dtype), 1];
  if (padding === 1) return isLost(x) ? OUTSIDE : clip(x, size, isImage);
  const [folded, sign] = reflect(x, align ? [0, size - 1] : [-0.5, size], isImage, round);
  if (isLost(folded)) return OUTSIDE;
  const [clipped, inside] = clip(folded, size, isImage);
  return [clipped, sign * inside];
}

/**
 * Returns a coordinate of a volume; one that no int32 holds is outside. PyTorch's test for NaN does
 * not see that of bfloat16.
 */
function asInt32(x: number, dtype: DType): number {
  if (dtype === "bfloat16" && Number.isNaN(x)) return x;
  return x >= -(2 ** 31) && x < 2 ** 31 ? x : -100;
}
/**
 * Returns a whole half as PyTorch's vectors convert it: low bits of an int32, 0 where none holds
 * it.
 */
const asInt16 = (x: number): number => (Math.abs(x) < 2 ** 31 ? (x << 16) >> 16 : 0);

/** Rounds as arithmetic in the dtype does. */
type Round = (x: number) => number;

export function roundingOf(dtype: DType): Round {
  if (dtype === "float64") return (x) => x;
  const [encode, table] = [patternEncoder(dtype), valueTable(dtype)];
  return encode && table ? (x) => table[encode(x)]! : Math.fround;
}

/** From `-1..1` to a place among `size` elements. */
function unscaled(
  value: number,
  size: number,
  { input, align_corners: align }: SampleArgs,
  round: Round,
): number {
  const shifted = round(value + 1);
  if (input.ndim === 4) {
    const scaled = round(shifted * round((align ? size - 1 : size) / 2));
    return align ? scaled : round(scaled - 0.5);
  }
  return align ? round(round(shifted / 2) * (size - 1)) : round(round(round(shifted * size) - 1) / 2);
}

function fillTaps(taps: Taps, value: number, size: number, args: SampleArgs, round: Round): void {
  const { interpolation_mode: mode, align_corners: align } = args;
  const scale = align ? (size - 1) / 2 : size / 2;
  const raw = unscaled(value, size, args, round);
  const isImage = args.input.ndim === 4;
  const isHalfImage = isImage && isHalf(args.input.dtype);
  const inside = (x: number): number => {
    // NaN is left by `asInt32` only, and converted to 0.
    const p = isHalfImage ? asInt16(x) : isImage ? x : x || 0;
    return p >= 0 && p < size ? p : -1;
  };
  if (mode === 2) {
    const first = Math.floor(raw);
    const t = round(raw - first);
    const [weights, slopes] = [cubicWeights(t, round), cubicSlopes(t)];
    for (let k = 0; k < 4; k++) {
      taps.position[k] = inside(Math.floor(padded(first - 1 + k, size, args, round)[0]));
      taps.weight[k] = weights[k]!;
      taps.slope[k] = slopes[k]! * scale;
    }
    return;
  }
  const [x, slope] = padded(raw, size, args, round);
  if (mode === 1) {
    taps.position[0] = inside(roundHalfEven(x));
    taps.weight[0] = 1;
    return;
  }
  const first = Math.floor(x);
  for (let t = 0; t < 2; t++) {
    taps.position[t] = inside(first + t);
    taps.weight[t] = round(t === 1 ? x - first : isImage ? 1 - round(x - first) : first + 1 - x);
    taps.slope[t] = (t === 0 ? -1 : 1) * slope * scale;
  }
}

/**
 * Visits the corners of one place: position in the plane, product of weights, and the slope of it
 * by each dimension.
 */
export function eachCorner(
  taps: readonly Taps[],
  sizes: readonly number[],
  visit: (position: number, weight: number, slopes: readonly number[]) => void,
): void {
  const rank = taps.length;
  const slopes = new Array<number>(rank).fill(0);
  const total = taps[0]!.count ** rank;
  for (let corner = 0; corner < total; corner++) {
    let [position, weight, rest] = [0, 1, corner];
    slopes.fill(1);
    for (let d = 0; d < rank && position >= 0; d++) {
      const { count, position: positions, weight: weights, slope } = taps[d]!;
      const t = rest % count;
      rest = Math.floor(rest / count);
      position = positions[t]! < 0 ? -1 : position * sizes[d]! + positions[t]!;
      weight *= weights[t]!;
      for (let e = 0; e < rank; e++) slopes[e]! *= e === d ? slope[t]! : weights[t]!;
    }
    if (position >= 0) visit(position, weight, slopes);
  }
}

export interface Places {
  readonly sizes: readonly number[];
  readonly channels: number;
  readonly plane: number;
  readonly points: number;
}

/**
 * Returns whether weights of an image are NaN: of a coordinate that is not finite and not clipped.
 */
const isNaNPlace = (taps: readonly Taps[]): boolean =>
  taps.length === 2 && taps.some(({ weight }) => Number.isNaN(weight[0]!));

/**
 * Calls `visit` for each batch and place, with its taps (slowest dimension first). A place whose
 * weights are NaN is for `visitNaN`.
 */
export function eachPlace(
  args: SampleArgs,
  visit: (batch: number, point: number, taps: readonly Taps[], places: Places) => void,
  visitNaN: typeof visit = visit,
): void {
  const sizes = args.input.shape.slice(2);
  const rank = sizes.length;
  const grid: NumberArray = readNumbers(args.grid);
  const points = numel(args.grid.shape.slice(1, -1));
  const places = { sizes, channels: args.input.shape[1]!, plane: numel(sizes), points };
  const round = roundingOf(args.input.dtype);
  const taps = sizes.map(() => newTaps(args.interpolation_mode));
  for (let n = 0; n < args.input.shape[0]!; n++) {
    for (let point = 0; point < points; point++) {
      const at = (n * points + point) * rank;
      // The grid names the fastest dimension first.
      for (let d = 0; d < rank; d++) fillTaps(taps[d]!, grid[at + rank - 1 - d]!, sizes[d]!, args, round);
      (isNaNPlace(taps) ? visitNaN : visit)(n, point, taps, places);
    }
  }
}

/**
 * Cubic sampling of halves: rows, then the column, in the dtype's own arithmetic, as PyTorch does;
 * the differences to exact sums are visible.
 */
function sampleCubicHalf(args: SampleArgs, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const x = readNumbers(args.input);
  const round = roundingOf(args.input.dtype);
  const values = scratch(Float64Array, out.numel);
  eachPlace(
    args,
    (n, point, [rows, columns], { sizes, channels, plane, points }) => {
      const weighted = ({ position, weight }: Taps, valueAt: (p: number) => number): number => {
        let sum = 0;
        for (let t = 0; t < 4; t++) {
          const term = position[t]! < 0 ? 0 : round(valueAt(position[t]!) * weight[t]!);
          sum = t === 0 ? term : round(sum + term);
        }
        return sum;
      };
      for (let c = 0; c < channels; c++) {
        const start = (n * channels + c) * plane;
        values[(n * channels + c) * points + point] = weighted(rows!, (row) =>
          weighted(columns!, (column) => x[start + row * sizes[1]! + column]!),
        );
      }
    },
    nanInto(values),
  );
  return finishOutput(out, values);
}

/**
 * Linear sampling of halves in three dimensions: one corner after the other, in the dtype's own
 * arithmetic.
 */
function sampleVolumeHalf(args: SampleArgs, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const x = readNumbers(args.input);
  const round = roundingOf(args.input.dtype);
  const values = scratch(Float64Array, out.numel);
  eachPlace(
    args,
    (n, point, taps, { sizes, channels, plane, points }) => {
      const [slow, middle, fast] = taps as [Taps, Taps, Taps];
      for (let corner = 0; corner < 8; corner++) {
        const [i, j, k] = [corner >> 2, (corner >> 1) & 1, corner & 1];
        const [z, y, p] = [slow.position[i]!, middle.position[j]!, fast.position[k]!];
        if (z < 0 || y < 0 || p < 0) continue;
        const weight = round(round(fast.weight[k]! * middle.weight[j]!) * slow.weight[i]!);
        const position = (z * sizes[1]! + y) * sizes[2]! + p;
        for (let c = 0; c < channels; c++) {
          const at = (n * channels + c) * points + point;
          values[at] = round(values[at]! + round(x[(n * channels + c) * plane + position]! * weight));
        }
      }
    },
    nanInto(values),
  );
  return finishOutput(out, values);
}

/**
 * Linear sampling of halves in two dimensions: the four corners are added in the dtype's own
 * arithmetic.
 */
function samplePlaneHalf(args: SampleArgs, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const x = readNumbers(args.input);
  const round = roundingOf(args.input.dtype);
  const values = scratch(Float64Array, out.numel);
  eachPlace(
    args,
    (n, point, [rows, columns], { sizes, channels, plane, points }) => {
      for (let corner = 0; corner < 4; corner++) {
        const [i, j] = [corner >> 1, corner & 1];
        const [row, column] = [rows!.position[i]!, columns!.position[j]!];
        if (row < 0 || column < 0) continue;
        const weight = round(columns!.weight[j]! * rows!.weight[i]!);
        for (let c = 0; c < channels; c++) {
          const start = (n * channels + c) * plane;
          const term = round(x[start + row * sizes[1]! + column]! * weight);
          const at = (n * channels + c) * points + point;
          values[at] = round(values[at]! + term);
        }
      }
    },
    nanInto(values),
  );
  return finishOutput(out, values);
}

/** Zeros outside, too, times NaN are NaN. */
const nanInto =
  (values: Float64Array): Parameters<typeof eachPlace>[1] =>
  (n, point, _, { channels, points }) => {
    for (let c = 0; c < channels; c++) values[(n * channels + c) * points + point] = Number.NaN;
  };

function sample(args: SampleArgs, context: KernelContext): Tensor {
  if (patternEncoder(args.input.dtype) !== undefined) {
    if (args.interpolation_mode === 0 && args.input.ndim === 4) return samplePlaneHalf(args, context);
    if (args.interpolation_mode === 2) return sampleCubicHalf(args, context);
    if (args.interpolation_mode === 0 && args.input.ndim === 5) return sampleVolumeHalf(args, context);
  }
  const out = emptyOutput(context);
  const x = readNumbers(args.input);
  const values = scratch(Float64Array, out.numel);
  // What is the sum of its terms alone keeps the sign of a zero; volumes add to a zero.
  const isSum = args.interpolation_mode === 1 || (args.interpolation_mode === 0 && args.input.ndim === 4);
  if (isSum) values.fill(-0);
  eachPlace(
    args,
    (n, point, taps, { sizes, channels, plane, points }) => {
      let inside = 0;
      eachCorner(taps, sizes, (position, weight) => {
        inside++;
        for (let c = 0; c < channels; c++) {
          values[(n * channels + c) * points + point]! += weight * x[(n * channels + c) * plane + position]!;
        }
      });
      if (inside < taps[0]!.count ** taps.length)
        for (let c = 0; c < channels; c++) values[(n * channels + c) * points + point]! += 0;
    },
    nanInto(values),
  );
  return finishOutput(out, values);
}

export const gridSamplerKernels = defineKernels([
  kernel(
    "aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
    sample,
  ),
  kernel(
    "aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
    sample,
  ),
]);
