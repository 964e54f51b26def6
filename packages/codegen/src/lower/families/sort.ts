/** @file Elements in order. */
import { wrapDimension } from "@sconce/tensor";
import { indexScalar } from "../../ir/scalar.js";
import type { LoweringCall } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { picked, single } from "../rules/rank.js";

function sorted(
  call: LoweringCall,
  self: LazyTensor,
  given: number,
  descending: boolean,
): readonly [LazyTensor, LazyTensor] {
  if (self.shape.length === 0) return single(call, self);
  const dim = wrapDimension(given, self.shape.length);
  return picked(call, self, { dim, descending, isOrder: true, rank: (at) => indexScalar(at[dim]!) });
}

export const SORTS = defineLowerings([
  lowering(
    [
      "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
      "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
    ],
    ({ self, dim, descending }, call) => sorted(call, self, dim, descending),
  ),
  lowering(
    "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
    ({ self, dim, largest }, call) => sorted(call, self, dim, largest),
  ),
]);
