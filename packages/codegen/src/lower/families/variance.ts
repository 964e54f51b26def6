/** @file Variance and standard deviation, in two passes: the mean, then the deviations from it. */
import type { ScalarArg } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { fixedValue, type Index, product, ZERO } from "../../ir/index-expr.js";
import { apply, constantScalar, type Scalar, select } from "../../ir/scalar.js";
import { dimensions, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor, reshaped } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, numberOf, numberScalar } from "../core/numbers.js";
import { elementsAs, varianceOf } from "../rules/normalize.js";
import { keptAt, reduceOver } from "../rules/reduce.js";

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
function varianceAndMean(
  { self, dim, correction, keepdim }: VarianceArgs,
  call: LoweringCall,
  finish: (variance: Scalar, first: readonly Index[]) => Scalar = (variance) => variance,
) {
  const { dtype } = outOf(call);
  const dims = dimensions(dim, self.shape.length);
  const rest = degrees(self, dims, correction, computeType(dtype));
  const finishSum = (sum: Scalar, first: readonly Index[]): Scalar => finish(apply("div", sum, rest), first);
  return varianceOf(call, self, dims, finishSum, { keepdim, dtype });
}

/** Rows with a larger element are scaled down: sums of their squares may be infinite. */
const LARGE = 2 ** 50;
/** Rows with smaller elements only are scaled up: squares of their deviations may be zero. */
const SMALL = 2 ** -30;
/** A power of two scales exactly. By this one sums of 2^29 squares stay finite. */
const SHIFT = 2 ** 80;

/**
 * The standard deviation, and the mean. PyTorch has the squares of float32 in float64, where they
 * do not overflow (`std_var_kernel`); devices without float64 get the same from scaled elements.
 */
function deviationAndMean(args: VarianceArgs, call: LoweringCall) {
  const { self } = args;
  const dims = dimensions(args.dim, self.shape.length);
  const rootOf = (variance: Scalar): Scalar => apply("sqrt", variance);
  const isEmpty = dims.some((d) => fixedValue(self.shape[d]!) === 0);
  if (self.dtype !== "float32" || isEmpty) return varianceAndMean(args, call, rootOf);
  const factors = factorsOf(call, self, dims);
  const factorAt = (at: readonly Index[]): Scalar => factors.element(keptAt(at, dims, ZERO));
  const scaled = withFactor("mul", self, factors, factorAt, call.node);
  const { mean, variance } = varianceAndMean({ ...args, self: scaled }, call, (value, first) =>
    apply("div", rootOf(value), factorAt(first)),
  );
  return { mean: withFactor("div", mean, factors, factorAt, call.node), variance };
}
/** The tensor with each element times its factor, or divided by it. */
const withFactor = (
  fn: "mul" | "div",
  tensor: LazyTensor,
  factors: LazyTensor,
  factorAt: (at: readonly Index[]) => Scalar,
  node: string,
): LazyTensor =>
  new LazyTensor({
    dtype: tensor.dtype,
    shape: tensor.shape,
    node,
    inputs: [tensor, factors],
    operations: 1,
    element: (at) => apply(fn, tensor.element(at), factorAt(at)),
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
const withMean = (
  { mean, variance }: { readonly mean: LazyTensor; readonly variance: LazyTensor },
  call: LoweringCall,
): readonly [LazyTensor, LazyTensor] => [
  variance,
  elementsAs(reshaped(mean, call.node, shapeOf(outOf(call, 1))), outOf(call).dtype, call.node),
];

export const VARIANCES = defineLowerings([
  lowering(
    "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    (args, call) => varianceAndMean(args, call).variance,
  ),
  lowering(
    "aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    (args, call) => deviationAndMean(args, call).variance,
  ),
  lowering(
    "aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    (args, call) => withMean(varianceAndMean(args, call), call),
  ),
  lowering(
    "aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    (args, call) => withMean(deviationAndMean(args, call), call),
  ),
]);
