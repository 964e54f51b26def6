/** @file Gradients of activations. */

import type { ScalarArg } from "@sconce/ops";
import { apply, select } from "../../ir/scalar.js";
import { type LoweringCall, outOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { numberScalar, operandNumber } from "../core/numbers.js";
import { constantLike } from "../rules/elements.js";
import { pointwise } from "../rules/pointwise.js";

/** The gradient where `self` is outside of `-lambd..lambd`, zero inside. */
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

export const ACTIVATION_GRADIENTS = defineLowerings([
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
