/** @file Elements that index tensors point at. */
import { wrapDimension } from "@sconce/tensor";
import { type Index, ZERO } from "../../ir/index-expr.js";
import { constantScalar, type Scalar } from "../../ir/scalar.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { indexingOf } from "../rules/indexing.js";
import { isNothing, made, onlyElement, placeIn } from "../rules/made.js";

export const INDEX_READS = defineLowerings([
  lowering(
    [
      "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
      "aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
    ],
    (args, call) => {
      const self = call.context.many(args.self);
      const by = indexingOf(call, self, args.indices);
      return made(call, {
        inputs: [self, ...by.indices.filter((tensor) => tensor !== null)],
        operations: 2,
        element: (at) => {
          const source = at.slice(by.at, by.at + by.shape.length);
          const rest = [...at.slice(0, by.at), ...at.slice(by.at + by.shape.length)];
          return self.element(
            self.shape.map((extent, d) => {
              const tensor = by.indices[d] ?? null;
              return tensor === null ? rest.shift()! : placeIn(tensor.element(source), extent, true);
            }),
          );
        },
      });
    },
  ),
  lowering("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", (args, call) => {
    const self = call.context.many(args.self);
    const indices = call.context.many(args.index, 2);
    const dim = wrapDimension(args.dim, self.shape.length);
    if (self.shape.length === 0) {
      if (isNothing(indices)) return made(call, { inputs: [self], element: () => self.element([]) });
      const index = (): Scalar => indices.element(indices.shape.map(() => ZERO));
      return made(call, { inputs: [self, indices], element: () => onlyElement(self, index()) });
    }
    const one = (at: readonly Index[]): Index =>
      placeIn(indices.element(indices.shape.length === 0 ? [] : [at[dim]!]), self.shape[dim]!, false);
    return made(call, {
      inputs: [self, indices],
      element: (at) => self.element(at.map((index, d) => (d === dim ? one(at) : index))),
    });
  }),
  lowering(
    "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
    (args, call) => {
      const self = call.context.many(args.self);
      const indices = call.context.once(args.index);
      const dim = wrapDimension(args.dim, self.shape.length);
      // A 0-d tensor is one of a single element, whichever of the two it is.
      const element = (at: readonly Index[]): Scalar => {
        if (isNothing(indices)) return constantScalar(0, self.dtype);
        if (self.shape.length === 0) return onlyElement(self, indices.element(at));
        const place = placeIn(indices.element(at), self.shape[dim]!, false);
        return self.element(at.length === 0 ? [place] : at.map((index, d) => (d === dim ? place : index)));
      };
      return made(call, { inputs: [self, indices], element });
    },
  ),
]);
