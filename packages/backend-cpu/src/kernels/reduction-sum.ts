/** @file Sums, products and means: floats in PyTorch's order, integers exact and wrapping. */

import { castTensor, type DType, dtypeInfo, isBigIntDType, isIntegralDType, Tensor } from "@sconce/tensor";
import {
  finishOutput,
  type NumberArray,
  openOutput,
  readBigInts,
  readComplex,
  readNumbers,
  writeBigInts,
  writeComplex,
  writeNumbers,
} from "../kernel/dense.js";
import { roundTo } from "../kernel/half.js";
import { defineKernels, emptyOutput, type Kernel, type KernelContext, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { identity } from "./pointwise-math.js";
import type { Dims } from "./reduction-axes.js";
import { cascadeSums, type Floats } from "./reduction-cascade.js";
import { productsInOrder } from "./reduction-product.js";
import { isExact, type Rows, rowsOf } from "./reduction-rows.js";

/**
 * Pairwise sum: splits long ranges in halves, so that rounding error grows logarithmically with the
 * length.
 */
function sumOf(data: ArrayLike<number>, start: number, length: number): number {
  if (length > 512) {
    const half = length >> 1;
    return sumOf(data, start, half) + sumOf(data, start + half, length - half);
  }
  let a = 0;
  let b = 0;
  let i = start;
  for (const end = start + length - 1; i < end; i += 2) {
    a += data[i]!;
    b += data[i + 1]!;
  }
  return i < start + length ? a + b + data[i]! : a + b;
}

/** Rounds what PyTorch computes in float32: halves too. Integers are exact in float64, or wrap. */
export const roundingOf = (dtype: DType): ((value: number) => number) =>
  dtypeInfo(dtype).kind === "int" || dtype === "float64" || dtype === "complex128" ? identity : Math.fround;

/** Integers of up to 32 bits, of whose products float64 would lose the low bits. */
export const wrapsIn32Bits = (dtype: DType): boolean =>
  dtypeInfo(dtype).kind === "int" && dtypeInfo(dtype).itemSize <= 4;

/** One way to fold a row, in each number system. */
export interface Fold {
  readonly real: (data: NumberArray, start: number, length: number) => number;
  readonly big: (sum: bigint, value: bigint) => bigint;
  /** Folds floats in PyTorch's order into so many results; left out where `real` folds them. */
  readonly floats?: ((self: Tensor, dims: Dims, count: number) => Floats) | undefined;
  readonly bigStart: bigint;
  readonly complex: (
    data: Float64Array,
    start: number,
    length: number,
    out: Float64Array,
    at: number,
  ) => void;
}

const sumFold: Fold = {
  real: sumOf,
  floats: cascadeSums,
  big: (sum, value) => sum + value,
  bigStart: 0n,
  complex: (data, start, length, out, at) => {
    for (let i = start; i < start + 2 * length; i += 2) {
      out[at] = out[at]! + data[i]!;
      out[at + 1] = out[at + 1]! + data[i + 1]!;
    }
  },
};

/** Each step is rounded: a product may overflow or vanish on the way. */
const productFold = (dtype: DType): Fold => {
  const round = roundingOf(dtype);
  const times = wrapsIn32Bits(dtype) ? Math.imul : (x: number, y: number): number => round(x * y);
  return {
    floats: productsInOrder,
    real: (data, start, length) => {
      let product = 1;
      for (let i = start; i < start + length; i++) product = times(product, data[i]!);
      return product;
    },
    big: (product, value) => BigInt.asIntN(64, product * value),
    bigStart: 1n,
    complex: (data, start, length, out, at) => {
      let re = 1;
      let im = 0;
      for (let i = start; i < start + 2 * length; i += 2) {
        const [x, y] = [data[i]!, data[i + 1]!];
        const next = round(round(re * x) - round(im * y));
        im = round(round(re * y) + round(im * x));
        re = next;
      }
      out[at] = re;
      out[at + 1] = im;
    },
  };
};

/** Folds each row of `self`, converted to `dtype`, into one element of `out`. */
function fold(how: Fold, self: Tensor, dims: Dims, out: Tensor, dtype: DType = out.dtype): Tensor {
  const given = summand(self, dtype);
  if (how.floats !== undefined && isOrdered(given, out)) {
    writeNumbers(out, how.floats(given, dims, out.numel));
    return out;
  }
  const rows = rowsOf(given, dims);
  if (dtypeInfo(out.dtype).kind === "complex") return foldComplex(how, rows, out);
  const data = readNumbers(rows.tensor);
  const results = openOutput(out);
  const truth = out.dtype === "bool";
  for (let r = 0; r < rows.count; r++) {
    const value = how.real(data, r * rows.length, rows.length);
    results[r] = truth ? Number(value !== 0) : value;
  }
  const exact =
    !isBigIntDType(out.dtype) ||
    (isExact(rows.tensor.dtype, data) &&
      results.subarray(0, rows.count).every((x: number) => Number.isSafeInteger(x)));
  return exact ? finishOutput(out, results) : foldBig(how, rows, out);
}

/** Folds whose order PyTorch's kernels give. */
const isOrdered = (given: Tensor, out: Tensor): boolean =>
  given.dtype === out.dtype && (out.dtype === "float32" || out.dtype === "float64");

/** Conversion before the sum matters where it loses something: to integers and to halves. */
function summand(self: Tensor, dtype: DType): Tensor {
  const widening = isIntegralDType(self.dtype, true) && dtype === "int64";
  return self.dtype === dtype || widening ? self : castTensor(self, dtype);
}

function foldBig(how: Fold, { tensor, count, length }: Rows, out: Tensor): Tensor {
  const data = readBigInts(tensor);
  const results = out.dtype === "uint64" ? scratch(BigUint64Array, count) : scratch(BigInt64Array, count);
  for (let r = 0; r < count; r++) {
    let sum = how.bigStart;
    for (let i = r * length; i < (r + 1) * length; i++) sum = how.big(sum, data[i]!);
    results[r] = sum;
  }
  writeBigInts(out, results);
  return out;
}

function foldComplex(how: Fold, { tensor, count, length }: Rows, out: Tensor): Tensor {
  const data = readComplex(tensor);
  const results = scratch(Float64Array, 2 * count);
  for (let r = 0; r < count; r++) how.complex(data, 2 * r * length, length, results, 2 * r);
  writeComplex(out, results);
  return out;
}

function meanOf(self: Tensor, dims: Dims, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const round = roundingOf(out.dtype);
  const scaled: Fold = {
    ...sumFold,
    real: (data, start, length) => round(sumOf(data, start, length)) / length,
    floats: (given, by, count) => cascadeSums(given, by, count).map((sum) => sum / (given.numel / count)),
    complex: (data, start, length, result, at) => {
      sumFold.complex(data, start, length, result, at);
      const [re, im] = [round(result[at]!), round(result[at + 1]!)];
      // The length is complex, too: each part has the other one times zero.
      result[at] = (re + 0 * im) / length;
      result[at + 1] = (im - 0 * re) / length;
    },
  };
  // Means of halves are taken in float32, from what was given (`mean_cpu` in ReduceOps.cpp).
  const half = out.dtype === "float16" || out.dtype === "bfloat16";
  return fold(scaled, self, dims, out, half ? "float32" : out.dtype);
}

function nanSum(data: NumberArray, start: number, length: number): number {
  let sum = 0;
  for (let i = start; i < start + length; i++) if (!Number.isNaN(data[i])) sum += data[i]!;
  return sum;
}

/** Returns the tensor with zeros for NaN, which integers would not show. */
function withoutNan(self: Tensor): Tensor {
  if (dtypeInfo(self.dtype).kind !== "float") return self;
  const made = Tensor.empty(self.shape, self.dtype);
  const values = readNumbers(self.contiguous());
  writeNumbers(
    made,
    Float64Array.from(values.subarray(0, self.numel), (x: number) => (Number.isNaN(x) ? 0 : x)),
  );
  return made;
}

/** Returns how many elements are true, NaN left out. */
function nanCount(data: NumberArray, start: number, length: number): number {
  let count = 0;
  for (let i = start; i < start + length; i++) if (data[i] !== 0 && !Number.isNaN(data[i])) count++;
  return count;
}

/** Returns how many elements are numbers. */
function countNumbers(data: NumberArray, start: number, length: number): number {
  let count = 0;
  for (let i = start; i < start + length; i++) if (!Number.isNaN(data[i])) count++;
  return count;
}

/** PyTorch divides the sum without NaN by the count of what it added, both in the dtype. */
const nanMean = kernel(
  "aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  ({ self, dim }, context) => {
    const out = emptyOutput(context);
    const round = roundTo(out.dtype);
    const how: Fold = {
      ...sumFold,
      real: (data, start, length) =>
        round(nanSum(data, start, length)) / round(countNumbers(data, start, length)),
      floats: (given, dims, count) => {
        const { tensor, length } = rowsOf(given, dims);
        const data = readNumbers(tensor);
        return cascadeSums(given, dims, count, true).map(
          (sum, r) => sum / countNumbers(data, r * length, length),
        );
      },
    };
    return fold(how, self, dim, out);
  },
);

