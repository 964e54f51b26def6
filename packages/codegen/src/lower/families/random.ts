/** @file Dropout that draws no random numbers. */
import type { Index } from "../../ir/index-expr.js";
import type { Scalar } from "../../ir/scalar.js";
import { cannot, outOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { numberScalar } from "../core/numbers.js";
import { made } from "../rules/made.js";

export const DROPOUTS = defineLowerings([
  // Dropout that drops nothing, or everything; a `train` of None means training.
  lowering("aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", (args, call) => {
    const rate = args.train === false ? 0 : args.p;
    if (rate !== 0 && rate !== 1) return cannot("dropout in training draws random numbers");
    const input = call.context.once(args.input);
    const keeps = rate === 0;
    const { dtype } = outOf(call, 1);
    const mask = new LazyTensor({
      dtype,
      shape: input.shape,
      node: call.node,
      inputs: [],
      element: () => numberScalar(keeps, dtype),
    });
    const element = (at: readonly Index[]): Scalar =>
      keeps ? input.element(at) : numberScalar(0, input.dtype);
    return [made(call, { inputs: [input], operations: 0, element }), mask];
  }),
]);
