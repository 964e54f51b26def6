/** @file Elements in reverse, and repeated. */
import { add, constant, type Index, remainder, subtract } from "../../ir/index-expr.js";
import { dimension, outOf, shapeOf } from "../core/call.js";
import { viewOf } from "../core/lazy.js";
import { defineLowerings, lowering, viewLowering } from "../core/lowering.js";

export const REARRANGEMENTS = defineLowerings([
  viewLowering(["aten::flip(Tensor self, int[] dims) -> Tensor"], ({ self, dims }, call) => {
    const reversed = new Set(dims.map((dim) => dimension(dim, self.shape.length)));
    return viewOf(self, call.node, self.shape, (at) =>
      at.map((index, d) => (reversed.has(d) ? subtract(add(self.shape[d]!, constant(-1)), index) : index)),
    );
  }),
  lowering("aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", (args, call) => {
    const self = call.context.many(args.self);
    const shape = shapeOf(outOf(call));
    const lead = shape.length - self.shape.length;
    const back = (at: readonly Index[]): Index[] =>
      self.shape.map((extent, d) => remainder(at[d + lead]!, extent));
    return viewOf(self, call.node, shape, back, true);
  }),
]);
