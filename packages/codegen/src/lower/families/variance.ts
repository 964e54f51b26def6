/** @file Variance and standard deviation, in two passes: as accurate as can be in one type. */
import type { ScalarArg } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { product } from "../../ir/index-expr.js";
import { apply, constantScalar, type Scalar } from "../../ir/scalar.js";
import { dimensions, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { type LazyTensor, reshaped } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, numberOf, numberScalar } from "../core/numbers.js";
import { elementsAs, varianceOf } from "../rules/normalize.js";

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
  isRoot = false,
) {
  const { dtype } = outOf(call);
  const dims = dimensions(dim, self.shape.length);
  const finish = (sum: Scalar): Scalar => {
    const value = apply("div", sum, degrees(self, dims, correction, computeType(dtype)));
    return isRoot ? apply("sqrt", value) : value;
  };
  return varianceOf(call, self, dims, finish, { keepdim, dtype });
}

export const VARIANCES = defineLowerings([
  lowering(
    "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    (args, call) => varianceAndMean(args, call).variance,
  ),
  lowering(
    "aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    (args, call) => varianceAndMean(args, call, true).variance,
  ),
  lowering(
    "aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    (args, call) => {
      const { mean, variance } = varianceAndMean(args, call);
      const { dtype } = outOf(call);
      return [variance, elementsAs(reshaped(mean, call.node, shapeOf(outOf(call, 1))), dtype, call.node)];
    },
  ),
]);
