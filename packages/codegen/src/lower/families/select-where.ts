/** @file `where`: each element from one of two operands. */
import { cast, type Scalar, select } from "../../ir/scalar.js";
import { type Operand, tensorOperand } from "../core/arguments.js";
import { outOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, operandLowering } from "../core/lowering.js";
import { numberScalar } from "../core/numbers.js";
import { truth } from "../rules/elements.js";
import { pointwise } from "../rules/pointwise.js";

export const CHOICES = defineLowerings([
  operandLowering(
    [
      "aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
      "aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
      "aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
      "aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
    ],
    ({ condition, self, other }, call) => {
      const { dtype } = outOf(call);
      const tensors = [self, other].filter((value) => value instanceof LazyTensor);
      return pointwise(
        call,
        [tensorOperand(condition, "condition"), ...tensors],
        ([chosen, ...elements]) => {
          const elementOf = (value: Operand): Scalar =>
            cast(value instanceof LazyTensor ? elements.shift()! : numberScalar(value, dtype), dtype);
          const then = elementOf(self);
          return select(truth(chosen!), then, elementOf(other));
        },
        { common: "own" },
      );
    },
  ),
]);
