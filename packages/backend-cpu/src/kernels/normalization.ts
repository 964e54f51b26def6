/** @file Layer and group normalization. Statistics are in float64, by two passes. */

import type { FakeTensor } from "@sconce/ir";
import { numel, type Tensor, Tensor as TensorClass } from "@sconce/tensor";
import { finishOutput, type NumberArray, openOutput, readNumbers } from "../kernel/dense.js";
import { isHalf } from "../kernel/half.js";
import { defineKernels, emptyOutputs, type KernelContext, kernel } from "../kernel/kernel.js";
import { overflowOf, runningMean } from "../kernel/overflow.js";
import { scratch } from "../kernel/scratch.js";
import { mapTuple, type TupleOf } from "../kernel/tuple.js";
import { movingMoments } from "./moving-moments.js";
import { identity } from "./pointwise-math.js";

/**
 * Returns the outputs as the shape rule says, but with saved statistics (the second and third) of
 * the dtype that PyTorch's kernels give them: float32 beside mixed parameters, where its own fakes
 * have the dtype of the input.
 */
export function openOutputs<const M extends readonly FakeTensor[]>(
  context: KernelContext<M>,
  input: Tensor,
  parameters: readonly (Tensor | null | undefined)[],
): TupleOf<M, Tensor> {
  const outputs = emptyOutputs(context);
  const first = parameters.find((one) => one !== null && one !== undefined);
  const dtype = first === undefined || first.dtype === input.dtype ? input.dtype : "float32";
  return mapTuple(outputs, (out, i) =>
    (i === 1 || i === 2) && out.dtype !== dtype ? TensorClass.empty(out.shape, dtype) : out,
  );
}

/** How sums of a dtype overflow, and how many of them PyTorch's kernels take side by side. */
interface Sums {
  readonly overflow: (sum: number) => number;
  /** Rounds to the dtype computed in. */
  readonly round: (value: number) => number;
  readonly lanes: number;
  /** The number of elements that they read at once: those of halves make two vectors of float32. */
  readonly block: number;
}
function sumsOf({ dtype }: Tensor): Sums {
  const lanes = dtype === "float64" ? 4 : 8;
  const round = dtype === "float64" ? identity : Math.fround;
  return { overflow: overflowOf(dtype), round, lanes, block: isHalf(dtype) ? 2 * lanes : lanes };
}

function meanOf(x: NumberArray, start: number, size: number, step = 1): number {
  let sum = 0;
  for (let p = start; p < start + size; p += step) sum += x[p]!;
  const count = Math.ceil(size / step);
  if (Number.isFinite(sum)) return sum / count;
  // A sum may overflow where the mean does not.
  let mean = 0;
  for (let p = start, n = 1; n <= count; p += step, n++) mean += (x[p]! - mean) / n;
  return mean;
}

/**
 * Mean and biased variance of `size` elements from `start`. PyTorch's kernels begin with no element
 * at a mean of 0: there the square of the first mean is multiplied by 0, which gives NaN where it
 * overflows. That is the mean of all where these are too few for a block, and else that of the
 * first lane, unless elements are left over.
 */
function moments(
  x: NumberArray,
  start: number,
  size: number,
  { overflow, round, lanes, block }: Sums,
): readonly [mean: number, variance: number] {
  const mean = runningMean(meanOf(x, start, size));
  let square = 0;
  for (let p = start; p < start + size; p++) square += (x[p]! - mean) ** 2;
  if (!Number.isFinite(overflow(square)) && hasFarElements(x, start, size, overflow))
    return movingMoments(x.slice(start, start + size), { round, lanes, block });
  const isLarge = overflow(square + size * mean * mean * lanes) === Infinity;
  if (isLarge && (size < block || size % block === 0)) {
    const first = size < block ? mean : meanOf(x, start, size, lanes);
    if (overflow(first * first) === Infinity) return [mean, Number.NaN];
  }
  return [mean, overflow(square) / size];
}

/**
 * Returns whether the difference of two elements overflows: PyTorch's mean of them is not a number.
 */
function hasFarElements(x: NumberArray, start: number, size: number, overflow: Sums["overflow"]): boolean {
  let [least, most] = [Infinity, -Infinity];
  for (let p = start; p < start + size; p++) {
    if (!Number.isFinite(x[p])) return false;
    least = Math.min(least, x[p]!);
    most = Math.max(most, x[p]!);
  }
  return overflow(most - least) === Infinity;
}

