/** @file Running sums, products and extremes along a dimension. */

import { castTensor, type DType, dtypeInfo, isBigIntDType, type Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import {
  type NumberArray,
  readBigInts,
  readComplex,
  readNumbers,
  writeBigInts,
  writeComplex,
  writeNumbers,
} from "../kernel/dense.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { accumulateLogExponentials } from "./complex-loops.js";
import { logAddExp } from "./pointwise-math.js";
import { isExact, likeKeys, moveLast, readKeys, reducedDims, writeKeys } from "./reduction-rows.js";
import { wrapsIn32Bits } from "./reduction-sum.js";

type ScanArgs = { readonly self: Tensor; readonly dim: number; readonly dtype?: DType | null };

interface Step {
  readonly start: number;
  readonly real: (total: number, value: number) => number;
  readonly big?: (total: bigint, value: bigint) => bigint;
  /** For integers of up to 32 bits, where the results of `real` may lose their low bits. */
  readonly wrapped?: (total: number, value: number) => number;
}

/** A tensor of no dimensions is its own result: nothing is added to it. */
function copied(self: Tensor, out: Tensor): Tensor {
  copyInto(out, self.dtype === out.dtype ? self : castTensor(self, out.dtype));
  return out;
}

const running =
  ({ start, real, big, wrapped = real }: Step): Kernel<ScanArgs> =>
  ({ self, dim }, context) => {
    const out = emptyOutput(context);
    if (self.ndim === 0) return copied(self, out);
    const dims = reducedDims(self.ndim, dim);
    const input = moveLast(self.dtype === out.dtype ? self : castTensor(self, out.dtype), dims);
    const target = moveLast(out, dims);
    const length = input.shape.at(-1) ?? 1;
    if (out.dtype.startsWith("complex")) return complexScan(real(2, 3) === 6, input, target, length, out);
    const data = readNumbers(input);
    const results = scratch(Float64Array, data.length);
    let exact = isExact(out.dtype, data);
    const step = wrapsIn32Bits(out.dtype) ? wrapped : real;
    let total = start;
    for (let i = 0; i < data.length; i++) {
      total = step(i % length === 0 ? start : total, data[i]!);
      results[i] = total;
    }
    exact &&= !isBigIntDType(out.dtype) || results.every(Number.isSafeInteger);
    if (exact || big === undefined) writeNumbers(target, results);
    else scanBig(big, BigInt(start), input, target, length);
    return out;
  };

function scanBig(
  step: (total: bigint, value: bigint) => bigint,
  start: bigint,
  input: Tensor,
  target: Tensor,
  length: number,
): void {
  const data = readBigInts(input);
  const results = scratch(BigInt64Array, data.length);
  let total = start;
  for (let i = 0; i < data.length; i++) {
    total = BigInt.asIntN(64, step(i % length === 0 ? start : total, data[i]!));
    results[i] = total;
  }
  writeBigInts(target, results);
}

function complexScan(multiply: boolean, input: Tensor, target: Tensor, length: number, out: Tensor): Tensor {
  const data = readComplex(input);
  for (let i = 0; i < data.length; i += 2) {
    const [re, im] = [data[i]!, data[i + 1]!];
    const [lastRe, lastIm] = (i / 2) % length === 0 ? [multiply ? 1 : 0, 0] : [data[i - 2]!, data[i - 1]!];
    data[i] = multiply ? re * lastRe - im * lastIm : re + lastRe;
    data[i + 1] = multiply ? re * lastIm + im * lastRe : im + lastIm;
  }
  writeComplex(target, data);
  return out;
}

type Beats = (value: number, best: number) => boolean;

/**
 * Running extremes along the last dimension, and their places. The latest of equal ones wins; a NaN
 * stays.
 */
function extremesOf(beats: Beats, input: Tensor): readonly [NumberArray, Float64Array] {
  const length = input.shape.at(-1) ?? 1;
  const data: NumberArray = readKeys(input);
  const bests = likeKeys(data, data.length);
  const places = scratch(Float64Array, data.length);
  let best = 0;
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    const last = data[best]!;
    if (i % length === 0 || Number.isNaN(value) || (!Number.isNaN(last) && beats(value, last))) best = i;
    bests[i] = data[best]!;
    places[i] = best - (i - (i % length));
  }
  return [bests, places];
}

