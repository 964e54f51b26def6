/** @file Comparisons, and logic of two tensors. */
import { apply, COMPARE, type CompareFn } from "../../ir/scalar.js";
import type { LoweringCall } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering, operandLowering } from "../core/lowering.js";
import { binary, commonType, type Operands, truth } from "../rules/elements.js";
import { pointwise } from "../rules/pointwise.js";

const compare =
  (fn: CompareFn) =>
  ({ self, other }: Operands, call: LoweringCall): LazyTensor =>
    binary(call, self, other, (a, b) => apply(fn, a, b), { common: commonType(self, other) });

interface TwoTensors {
  readonly self: LazyTensor;
  readonly other: LazyTensor;
}
const logical =
  (fn: "and" | "or" | "xor") =>
  ({ self, other }: TwoTensors, call: LoweringCall): LazyTensor =>
    pointwise(call, [self, other], ([a, b]) => apply(fn, truth(a!), truth(b!)), {
      common: commonType(self, other),
    });

export const COMPARISONS = defineLowerings([
  ...COMPARE.map((fn) =>
    operandLowering(
      [
        `aten::${fn}.Tensor(Tensor self, Tensor other) -> Tensor`,
        `aten::${fn}.Scalar(Tensor self, Scalar other) -> Tensor`,
      ],
      compare(fn),
    ),
  ),
  lowering("aten::logical_and(Tensor self, Tensor other) -> Tensor", logical("and")),
  lowering("aten::logical_or(Tensor self, Tensor other) -> Tensor", logical("or")),
  lowering("aten::logical_xor(Tensor self, Tensor other) -> Tensor", logical("xor")),
]);
