/** @file Variances and deviations. */

import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import {
  finishOutput,
  openOutput,
  readComplex,
  readNumbers,
  writeComplex,
  writeNumbers,
} from "../kernel/dense.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { type Moments, momentsOf, squaresOfAll } from "./moments.js";
import { type Dims, rowsInOrder } from "./reduction-axes.js";

interface Spread {
  readonly self: Tensor;
  readonly dims: Dims;
  readonly correction: number;
  readonly root: boolean;
}

/**
 * Returns what the squares are divided by: the variance of no elements is NaN, whatever the
 * correction.
 */
const divisorOf = (length: number, correction: number): number =>
  length === 0 ? Number.NaN : Math.max(0, length - correction);

/** Writes variance (or deviation) and, when asked for, mean of each row. */
function spread({ self, dims, correction, root }: Spread, out: Tensor, means?: Tensor): void {
  if (dtypeInfo(self.dtype).kind === "complex") {
    complexSpread({ self, dims, correction, root }, out, means);
    return;
  }
  const { tensor, count, length } = rowsInOrder(self, dims);
  const isFloat = self.dtype === "float32" || self.dtype === "float64";
  const ofAll = isFloat && count === 1 && means === undefined;
  const moments: Moments = ofAll
    ? { means: Float64Array.of(), squares: Float64Array.of(squaresOfAll(self)) }
    : momentsOf(readNumbers(tensor), count, length);
  const results = openOutput(out);
  const divisor = divisorOf(length, correction);
  for (let r = 0; r < count; r++) {
    const variance = moments.squares[r]! / divisor;
    results[r] = root ? Math.sqrt(variance) : variance;
  }
  finishOutput(out, results);
  if (means !== undefined) writeNumbers(means, moments.means);
}

/** The variance of complex numbers is the sum of those of their parts. */
function complexSpread({ self, dims, correction, root }: Spread, out: Tensor, means?: Tensor): void {
  const { tensor, count, length } = rowsInOrder(self, dims);
  const pairs = readComplex(tensor);
  const partOf = (part: number): Float64Array =>
    Float64Array.from({ length: pairs.length / 2 }, (_, i) => pairs[2 * i + part]!);
  const re = momentsOf(partOf(0), count, length);
  const im = momentsOf(partOf(1), count, length);
  const results = openOutput(out);
  const centers = scratch(Float64Array, 2 * count);
  for (let r = 0; r < count; r++) {
    centers[2 * r] = re.means[r]!;
    centers[2 * r + 1] = im.means[r]!;
    const variance = (re.squares[r]! + im.squares[r]!) / divisorOf(length, correction);
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
