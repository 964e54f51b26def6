/** @file Variance and standard deviation, in two passes: the mean, then the deviations from it. */
import type { ScalarArg } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { fixedValue, type Index, ONE, product, subtract } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type ReduceKind, type Scalar, select } from "../../ir/scalar.js";
import { dimensions, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor, reshaped } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, numberOf, numberScalar } from "../core/numbers.js";
import { elementsAs, squaresOf } from "../rules/normalize.js";
import { centerOf, countOf, isRegular, reducedRow } from "../rules/reduce.js";

interface VarianceArgs {
  readonly self: LazyTensor;
  readonly dim: readonly number[] | null;
  readonly correction: ScalarArg | null;
  readonly keepdim: boolean;
}
/**
 * `max(0, n - correction)`: NaN and infinities come out of the division as PyTorch gives them. A
 * correction of None is 1. The variance of no elements is NaN, also with a correction below zero.
 */
function degrees(
  self: LazyTensor,
  dims: readonly number[],
  correction: ScalarArg | null,
  dtype: DType,
): Scalar {
  const count = numberOf(product(dims.map((d) => self.shape[d]!)), dtype);
  const taken = numberScalar(correction ?? 1, dtype);
  const zero = constantScalar(0, dtype);
  const rest = apply("max", apply("sub", count, taken), zero);
  const isBelow = taken.kind !== "constant" || Number(taken.value) < 0;
  return isBelow ? select(apply("eq", count, zero), constantScalar(Number.NaN, dtype), rest) : rest;
}
/**
 * The sums of squares in float32 that are exact enough: below them, squares have few bits or none.
 */
const [LEAST, MOST] = [2 ** -80, 2 ** 126];
/** Rows with a larger element are scaled down, others up. */
const LARGE = 1;
/** A power of two scales exactly. By this one sums of 2^29 squares stay finite. */
const SHIFT = 2 ** 80;

/**
 * Returns the variance or its root, and the mean. PyTorch has the squares of float32 and bfloat16
 * in float64, where they do not overflow (`std_var_kernel`); rows whose squares do in float32 are
 * scaled.
 */
function spreadOf(args: VarianceArgs, call: LoweringCall, isRoot: boolean): Spread {
  const { self, keepdim } = args;
  const { dtype } = outOf(call);
  const dims = dimensions(args.dim, self.shape.length);
  const rest = degrees(self, dims, args.correction, computeType(dtype));
  const isEmpty = dims.some((d) => fixedValue(self.shape[d]!) === 0);
  // Squares of float16 do not overflow.
  const isScaled = (self.dtype === "float32" || self.dtype === "bfloat16") && !isEmpty;
  call.context.many(self, 2);
  const center = centerOf(call, self, dims);
  const finished = (sum: Scalar): Scalar => {
    const variance = apply("div", sum, rest);
    return isRoot ? apply("sqrt", variance) : variance;
  };
  const spread = squaresOf(call, self, dims, center, {
    keepdim,
    dtype,
    finish: (sum, first) => {
      if (!isScaled) return finished(sum);
      const bound = (value: number): Scalar => constantScalar(value, sum.dtype);
      const isOrdinary = apply("and", apply("ge", sum, bound(LEAST)), apply("lt", sum, bound(MOST)));
      return select(isOrdinary, finished(sum), scaledSpread(call, self, dims, first, finished, isRoot));
    },
  });
  const { mean } = center;
  return { spread, mean: () => (isEmpty ? mean : runningMean(call, self, dims, mean)) };
}
/**
 * Returns the same of a row whose squares leave the range of float32: of its elements times a power
 * of two.
 */
function scaledSpread(
  call: LoweringCall,
  self: LazyTensor,
  dims: readonly number[],
  first: readonly Index[],
  finished: (sum: Scalar) => Scalar,
  isRoot: boolean,
): Scalar {
  const dtype = computeType(self.dtype);
  const number = (value: number): Scalar => constantScalar(value, dtype);
  const over = (body: (element: Scalar) => Scalar, kind: ReduceKind = "sum"): Scalar =>
    reducedRow(call, self, dims, first, (element) => body(cast(element, dtype)), kind);
  const most = over((element) => apply("abs", element), "max");
  const factor = select(apply("gt", most, number(LARGE)), number(1 / SHIFT), number(SHIFT));
  const inScale = (element: Scalar): Scalar => apply("mul", element, factor);
  // As `centerOf` does, from the first element: of equal ones the variance is zero.
  const start = inScale(cast(self.element(first), dtype));
  const fromFirst = (element: Scalar): Scalar => apply("sub", inScale(element), start);
  const shift = apply("div", over(fromFirst), countOf(self, dims, dtype));
  const sum = over((element) => {
    const deviation = apply("sub", fromFirst(element), shift);
    return apply("mul", deviation, deviation);
  });
  const scaled = apply("div", finished(sum), factor);
  return isRoot ? scaled : apply("div", scaled, factor);
}
interface Spread {
  readonly spread: LazyTensor;
  /** The mean, dimensions kept. */
  readonly mean: () => LazyTensor;
}

/**
 * Returns the mean as PyTorch's kernel has it, which moves a mean from element to element: an
 * infinity gives NaN with the next one, so that only the last of a row gives an infinite mean. Sums
 * that overflow give finite means.
 */
function runningMean(
  call: LoweringCall,
  self: LazyTensor,
  dims: readonly number[],
  mean: LazyTensor,
): LazyTensor {
  const { dtype } = mean;
  const number = (value: number): Scalar => constantScalar(value, dtype);
  const ofRare = (at: readonly Index[]): Scalar => {
    const over = (body: (element: Scalar) => Scalar): Scalar =>
      reducedRow(call, self, dims, at, (element) => body(cast(element, dtype)));
    const others = over((element) => select(isRegular(element), number(0), number(1)));
    const last = cast(
      self.element(at.map((index, d) => (dims.includes(d) ? subtract(self.shape[d]!, ONE) : index))),
      dtype,
    );
    const isLastAlone = apply("and", apply("eq", others, number(1)), apply("not", isRegular(last)));
    const infinite = select(isLastAlone, last, number(Number.NaN));
    const count = countOf(self, dims, dtype);
    const regular = over((element) => apply("div", element, count));
    return select(apply("eq", others, number(0)), regular, infinite);
  };
  const count = countOf(self, dims, dtype);
  return new LazyTensor({
    dtype,
    shape: mean.shape,
    node: call.node,
    inputs: [mean, self],
    operations: 3,
    element: (at) => {
      const own = mean.element(at);
      // The mean of no elements is NaN.
      const isKept = apply("or", isRegular(own), apply("eq", count, number(0)));
      return select(isKept, own, ofRare(at));
    },
  });
}

/** Both results of a call. */
const withMean = ({ spread, mean }: Spread, call: LoweringCall): readonly [LazyTensor, LazyTensor] => [
  spread,
  elementsAs(reshaped(mean(), call.node, shapeOf(outOf(call, 1))), outOf(call).dtype, call.node),
];

export const VARIANCES = defineLowerings([
  lowering(
    "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    (args, call) => spreadOf(args, call, false).spread,
  ),
  lowering(
    "aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    (args, call) => spreadOf(args, call, true).spread,
  ),
  lowering(
    "aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    (args, call) => withMean(spreadOf(args, call, false), call),
  ),
  lowering(
    "aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    (args, call) => withMean(spreadOf(args, call, true), call),
  ),
]);
