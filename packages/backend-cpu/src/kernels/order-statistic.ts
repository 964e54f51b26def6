/** @file Reductions by rank: medians, k-th values, modes; and counts: `bincount`, `histc`. */

import { toNumber } from "@sconce/ir";
import { contiguousStrides, type DType, type Tensor } from "@sconce/tensor";
import { finishOutput, type NumberArray, openOutput, readNumbers, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { roundTo } from "../kernel/half.js";
import {
  defineKernels,
  emptyOutput,
  emptyOutputs,
  emptyStrided,
  type Kernel,
  kernel,
} from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { reduceByPosition } from "./reduction-extreme.js";
import { introSort, nthElement, quickSelect } from "./select-rank.js";

type Locate = (data: NumberArray, start: number, length: number) => number;

/** Positions of a row by rising value, NaN last, equal values in order. */
export function sortedPositions(data: NumberArray, start: number, length: number): Uint32Array {
  const positions = scratch(Uint32Array, length);
  for (let i = 0; i < length; i++) positions[i] = start + i;
  return positions.sort((a, b) => compareAscending(data[a]!, data[b]!) || a - b);
}

/** Order of values with NaN above all; works for numbers and big integers alike. */
export function compareAscending(x: number, y: number): number {
  if (x < y) return -1;
  if (x > y) return 1;
  if (x === y) return 0;
  return (Number.isNaN(x) ? 1 : 0) - (Number.isNaN(y) ? 1 : 0);
}

const positionsOf = (start: number, length: number): Uint32Array =>
  Uint32Array.from({ length }, (_, i) => start + i);

const precedesIn =
  (data: NumberArray) =>
  (a: number, b: number): boolean =>
    compareAscending(data[a]!, data[b]!) < 0;

/** No place for NaN: it is neither before nor after anything. */
const isLessIn =
  (data: NumberArray) =>
  (a: number, b: number): boolean =>
    data[a]! < data[b]!;

/** Equal values in order; NaN, which equals nothing, is left as it comes. */
const precedesInOrder =
  (data: NumberArray) =>
  (a: number, b: number): boolean =>
    compareAscending(data[a]!, data[b]!) < 0 || (data[a] === data[b] && a < b);

/** The lower median; a NaN when there is one. */
const medianOf: Locate = (data, start, length) => {
  for (let i = start; i < start + length; i++) if (Number.isNaN(data[i])) return i;
  return nthElement(positionsOf(start, length), (length - 1) >> 1, precedesInOrder(data));
};

const nanMedianOf: Locate = (data, start, length) => {
  let numbers = 0;
  for (let i = start; i < start + length; i++) if (!Number.isNaN(data[i])) numbers++;
  return nthElement(positionsOf(start, length), Math.max(0, (numbers - 1) >> 1), precedesInOrder(data));
};

/**
 * The first of the most frequent values in order, where sorting has left its last one; no NaN
 * equals another.
 */
const modeOf: Locate = (data, start, length) => {
  const sorted = introSort(positionsOf(start, length), isLessIn(data));
  let found = start;
  let most = 0;
  for (let i = 0, first = 0; i < length; i++) {
    if (i + 1 < length && data[sorted[i]!] === data[sorted[i + 1]!]) continue;
    if (i + 1 - first > most) {
      most = i + 1 - first;
      found = sorted[i]!;
    }
    first = i + 1;
  }
  return found;
};

const whole =
  (locate: Locate): Kernel<{ self: Tensor }> =>
  ({ self }, context) => {
    const out = emptyOutput(context);
    if (self.numel === 0) return finishOutput(out, openOutput(out).fill(Number.NaN));
    reduceByPosition(locate, self, null, out);
    return out;
  };

const byDim =
  (locate: Locate): Kernel<{ self: Tensor; dim: number }, readonly [Tensor, Tensor]> =>
  ({ self, dim }, context) => {
    const [values, indices] = emptyOutputs(context);
    reduceByPosition(locate, self, dim, values, indices);
    return [values, indices];
  };

const kthvalue = kernel(
  "aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
  ({ self, k, dim }, context) => {
    const [values, indices] = emptyOutputs(context);
    reduceByPosition(
      (data, start, length) => quickSelect(positionsOf(start, length), k - 1, precedesIn(data)),
      self,
      dim,
      values,
      indices,
    );
    return [values, indices];
  },
);

const bincount = kernel(
  "aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor",
  ({ self, weights, minlength }) => {
    const bins = readNumbers(self);
    let length = minlength;
    for (const bin of bins) {
      if (bin < 0) throw invalidArgument("bincount only supports 1-d non-negative integral inputs.");
      length = Math.max(length, bin + 1);
    }
    const weightDType: DType =
      weights === null || bins.length === 0 ? "int64" : weights.dtype === "float32" ? "float32" : "float64";
    const out = emptyStrided([length], contiguousStrides([length]), weightDType);
    const counts = scratch(Float64Array, length);
    const sizes = weights === null ? undefined : readNumbers(weights);
    for (let i = 0; i < bins.length; i++) counts[bins[i]!]! += sizes === undefined ? 1 : sizes[i]!;
    writeNumbers(out, counts);
    return out;
  },
);

/** As C++ prints what is not finite. */
const printed = (value: number): string =>
  Number.isFinite(value) ? String(value) : String(value).toLowerCase().replace("infinity", "inf");

/** Each step of finding the bin is rounded to the dtype (`histogramdd_linear_cpu`). */
const histc = kernel(
  "aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
  ({ self, bins, min, max }, context) => {
    const out = emptyOutput(context);
    const data = readNumbers(self);
    let [low, high] = [toNumber(min), toNumber(max)];
    if (low === high && data.length > 0) {
      [low, high] = [Infinity, -Infinity];
      for (const value of data) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    // Those of the call are checked with its other numbers; those of the data are known here only.
    if (!Number.isFinite(low) || !Number.isFinite(high))
      throw invalidArgument(`torch.histc: range of [${printed(low)}, ${printed(high)}] is not finite`);
    if (low === high) [low, high] = [low - 1, high + 1];
    const counts = scratch(Float64Array, bins);
    const round = roundTo(self.dtype);
    const width = round(high - low);
    for (const value of data) {
      if (!(value >= low && value <= high)) continue;
      const place = round(round(round(value - low) * bins) / width);
      counts[Math.min(bins - 1, Math.floor(place))]! += 1;
    }
    writeNumbers(out, counts);
    return out;
  },
);

export const orderStatisticKernels = defineKernels([
  kernel("aten::median(Tensor self) -> Tensor", whole(medianOf)),
  kernel("aten::nanmedian(Tensor self) -> Tensor", whole(nanMedianOf)),
  kernel(
    "aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    byDim(medianOf),
  ),
  kernel(
    "aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    byDim(nanMedianOf),
  ),
  kernel(
    "aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    byDim(modeOf),
  ),
  kthvalue,
  bincount,
  histc,
]);
