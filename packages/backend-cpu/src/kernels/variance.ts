/** @file Variances, deviations and norms. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { castTensor, type DType, dtypeInfo, type Tensor } from "@sconce/tensor";
import { finishOutput, openOutput, readComplex, readNumbers, writeComplex } from "../kernel/dense.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { broadcastShape } from "./index-elements.js";
import { rowsOf } from "./reduction-rows.js";
import { sumOf } from "./reduction-sum.js";

type Dims = readonly number[] | number | null;

/** Sum of squared distances from the mean: two passes, so that a large mean cancels nothing. */
function squaredDistances(data: ArrayLike<number>, start: number, length: number, mean: number): number {
  let sum = 0;
  let drift = 0;
  for (let i = start; i < start + length; i++) {
    const distance = data[i]! - mean;
    sum += distance * distance;
    drift += distance;
  }
  return length > 0 ? sum - (drift * drift) / length : sum;
}

interface Spread {
  readonly self: Tensor;
  readonly dims: Dims;
  readonly correction: number;
  readonly root: boolean;
}

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
  const divisor = Math.max(0, length - correction);
  for (let r = 0; r < count; r++) {
    const mean = sumOf(data, r * length, length) / length;
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
  const centers = new Float64Array(2 * count);
  for (let r = 0; r < count; r++) {
    let sum = 0;
    parts.forEach((data, part) => {
      const mean = sumOf(data, r * length, length) / length;
      centers[2 * r + part] = mean;
      sum += squaredDistances(data, r * length, length, mean);
    });
    const variance = sum / Math.max(0, length - correction);
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

/** The p-norm of a row of magnitudes. */
function normOf(data: ArrayLike<number>, start: number, length: number, p: number): number {
  let result = p === -Infinity ? Infinity : 0;
  for (let i = start; i < start + length; i++) {
    const size = Math.abs(data[i]!);
    if (p === 2) result += size * size;
    else if (p === 1) result += size;
    else if (p === Infinity) result = Math.max(result, size);
    else if (p === -Infinity) result = Math.min(result, size);
    else if (p === 0) result += size === 0 ? 0 : 1;
    else result += size ** p;
  }
  if (p === 2) return Math.sqrt(result);
  return p === 1 || p === 0 || !Number.isFinite(p) ? result : result ** (1 / p);
}

function magnitudes(tensor: Tensor): ArrayLike<number> {
  if (dtypeInfo(tensor.dtype).kind !== "complex") return readNumbers(tensor);
  const pairs = readComplex(tensor);
  return Float64Array.from({ length: pairs.length / 2 }, (_, i) =>
    Math.hypot(pairs[2 * i]!, pairs[2 * i + 1]!),
  );
}

function norm(self: Tensor, p: number, dims: Dims, dtype: DType | null, out: Tensor): Tensor {
  const { tensor, count, length } = rowsOf(dtype === null ? self : castTensor(self, dtype), dims);
  const data = magnitudes(tensor);
  const results = openOutput(out);
  for (let r = 0; r < count; r++) results[r] = normOf(data, r * length, length, p);
  return finishOutput(out, results);
}

const vectorNorm = kernel(
  "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  ({ self, ord, dim, dtype }, context) => norm(self, toNumber(ord), dim, dtype, emptyOutput(context)),
);

interface Norm {
  readonly self: Tensor;
  readonly p: ScalarLiteral | null;
  readonly dim?: Dims;
  readonly dtype?: DType | null;
}
const pNorm: Kernel<Norm> = ({ self, p, dim = null, dtype = null }, context) =>
  norm(self, p === null ? 2 : toNumber(p), dim, dtype, emptyOutput(context));

/** Differences of elements; of complex ones their sizes. */
function distances(self: Tensor, other: Tensor, shape: readonly number[]): Float64Array {
  if ([self, other].every(({ dtype }) => dtypeInfo(dtype).kind !== "complex")) {
    const [a, b] = [readNumbers(self, shape), readNumbers(other, shape)];
    return Float64Array.from(a as Float64Array, (x, i) => x - b[i]!);
  }
  const [a, b] = [readComplex(self, shape), readComplex(other, shape)];
  return Float64Array.from({ length: a.length / 2 }, (_, i) =>
    Math.hypot(a[2 * i]! - b[2 * i]!, a[2 * i + 1]! - b[2 * i + 1]!),
  );
}

/** The p-norm of the difference of two tensors. */
const dist = kernel(
  "aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
  ({ self, other, p }, context) => {
    const out = emptyOutput(context);
    const shape = broadcastShape(self.shape, other.shape);
    const difference = distances(self, other, shape);
    const results = openOutput(out);
    results[0] = normOf(difference, 0, difference.length, toNumber(p));
    return finishOutput(out, results);
  },
);

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
  vectorNorm,
  kernel(
    [
      "aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
      "aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
      "aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor",
      "aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor",
    ],
    pNorm,
  ),
  dist,
]);
