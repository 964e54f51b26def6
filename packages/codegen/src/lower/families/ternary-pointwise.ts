/** @file Functions of three operands. */
import type { ScalarArg } from "@sconce/ops";
import { apply, type Scalar, select } from "../../ir/scalar.js";
import { tensorOperand } from "../core/arguments.js";
import { type LoweringCall, outOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering, operandLowering } from "../core/lowering.js";
import { checkedScalar, numberScalar } from "../core/numbers.js";
import { add, clamped, constantLike, mul, sub, unary } from "../rules/elements.js";
import { pointwise } from "../rules/pointwise.js";

interface Scaled {
  readonly self: LazyTensor;
  readonly tensor1: LazyTensor;
  readonly tensor2: LazyTensor;
  readonly value: ScalarArg;
}
/** `self + value * tensor1 * tensor2`, `self + value * tensor1 / tensor2`. */
const added =
  (fn: "mul" | "div") =>
  ({ self, tensor1, tensor2, value }: Scaled, call: LoweringCall): LazyTensor =>
    pointwise(call, [self, tensor1, tensor2], ([x, a, b]) =>
      add(x!, apply(fn, mul(numberScalar(value, x!.dtype), a!), b!)),
    );

/** `aten/src/ATen/native/Lerp.h`: the step is added to the nearer end. */
function interpolated(a: Scalar, b: Scalar, weight: Scalar): Scalar {
  const step = sub(b, a);
  const near = add(a, mul(weight, step));
  const far = sub(b, mul(step, sub(constantLike(1, weight), weight)));
  return select(apply("lt", apply("abs", weight), constantLike(0.5, weight)), near, far);
}

export const TERNARY_OPERATORS = defineLowerings([
  lowering(
    "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    ({ self, min, max }, call) =>
      unary(call, self, (x) => {
        const bound = (value: ScalarArg | null): Scalar | undefined => {
          if (value === null) return undefined;
          // Halves are computed in float32, but hold less.
          checkedScalar(value, outOf(call).dtype);
          return checkedScalar(value, x.dtype);
        };
        return clamped(x, bound(min), bound(max));
      }),
  ),
  lowering(
    "aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
    ({ self, min, max }, call) => {
      const operands = [self, min, max].filter((tensor) => tensor !== null);
      return pointwise(call, operands, ([x, ...bounds]) => {
        const least = min === null ? undefined : bounds.shift();
        return clamped(x!, least, max === null ? undefined : bounds.shift());
      });
    },
  ),
  lowering(
    "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    added("mul"),
  ),
  lowering(
    "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    added("div"),
  ),
  operandLowering(
    [
      "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
      "aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
    ],
    ({ self, end, weight }, call) => {
      const tensors = [tensorOperand(self, "self"), tensorOperand(end, "end")];
      return weight instanceof LazyTensor
        ? pointwise(call, [...tensors, weight], ([a, b, w]) => interpolated(a!, b!, w!))
        : pointwise(call, tensors, ([a, b]) => interpolated(a!, b!, numberScalar(weight, a!.dtype)));
    },
  ),
]);
