/** @file Tables looked up by bags, and elements put where a mask is true. */
import { add, constant, flatIndex, type Index, isWithin, ONE, product } from "../../ir/index-expr.js";
import {
  apply,
  cast,
  constantScalar,
  indexScalar,
  type ReduceKind,
  type Scalar,
  select,
} from "../../ir/scalar.js";
import {
  computeType,
  type Lowering,
  type LoweringTable,
  optionalTensor,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { broadcastTo, LazyTensor, reshaped } from "../lazy.js";
import { truth } from "./elementwise.js";
import { made, placeIn } from "./gather.js";

const MEAN = 1;
const MAXIMUM = 2;

/**
 * Elements of the mask take those of the source in order: how many are true up to an element says
 * which.
 */
const maskedScatter: Lowering = {
  rule: (call) => {
    const { context, node } = call;
    const out = outOf(call);
    const shape = shapeOf(out);
    const [self, mask] = ["self", "mask"].map((name) =>
      context.many(broadcastTo(tensorArg(call, name), node, shape)),
    ) as [LazyTensor, LazyTensor];
    const source = context.many(tensorArg(call, "source"));
    const count = product(source.shape);
    const line = reshaped(source, node, [count]);
    const elements = reshaped(mask, node, [product(shape)]);
    const counts = new LazyTensor({
      dtype: "int64",
      shape: elements.shape,
      node,
      inputs: [mask],
      heavy: true,
      element: ([place]) => {
        const { axes, at } = context.axes(elements.shape);
        const body = cast(truth(elements.element(at)), "int64");
        const when = apply("le", indexScalar(at[0]!), indexScalar(place!));
        return { kind: "reduce", dtype: "int64", reduce: "sum", axes, body, when };
      },
    });
    context.made(counts);
    context.materialize(counts, { hint: { kind: "scan", axis: "i0" } });
    return made(call, {
      inputs: [self, mask, source, counts],
      operations: 2,
      element: (at) => {
        const before = apply("sub", counts.element([flatIndex(at, shape)]), constantScalar(1, "int64"));
        const from = placeIn(before, count, false);
        return select(truth(mask.element(at)), line.element([from]), self.element(at));
      },
    });
  },
};

/**
 * Rows of each bag summed, averaged, or their greatest elements; those of `padding_idx` are left
 * out.
 */
const embeddingBag: Lowering = {
  rule: (call) => {
    const { context } = call;
    const [weight, indices, offsets] = ["weight", "indices", "offsets"].map((name) =>
      context.many(tensorArg(call, name)),
    ) as [LazyTensor, LazyTensor, LazyTensor];
    const scales = optionalTensor(call, "per_sample_weights");
    const mode = Number(call.args["mode"] ?? 0);
    const { dtype } = outOf(call);
    const compute = computeType(dtype);
    const [starts, entries] = [offsets.shape[0]!, indices.shape[0]!];
    const rows = weight.shape[0]!;
    const skipped = paddingRow(Number(call.args["padding_idx"] ?? -1), rows);
    const startOf = (bag: Index): Scalar => cast(offsets.element([bag]), "int64");
    const endOf = (bag: Index): Scalar =>
      isWithin(add(bag, ONE), starts)
        ? startOf(add(bag, ONE))
        : select(
            apply("lt", indexScalar(add(bag, ONE)), indexScalar(starts)),
            startOf(add(bag, ONE)),
            indexScalar(entries),
          );
    const inputs = [weight, indices, offsets, ...(scales === undefined ? [] : [context.many(scales)])];
    const out = made(call, {
      inputs,
      operations: 4,
      heavy: true,
      element: ([bag, column]) => {
        const { axes, at } = context.axes([entries]);
        const entry = at[0]!;
        const row = cast(indices.element([entry]), "int64");
        const isIn = apply(
          "and",
          apply("ge", indexScalar(entry), startOf(bag!)),
          apply("lt", indexScalar(entry), endOf(bag!)),
        );
        const when =
          skipped === undefined ? isIn : apply("and", isIn, apply("ne", row, indexScalar(skipped)));
        const element = cast(weight.element([placeIn(row, rows, false), column!]), compute);
        const value =
          scales === undefined ? element : apply("mul", element, cast(scales.element([entry]), compute));
        const reduced = (reduce: ReduceKind, body: Scalar): Scalar => ({
          kind: "reduce",
          dtype: body.dtype,
          reduce,
          axes,
          body,
          when,
        });
        const count = reduced("sum", constantScalar(1, "int64"));
        const isEmpty = apply("eq", count, constantScalar(0, "int64"));
        const zero = constantScalar(0, compute);
        if (mode === MAXIMUM) return cast(select(isEmpty, zero, reduced("max", value)), dtype);
        const sum = reduced("sum", value);
        if (mode !== MEAN) return cast(sum, dtype);
        return cast(select(isEmpty, zero, apply("div", sum, cast(count, compute))), dtype);
      },
    });
    context.materialize(out, { hint: { kind: "scatter" } });
    // How bags were made is for gradients only.
    return [out, null, null, null];
  },
};
/** The row that is left out: -1 is none, other negative ones count from the end. */
const paddingRow = (given: number, rows: Index): Index | undefined =>
  given === -1 ? undefined : given < 0 ? add(rows, constant(given)) : constant(given);

export const LOOKUPS: LoweringTable = {
  "aten.masked_scatter.default": maskedScatter,
  "aten._embedding_bag.default": embeddingBag,
  "aten._embedding_bag_forward_only.default": embeddingBag,
};