/** Returns one over a standard deviation; of halves each step rounds as PyTorch's do. */
function scaleOf({ dtype }: Tensor, eps: number): (variance: number) => number {
  const step = isHalf(dtype) ? Math.fround : identity;
  const least = step(eps);
  return (variance) => step(1 / step(Math.sqrt(step(step(variance) + least))));
}

interface HalfRow {
  readonly mean: number;
  readonly scale: number;
  readonly w: NumberArray;
  readonly b: NumberArray;
}
/**
 * PyTorch rounds the product of the mean and the scale of halves, and not that of an element. Equal
 * elements so become what was rounded.
 */
function halfRow(x: NumberArray, y: NumberArray, start: number, { mean, scale, w, b }: HalfRow): void {
  const shift = Math.fround(-Math.fround(mean) * scale);
  for (const [i, weight] of w.entries()) {
    const unit = Math.fround(x[start + i]! * scale + shift);
    y[start + i] = unit * weight + b[i]!;
  }
}

const layerNorm = kernel(
  "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
  ({ input, normalized_shape: shape, weight, bias, eps }, context) => {
    const [out, mean, rstd] = openOutputs(context, input, [weight, bias]);
    const size = numel(shape);
    const rows = size === 0 ? 0 : numel(input.shape) / size;
    const x = readNumbers(input);
    const w = weight === null ? scratch(Float64Array, size).fill(1) : readNumbers(weight);
    const b = bias === null ? scratch(Float64Array, size) : readNumbers(bias);
    const [y, means, rstds] = [openOutput(out), openOutput(mean), openOutput(rstd)];
    const sums = sumsOf(input);
    const toScale = scaleOf(input, eps);
    for (let row = 0; row < rows; row++) {
      const start = row * size;
      const [mu, variance] = moments(x, start, size, sums);
      const scale = toScale(variance);
      means[row] = mu;
      rstds[row] = scale;
      if (isHalf(input.dtype)) halfRow(x, y, start, { mean: mu, scale, w, b });
      else for (let i = 0; i < size; i++) y[start + i] = (x[start + i]! - mu) * scale * w[i]! + b[i]!;
    }
    return [finishOutput(out, y), finishOutput(mean, means), finishOutput(rstd, rstds)];
  },
);

const groupNorm = kernel(
  "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
  ({ input, weight, bias, N, C, HxW, group, eps }, context) => {
    const [out, mean, rstd] = openOutputs(context, input, [weight, bias]);
    const x = readNumbers(input);
    const [w, b] = [weight && readNumbers(weight), bias && readNumbers(bias)];
    const [y, means, rstds] = [openOutput(out), openOutput(mean), openOutput(rstd)];
    const sums = sumsOf(input);
    const channels = C / group;
    const step = isHalf(input.dtype) ? Math.fround : identity;
    for (let g = 0; g < N * group; g++) {
      const start = g * channels * HxW;
      const [mu, variance] = moments(x, start, channels * HxW, sums);
      // PyTorch takes this root in float64.
      const scale = step(1 / Math.sqrt(variance + eps));
      means[g] = mu;
      rstds[g] = scale;
      if (w === null && b === null) {
        // The sign of a zero is that of the distance from the mean.
        for (let p = start; p < start + channels * HxW; p++) y[p] = (x[p]! - mu) * scale;
        continue;
      }
      for (let c = 0; c < channels; c++) {
        const channel = (g % group) * channels + c;
        const factor = step(scale * (w ? w[channel]! : 1));
        const shift = step((b ? b[channel]! : 0) - step(mu) * factor);
        scaleRun(x, y, start + c * HxW, HxW, factor, shift);
      }
    }
    return [finishOutput(out, y), finishOutput(mean, means), finishOutput(rstd, rstds)];
  },
);

export function scaleRun(
  x: NumberArray,
  y: NumberArray,
  start: number,
  count: number,
  factor: number,
  shift: number,
): void {
  for (let p = start; p < start + count; p++) y[p] = x[p]! * factor + shift;
}

export function fill(target: NumberArray, values: Float64Array): NumberArray {
  target.set(values);
  return target;
}

export const normalizationKernels = defineKernels([layerNorm, groupNorm]);
