/** @file Padding by a number. */
import { add, scale, size } from "../../ir/index-expr.js";
import { both, cast, type Scalar, select, TRUE } from "../../ir/scalar.js";
import { outOf } from "../core/call.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { checkedScalar } from "../core/numbers.js";
import { made } from "../rules/made.js";
import { inside } from "../rules/window.js";

export const PADDINGS = defineLowerings([
  // `pad` holds before and after for dimensions from the last; negative ones cut.
  lowering("aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor", (args, call) => {
    const { pad, value } = args;
    const self = call.context.reduced(args.self);
    const { dtype } = outOf(call);
    const before = self.shape.map((_, d) => size(pad[2 * (self.shape.length - 1 - d)] ?? 0));
    const outside = checkedScalar(value, dtype);
    return made(call, {
      inputs: [self],
      operations: 2,
      element: (at) => {
        const from = at.map((index, d) => add(index, scale(before[d]!, -1)));
        const guard = from.reduce<Scalar>((all, index, d) => both(all, inside(index, self.shape[d]!)), TRUE);
        return select(guard, cast(self.element(from), dtype), outside);
      },
    });
  }),
]);
