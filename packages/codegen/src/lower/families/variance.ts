/** @file Variance and standard deviation, in two passes: the mean, then the deviations from it. */
import type { ScalarArg } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { fixedValue, type Index, ONE, product, subtract, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type Scalar, select } from "../../ir/scalar.js";
import { dimensions, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor, reshaped } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, numberOf, numberScalar } from "../core/numbers.js";
import { elementsAs, squaresOf } from "../rules/normalize.js";
import { centerOf, keptAt, reduceOver } from "../rules/reduce.js";

interface VarianceArgs {
  readonly self: LazyTensor;
  readonly dim: readonly number[] | null;
  readonly correction: ScalarArg | null;
  readonly keepdim: boolean;
}
/**
 * `max(0, n - correction)`: NaN and infinities come out of the division as PyTorch gives them. A
 * correction of None is 1.
 */
function degrees(
  self: LazyTensor,
  dims: readonly number[],
  correction: ScalarArg | null,
  dtype: DType,
): Scalar {
  const count = numberOf(product(dims.map((d) => self.shape[d]!)), dtype);
  const rest = apply("sub", count, numberScalar(correction ?? 1, dtype));
  return apply("max", rest, constantScalar(0, dtype));
}
/** Rows with a larger element are scaled down: sums of their squares may be infinite. */
const LARGE = 2 ** 50;
/** Rows with smaller elements only are scaled up: squares of their deviations may be zero. */
const SMALL = 2 ** -30;
/** A power of two scales exactly. By this one sums of 2^29 squares stay finite. */
const SHIFT = 2 ** 80;

/**
 * The variance or its root, and the mean. PyTorch has the squares of float32 in float64, where they
 * do not overflow (`std_var_kernel`); devices without float64 get the same from scaled elements.
 */
function spreadOf(args: VarianceArgs, call: LoweringCall, isRoot: boolean): Spread {
  const { self, keepdim } = args;
  const { context, node } = call;
  const { dtype } = outOf(call);
  const dims = dimensions(args.dim, self.shape.length);
  const rest = degrees(self, dims, args.correction, computeType(dtype));
  const isEmpty = dims.some((d) => fixedValue(self.shape[d]!) === 0);
  const isScaled = self.dtype === "float32" && !isEmpty;
  const factors = isScaled ? factorsOf(call, self, dims) : undefined;
  const unscaled = (value: Scalar, first: readonly Index[]): Scalar =>
    factors === undefined ? value : apply("div", value, factors.element(keptAt(first, dims, ZERO)));
  const rows = factors === undefined ? self : withFactor("mul", self, factors, dims, node);
  context.many(rows, 2);
  const center = centerOf(call, rows, dims);
  const spread = squaresOf(call, rows, dims, center, {
    keepdim,
    dtype,
    finish: (sum, first) => {
      const variance = apply("div", sum, rest);
      return isRoot ? unscaled(apply("sqrt", variance), first) : unscaled(unscaled(variance, first), first);
    },
  });
  const mean = factors === undefined ? center.mean : withFactor("div", center.mean, factors, dims, node);
  return { spread, mean: () => (isEmpty ? mean : runningMean(call, self, dims, mean)) };
}
interface Spread {
  readonly spread: LazyTensor;
  /** The mean, dimensions kept. */
  readonly mean: () => LazyTensor;
}

/**
 * The mean as PyTorch's kernel has it, which moves a mean from element to element: an infinity
 * gives NaN with the next one, so that only the last of a row gives an infinite mean.
 */
function runningMean(
  call: LoweringCall,
  self: LazyTensor,
  dims: readonly number[],
  mean: LazyTensor,
): LazyTensor {
  const { dtype } = mean;
  const number = (value: number): Scalar => constantScalar(value, dtype);
  const isRegular = (x: Scalar): Scalar => apply("not", apply("or", apply("isnan", x), apply("isinf", x)));
  const others = reduceOver(call, call.context.many(self), {
    kind: "sum",
    dims,
    keepdim: true,
    dtype,
    body: (element) => select(isRegular(element), number(0), number(1)),
  });
  call.context.materialize(others);
  const lastOf = (at: readonly Index[]): Scalar =>
    cast(
      self.element(at.map((index, d) => (dims.includes(d) ? subtract(self.shape[d]!, ONE) : index))),
      dtype,
    );
  return new LazyTensor({
    dtype,
    shape: mean.shape,
    node: call.node,
    inputs: [mean, others, self],
    operations: 6,
    element: (at) => {
      const [count, last] = [others.element(at), lastOf(at)];
      const isLastAlone = apply("and", apply("eq", count, number(1)), apply("not", isRegular(last)));
      const infinite = select(isLastAlone, last, number(Number.NaN));
      return select(apply("eq", count, number(0)), mean.element(at), infinite);
    },
  });
}
/** The tensor with each element times its factor, or divided by it. */
const withFactor = (
  fn: "mul" | "div",
  tensor: LazyTensor,
  factors: LazyTensor,
  dims: readonly number[],
  node: string,
): LazyTensor =>
  new LazyTensor({
    dtype: tensor.dtype,
    shape: tensor.shape,
    node,
    inputs: [tensor, factors],
    operations: 1,
    element: (at) => apply(fn, tensor.element(at), factors.element(keptAt(at, dims, ZERO))),
  });
/** For each row the power of two that its elements are scaled with. */
function factorsOf(call: LoweringCall, self: LazyTensor, dims: readonly number[]): LazyTensor {
  const number = (value: number): Scalar => constantScalar(value, self.dtype);
  const factors = reduceOver(call, call.context.many(self, 2), {
    kind: "max",
    dims,
    keepdim: true,
    dtype: self.dtype,
    body: (element) => apply("abs", element),
    finish: (most) =>
      select(
        apply("gt", most, number(LARGE)),
        number(1 / SHIFT),
        select(apply("lt", most, number(SMALL)), number(SHIFT), number(1)),
      ),
  });
  call.context.materialize(factors);
  return factors;
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
