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
  rule: (of) => {
    const self = of.context.reduced(tensorArg(of, "self"));
    const pad = of.args["pad"] as readonly SymInt[];
    const { dtype } = outOf(of);
    const before = self.shape.map((_, d) => size(pad[2 * (self.shape.length - 1 - d)] ?? 0));
    const outside = checkedScalar(of.args["value"] ?? 0, dtype);
    return made(of, {
      inputs: [self],
      operations: 2,
      cell: (at) => {
        const from = at.map((index, d) => add(index, scale(before[d]!, -1)));
        const guard = from.reduce<Scalar>((all, index, d) => both(all, inside(index, self.shape[d]!)), TRUE);
        return padded(guard, cast(self.cell(from), dtype), outside);
      },
    });
  },
};

const repeat: Lowering = {
  rule: (of) => {
    const self = of.context.many(tensorArg(of, "self"));
    const shape = shapeOf(outOf(of));
    const lead = shape.length - self.shape.length;
    const back = (at: readonly Index[]): Index[] =>
      self.shape.map((extent, d) => remainder(at[d + lead]!, extent));
    return viewOf(self, of.node, shape, back, true);
  },
};

/** Places of a triangle's cells by rows: where each row ends in one nest, the places in the next. */
const triangle = (isUpper: boolean): Lowering => ({
  rule: (of) => {
    const { context, node } = of;
    const out = outOf(of);
    const [rows, columns, offset] = [
      numberArg(of, "row"),
      numberArg(of, "col"),
      Number(of.args["offset"] ?? 0),
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
      cell: ([row]) =>
        sumOver(
          of,
          rows,
          (other) => lengthOf(other),
          (other) => apply("le", indexScalar(other), indexScalar(row!)),
        ),
    });
    context.made(ends);
    context.materialise(ends);
    const rowOf = (cell: Index): Scalar =>
      sumOver(
        of,
        rows,
        () => integer(1),
        (row) => apply("le", ends.cell([row]), indexScalar(cell)),
      );
    const row = new LazyTensor({
      dtype: "int64",
      shape: shapeOf(out).slice(1),
      node,
      inputs: [ends],
      heavy: true,
      cell: ([cell]) => rowOf(cell!),
    });
    context.made(row);
    context.materialise(row);
    const startOf = (found: Scalar): Scalar =>
      isUpper
        ? apply("min", apply("max", apply("add", found, integer(offset)), integer(0)), integer(columns))
        : integer(0);
    return made(of, {
      inputs: [ends, row],
      operations: 4,
      cell: ([which, cell]) => {
        const found = row.cell([cell!]);
        const before = sumOver(of, rows, lengthOf, (other) => apply("lt", indexScalar(other), found));
        const column = apply("add", apply("sub", indexScalar(cell!), before), startOf(found));
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
  rule: (of) => {
    const rate = of.args["train"] === false ? 0 : numberArg(of, "p");
    if (rate !== 0 && rate !== 1) return cannot("dropout in training draws random numbers");
    const input = of.context.once(tensorArg(of, "input"));
    const keeps = rate === 0;
    const mask = new LazyTensor({
      dtype: outOf(of, 1).dtype,
      shape: input.shape,
      node: of.node,
      inputs: [],
      cell: () => numberScalar(keeps, outOf(of, 1).dtype),
    });
    const cell = (at: readonly Index[]): Scalar => (keeps ? input.cell(at) : numberScalar(0, input.dtype));
    return [made(of, { inputs: [input], operations: 0, cell }), mask];
  },
};

export const PADS: LoweringTable = {
  "aten.constant_pad_nd.default": constantPad,
  "aten.repeat.default": repeat,
  "aten.tril_indices.default": triangle(false),
  "aten.triu_indices.default": triangle(true),
  "aten.native_dropout.default": dropout,
};
