/** @file Variances and deviations. */

import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { finishOutput, openOutput, readComplex, readNumbers, writeComplex } from "../kernel/dense.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { rowsOf } from "./reduction-rows.js";
import { sumOf } from "./reduction-sum.js";

export type Dims = readonly number[] | number | null;

/** Sum of squared distances from the mean: two passes, so that a large mean cancels nothing. */
function squaredDistances(data: ArrayLike<number>, start: number, length: number, mean: number): number {
  let sum = 0;
  let drift = 0;
  for (let i = start; i < start + length; i++) {
    const distance = data[i]! - mean;
    sum += distance * distance;
    drift += distance;
  }
  // A sum that overflows is infinite, whatever the distances drift by.
  return length > 0 && sum < Infinity ? sum - (drift * drift) / length : sum;
}

/**
 * The mean as PyTorch moves it from element to element: an infinity gives NaN with the next one, so
 * that only the last of a row gives an infinite mean. Sums that overflow give finite means.
 */
function meanOf(data: ArrayLike<number>, start: number, length: number): number {
  const mean = sumOf(data, start, length) / length;
  if (Number.isFinite(mean)) return mean;
  let running = 0;
  for (let i = 0; i < length; i++) running += (data[start + i]! - running) / (i + 1);
  return length === 0 ? mean : running;
}

interface Spread {
  readonly self: Tensor;
  readonly dims: Dims;
  readonly correction: number;
  readonly root: boolean;
}

/** What the squares are divided by: the variance of no elements is NaN, whatever the correction. */
const divisorOf = (length: number, correction: number): number =>
  length === 0 ? Number.NaN : Math.max(0, length - correction);

/** Writes variance (or deviation) and, when asked for, mean of each row. */
function spread({ self, dims, correction, root }: Spread, out: Tensor, means?: Tensor): void {
  if (dtypeInfo(self.dtype).kind === "complex") {
    complexSpread({ self, dims, correction, root }, out, means);
    return;
  }
  const { tensor, count, length } = rowsOf(self, dims);
  const data = readNumbers(tensor);
  const results = openOutput(out);
  const centers = means === undefined ? undefined : openOutput(means);
  const divisor = divisorOf(length, correction);
  for (let r = 0; r < count; r++) {
    const mean = meanOf(data, r * length, length);
    const variance = squaredDistances(data, r * length, length, mean) / divisor;
    results[r] = root ? Math.sqrt(variance) : variance;
    if (centers !== undefined) centers[r] = mean;
  }
  finishOutput(out, results);
  if (means !== undefined) finishOutput(means, centers!);
}

/** The variance of complex numbers is the sum of those of their parts. */
function complexSpread({ self, dims, correction, root }: Spread, out: Tensor, means?: Tensor): void {
  const { tensor, count, length } = rowsOf(self, dims);
  const pairs = readComplex(tensor);
  const parts = [0, 1].map((part) =>
    Float64Array.from({ length: pairs.length / 2 }, (_, i) => pairs[2 * i + part]!),
  );
  const results = openOutput(out);
  const centers = scratch(Float64Array, 2 * count);
  for (let r = 0; r < count; r++) {
    let sum = 0;
    parts.forEach((data, part) => {
      const mean = meanOf(data, r * length, length);
      centers[2 * r + part] = mean;
      sum += squaredDistances(data, r * length, length, mean);
    });
    const variance = sum / divisorOf(length, correction);
    results[r] = root ? Math.sqrt(variance) : variance;
  }
  finishOutput(out, results);
  if (means !== undefined) writeComplex(means, centers);
}

interface SpreadArgs {
  readonly self: Tensor;
  readonly dim?: Dims;
  readonly unbiased?: boolean;
  readonly correction?: ScalarLiteral | null;
}

const correctionOf = ({ correction, unbiased = true }: SpreadArgs): number =>
  correction === null || correction === undefined ? (unbiased ? 1 : 0) : toNumber(correction);

const spreadKernel =
  (root: boolean): Kernel<SpreadArgs> =>
  (args, context) => {
    const out = emptyOutput(context);
    spread({ self: args.self, dims: args.dim ?? null, correction: correctionOf(args), root }, out);
    return out;
  };

const spreadAndMean =
  (root: boolean): Kernel<SpreadArgs, readonly [Tensor, Tensor]> =>
  (args, context) => {
    const [out, means] = emptyOutputs(context);
    spread({ self: args.self, dims: args.dim ?? null, correction: correctionOf(args), root }, out, means);
    return [out, means];
  };

const variance = spreadKernel(false);
const deviation = spreadKernel(true);
const varianceAndMean = spreadAndMean(false);
const deviationAndMean = spreadAndMean(true);

export const varianceKernels = defineKernels([
  kernel(
    [
      "aten::var(Tensor self, bool unbiased=True) -> Tensor",
      "aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
      "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    ],
    variance,
  ),
  kernel(
    [
      "aten::std(Tensor self, bool unbiased=True) -> Tensor",
      "aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
      "aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    ],
    deviation,
  ),
  kernel(
    [
      "aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
      "aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
      "aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    ],
    varianceAndMean,
  ),
  kernel(
    [
      "aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
      "aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
      "aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    ],
    deviationAndMean,
  ),
]);
