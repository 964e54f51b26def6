/** @file Conversions of dtype, and copies. */
import { mayOverlap } from "@sconce/ir";
import { cast } from "../../ir/scalar.js";
import { cannot, type LoweringCall, outOf } from "../core/call.js";
import { broadcastTo, type LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { made } from "../rules/made.js";
import { pointwise } from "../rules/pointwise.js";

const converted = (call: LoweringCall, tensor: LazyTensor): LazyTensor =>
  pointwise(call, [tensor], ([x]) => cast(x!, outOf(call).dtype), { common: "own" });

const copied = (call: LoweringCall, tensor: LazyTensor): LazyTensor =>
  pointwise(call, [tensor], ([x]) => x!, { operations: 0, common: "own" });

export const CONVERSIONS = defineLowerings([
  lowering(
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
    ({ self }, call) => converted(call, self),
  ),
  lowering("prims::convert_element_type(Tensor a, ScalarType dtype) -> Tensor", ({ a }, call) =>
    converted(call, a),
  ),
  lowering(
    [
      "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
      "aten::lift_fresh_copy(Tensor self) -> Tensor",
      "aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)",
    ],
    ({ self }, call) => copied(call, self),
  ),
  // Strides are those of the result, which the runtime lays out.
  lowering("prims::copy_strided(Tensor a, SymInt[] stride) -> Tensor", ({ a, stride }, call) =>
    mayOverlap(outOf(call).shape, stride)
      ? cannot("elements of its result may share memory, which the interpreter refuses")
      : copied(call, a),
  ),
  // The elements of the source in the first tensor's shape and dtype.
  lowering(
    "aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
    ({ self, src }, call) => {
      const { dtype } = outOf(call);
      const source = call.context.once(broadcastTo(src, call, self.shape));
      return made(call, {
        inputs: [source],
        operations: 0,
        element: (at) => cast(source.element(at), dtype),
      });
    },
  ),
]);
