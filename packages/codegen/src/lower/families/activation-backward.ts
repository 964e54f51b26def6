/** @file Gradients of activations. */

import type { ScalarArg } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { apply, constantScalar, type Scalar, select } from "../../ir/scalar.js";
import { type LoweringCall, outOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { numberScalar, operandNumber } from "../core/numbers.js";
import { constantLike, div, mul, sub } from "../rules/elements.js";
import { pointwise } from "../rules/pointwise.js";

/** Returns the gradient where `self` is outside of `-lambd..lambd`, zero inside. */
const shrinkBackward = (
  call: LoweringCall,
  gradient: LazyTensor,
  self: LazyTensor,
  lambd: ScalarArg,
): LazyTensor =>
  pointwise(call, [gradient, self], ([grad, x]) => {
    const border = operandNumber(lambd, outOf(call).dtype);
    const isInside = apply("and", apply("ge", x!, apply("neg", border)), apply("le", x!, border));
    return select(isInside, constantLike(0, x!), grad!);
  });

/**
 * `grad / (x * (1 - x))` inside of the margins, zero outside; without margins NaN outside and
 * infinity at the ends (`logit_backward_kernel`).
 */
function logitBackward(
  call: LoweringCall,
  gradient: LazyTensor,
  self: LazyTensor,
  eps: number | null,
): LazyTensor {
  return pointwise(call, [gradient, self], ([grad, x]) => {
    const number = (value: number): Scalar => constantLike(value, x!);
    const [zero, one] = [number(0), number(1)];
    const slope = div(grad!, mul(x!, sub(one, x!)));
    const isEnd = apply("or", apply("eq", x!, zero), apply("eq", x!, one));
    const inner = select(isEnd, mul(grad!, number(Number.POSITIVE_INFINITY)), slope);
    if (eps === null || eps < 0) {
      const isOutside = apply("or", apply("lt", x!, zero), apply("gt", x!, one));
      return select(isOutside, number(Number.NaN), inner);
    }
    const low = rounded(eps, outOf(call).dtype);
    const high = rounded(1 - low, outOf(call).dtype);
    const isOutside = apply("or", apply("lt", x!, number(low)), apply("gt", x!, number(high)));
    return select(isOutside, zero, inner);
  });
}
/** Returns a number as a float dtype holds it. */
const rounded = (value: number, dtype: DType): number =>
  dtype === "float32" ? Math.fround(value) : Number(constantScalar(value, dtype).value);

export const ACTIVATION_GRADIENTS = defineLowerings([
  lowering(
    "aten::logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor",
    ({ grad_output, self, eps }, call) => logitBackward(call, grad_output, self, eps),
  ),
  // Halves are compared in float32: the decomposition rounds the number to them.
  lowering(
    "aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
    ({ grad_output, self, threshold }, call) =>
      pointwise(call, [grad_output, self], ([grad, x]) =>
        select(apply("le", x!, numberScalar(threshold, x!.dtype)), constantLike(0, x!), grad!),
      ),
  ),
  lowering(
    "aten::hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
    ({ grad_out, self, lambd }, call) => shrinkBackward(call, grad_out, self, lambd),
  ),
  lowering(
    "aten::softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
    ({ grad_output, self, lambd }, call) => shrinkBackward(call, grad_output, self, lambd),
  ),
]);
