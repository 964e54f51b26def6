/** @file Tables looked up by indices. */
import { defineLowerings, lowering } from "../core/lowering.js";
import { made, placeIn } from "../rules/made.js";

export const EMBEDDINGS = defineLowerings([
  lowering(
    "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
    (args, call) => {
      const weight = call.context.table(args.weight);
      const indices = call.context.many(args.indices, 2);
      const lead = indices.shape.length;
      return made(call, {
        inputs: [weight, indices],
        element: (at) =>
          weight.element([
            placeIn(indices.element(at.slice(0, lead)), weight.shape[0]!, false),
            ...at.slice(lead),
          ]),
      });
    },
  ),
]);
