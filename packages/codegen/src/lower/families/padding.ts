/** @file Padding by a number, repetition, and tensors of places in a triangle. */
import type { SymInt } from "@sconce/symbolic";
import { add, constant, type Index, remainder, scale, size } from "../../ir/index-expr.js";
import {
  apply,
  both,
  cast,
  constantScalar,
  indexScalar,
  type Scalar,
  select,
  TRUE,
} from "../../ir/scalar.js";
import {
  cannot,
  checkedScalar,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  numberArg,
  numberScalar,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { LazyTensor, viewOf } from "../lazy.js";
import { inside, padded } from "./contract.js";
import { made } from "./gather.js";

/** `pad` holds before and after for dimensions from the last; negative ones cut. */
const constantPad: Lowering = {
  rule: (call) => {
    const self = call.context.reduced(tensorArg(call, "self"));
    const pad = call.args["pad"] as readonly SymInt[];
    const { dtype } = outOf(call);
    const before = self.shape.map((_, d) => size(pad[2 * (self.shape.length - 1 - d)] ?? 0));
    const outside = checkedScalar(call.args["value"] ?? 0, dtype);
    return made(call, {
      inputs: [self],
      operations: 2,
      element: (at) => {
        const from = at.map((index, d) => add(index, scale(before[d]!, -1)));
        const guard = from.reduce<Scalar>((all, index, d) => both(all, inside(index, self.shape[d]!)), TRUE);
        return padded(guard, cast(self.element(from), dtype), outside);
      },
    });
  },
};

const repeat: Lowering = {
  rule: (call) => {
    const self = call.context.many(tensorArg(call, "self"));
    const shape = shapeOf(outOf(call));
    const lead = shape.length - self.shape.length;
    const back = (at: readonly Index[]): Index[] =>
      self.shape.map((extent, d) => remainder(at[d + lead]!, extent));
    return viewOf(self, call.node, shape, back, true);
  },
};

/**
 * Places of a triangle's elements by rows: where each row ends in one nest, the places in the next.
 */
const triangle = (isUpper: boolean): Lowering => ({
  rule: (call) => {
    const { context, node } = call;
    const out = outOf(call);
    const [rows, columns, offset] = [
      numberArg(call, "row"),
      numberArg(call, "col"),
      Number(call.args["offset"] ?? 0),
    ];
    const integer = (value: number): Scalar => constantScalar(value, "int64");
    const clamp = (value: Scalar): Scalar => apply("min", apply("max", value, integer(0)), integer(columns));
    // The first column of a row for an upper triangle, the one after the last for a lower one.
    const border = (row: Index): Scalar => clamp(indexScalar(add(row, constant(offset + (isUpper ? 0 : 1)))));
    const lengthOf = (row: Index): Scalar =>
      isUpper ? apply("sub", integer(columns), border(row)) : border(row);
    const ends = new LazyTensor({
      dtype: "int64",
      shape: [constant(rows)],
      node,
      inputs: [],
      heavy: true,
      element: ([row]) =>
        sumOver(
          call,
          rows,
          (other) => lengthOf(other),
          (other) => apply("le", indexScalar(other), indexScalar(row!)),
        ),
    });
    context.made(ends);
    context.materialize(ends);
    const rowOf = (element: Index): Scalar =>
      sumOver(
        call,
        rows,
        () => integer(1),
        (row) => apply("le", ends.element([row]), indexScalar(element)),
      );
    const row = new LazyTensor({
      dtype: "int64",
      shape: shapeOf(out).slice(1),
      node,
      inputs: [ends],
      heavy: true,
      element: ([element]) => rowOf(element!),
    });
    context.made(row);
    context.materialize(row);
    const startOf = (found: Scalar): Scalar =>
      isUpper
        ? apply("min", apply("max", apply("add", found, integer(offset)), integer(0)), integer(columns))
        : integer(0);
    return made(call, {
      inputs: [ends, row],
      operations: 4,
      element: ([which, element]) => {
        const found = row.element([element!]);
        const before = sumOver(call, rows, lengthOf, (other) => apply("lt", indexScalar(other), found));
        const column = apply("add", apply("sub", indexScalar(element!), before), startOf(found));
        return cast(select(apply("eq", indexScalar(which!), integer(0)), found, column), out.dtype);
      },
    });
  },
});
function sumOver(
  { context }: LoweringCall,
  count: number,
  body: (at: Index) => Scalar,
  when: (at: Index) => Scalar,
): Scalar {
  const { axes, at } = context.axes([constant(count)]);
  return { kind: "reduce", dtype: "int64", reduce: "sum", axes, body: body(at[0]!), when: when(at[0]!) };
}

/** Dropout that drops nothing, or everything; a train of None means training. */
const dropout: Lowering = {
  rule: (call) => {
    const rate = call.args["train"] === false ? 0 : numberArg(call, "p");
    if (rate !== 0 && rate !== 1) return cannot("dropout in training draws random numbers");
    const input = call.context.once(tensorArg(call, "input"));
    const keeps = rate === 0;
    const mask = new LazyTensor({
      dtype: outOf(call, 1).dtype,
      shape: input.shape,
      node: call.node,
      inputs: [],
      element: () => numberScalar(keeps, outOf(call, 1).dtype),
    });
    const element = (at: readonly Index[]): Scalar =>
      keeps ? input.element(at) : numberScalar(0, input.dtype);
    return [made(call, { inputs: [input], operations: 0, element }), mask];
  },
};

export const PADS: LoweringTable = {
  "aten.constant_pad_nd.default": constantPad,
  "aten.repeat.default": repeat,
  "aten.tril_indices.default": triangle(false),
  "aten.triu_indices.default": triangle(true),
  "aten.native_dropout.default": dropout,
};