type HelperArgs = ScanArgs & { readonly values: Tensor; readonly indices: Tensor };

/** Writes the running extremes and their places to the given tensors. */
const helper =
  (beats: Beats) =>
  ({ self, dim, values, indices }: HelperArgs): null => {
    const dims = reducedDims(self.ndim, dim);
    const [bests, places] = extremesOf(beats, moveLast(self, dims));
    writeKeys(moveLast(values, dims), bests);
    writeNumbers(moveLast(indices, dims), places);
    return null;
  };

const runningExtreme =
  (beats: Beats): Kernel<ScanArgs, readonly [Tensor, Tensor]> =>
  (args, context) => {
    const [values, indices] = emptyOutputs(context);
    helper(beats)({ ...args, values, indices });
    return [values, indices];
  };

/** Each gradient times the product of the others, without a division, so that zeros are allowed. */
const cumprodBackward = kernel(
  "aten::cumprod_backward(Tensor grad, Tensor input, int dim, Tensor output) -> Tensor",
  ({ grad, input, dim, output }, context) => {
    const out = emptyOutput(context);
    const dims = reducedDims(input.ndim, dim);
    const along = moveLast(input, dims);
    const length = along.shape.at(-1) ?? 1;
    if (length === 1 || input.numel <= 1) return grad;
    const [x, g] = [readNumbers(along), readNumbers(moveLast(grad, dims))];
    const slopes = scratch(Float64Array, x.length);
    if (!x.includes(0)) {
      // Only without any zero the given output is read: sums of it times the gradient, to the end.
      const y = readNumbers(moveLast(output, dims));
      for (let k = x.length - 1, sum = 0; k >= 0; k--) {
        sum = (k % length === length - 1 ? 0 : sum) + y[k]! * g[k]!;
        slopes[k] = sum / x[k]!;
      }
      writeNumbers(moveLast(out, dims), slopes);
      return out;
    }
    for (let k = 0; k < x.length; k++) {
      const start = k - (k % length);
      let product = 1;
      for (let i = start; i < k; i++) product = x[i] === 0 ? 0 : product && product * x[i]!;
      // What follows a zero counts for nothing, even where it is not finite.
      for (let i = k; i < start + length && product !== 0; i++) {
        if (i > k) product *= x[i]!;
        if (i > k && x[i] === 0) break;
        slopes[k]! += g[i]! * product;
      }
    }
    writeNumbers(moveLast(out, dims), slopes);
    return out;
  },
);

const realLogcumsumexp = running({ start: -Infinity, real: logAddExp });
const logcumsumexp = kernel(
  "aten::logcumsumexp(Tensor self, int dim) -> Tensor",
  ({ self, dim }, context) => {
    if (dtypeInfo(self.dtype).kind !== "complex") return realLogcumsumexp({ self, dim }, context);
    const out = emptyOutput(context);
    if (self.ndim === 0) return copied(self, out);
    const dims = reducedDims(self.ndim, dim);
    const input = moveLast(self, dims);
    const data = readComplex(input);
    accumulateLogExponentials(data, input.shape.at(-1) ?? 1);
    writeComplex(moveLast(out, dims), data);
    return out;
  },
);

export const cumulativeKernels = defineKernels([
  kernel(
    "aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
    running({
      start: 0,
      real: (total, value) => total + value,
      big: (total, value) => total + value,
    }),
  ),
  kernel(
    "aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
    running({
      start: 1,
      real: (total, value) => total * value,
      big: (total, value) => total * value,
      wrapped: Math.imul,
    }),
  ),
  logcumsumexp,
  cumprodBackward,
  kernel(
    "aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)",
    runningExtreme((value, best) => value >= best),
  ),
  kernel(
    "aten::_cummax_helper(Tensor self, Tensor(a!) values, Tensor(b!) indices, int dim) -> ()",
    helper((value, best) => value >= best),
  ),
  kernel(
    "aten::_cummin_helper(Tensor self, Tensor(a!) values, Tensor(b!) indices, int dim) -> ()",
    helper((value, best) => value <= best),
  ),
  kernel(
    "aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)",
    runningExtreme((value, best) => value <= best),
  ),
]);