type Whole = { readonly self: Tensor };
type ByDims = Whole & { readonly dim: Dims };

const whole =
  (how: Fold): Kernel<Whole> =>
  ({ self }, context) =>
    fold(how, self, null, emptyOutput(context));
const byDims =
  (how: Fold): Kernel<ByDims> =>
  ({ self, dim }, context) =>
    fold(how, self, dim, emptyOutput(context));

/** NaN is left out before it could become true. */
const nansum = kernel(
  "aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  ({ self, dim }, context) => {
    const out = emptyOutput(context);
    if (out.dtype === "bool")
      return fold({ ...sumFold, real: nanCount, floats: undefined }, self, dim, out, self.dtype);
    if (isIntegralDType(out.dtype)) return fold(sumFold, withoutNan(self), dim, out);
    return fold(
      { ...sumFold, real: nanSum, floats: (given, by, count) => cascadeSums(given, by, count, true) },
      self,
      dim,
      out,
    );
  },
);

const countNonzero = kernel(
  [
    "aten::count_nonzero(Tensor self, int? dim=None) -> Tensor",
    "aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
  ],
  ({ self, dim }, context) => fold(sumFold, castTensor(self, "bool"), dim, emptyOutput(context)),
);

const trace = kernel("aten::trace(Tensor self) -> Tensor", ({ self }, context) => {
  const length = Math.min(self.shape[0]!, self.shape[1]!);
  const diagonal = self.asStrided([length], [self.strides[0]! + self.strides[1]!]);
  return fold(sumFold, diagonal, null, emptyOutput(context));
});

export const reductionSumKernels = defineKernels([
  kernel("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", whole(sumFold)),
  kernel(
    "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    byDims(sumFold),
  ),
  nansum,
  nanMean,
  kernel("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", ({ self }, context) =>
    meanOf(self, null, context),
  ),
  kernel(
    "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    ({ self, dim }, context) => meanOf(self, dim, context),
  ),
  kernel("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", ({ self }, context) => {
    const out = emptyOutput(context);
    return fold(productFold(out.dtype), self, null, out);
  }),
  kernel(
    "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    ({ self, dim }, context) => {
      const out = emptyOutput(context);
      return fold(productFold(out.dtype), self, dim, out);
    },
  ),
  countNonzero,
  trace,
]);
