/** @file Cells that other tensors point at, and tensors made from nothing. */
import { SymExpr, type SymInt } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { add, atom, constant, type Index, isWithin, isZero, multiply, size } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import { scalarText } from "../../text/scalar-text.js";
import {
  checkedScalar,
  dimension,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  numberScalar,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { LazyTensor } from "../lazy.js";

/** The place that an integer tensor's cell names in a dimension; negative ones count from the end. */
export function placeIn(cell: Scalar, extent: Index, mayBeNegative: boolean): Index {
  const value = cast(cell, "int64");
  // A range of places needs no reading.
  if (value.kind === "index" && isWithin(value.index, extent)) return value.index;
  const wrapped = mayBeNegative
    ? select(apply("lt", value, constantScalar(0, "int64")), apply("add", value, indexScalar(extent)), value)
    : value;
  return atom({ kind: "value", scalar: wrapped, key: `[${scalarText(wrapped)}]`, bound: extent });
}

export interface MadeInit {
  readonly inputs: readonly LazyTensor[];
  readonly operations?: number;
  /** Whether a cell takes a reduction. */
  readonly heavy?: boolean;
  readonly cell: (at: readonly Index[]) => Scalar;
}
/** A tensor in the shape and dtype that the graph gives the result. */
export function made(
  of: LoweringCall,
  { inputs, operations = 1, heavy = false, cell }: MadeInit,
): LazyTensor {
  const out = outOf(of);
  of.context.fit(inputs, operations);
  const tensor = new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: of.node,
    inputs,
    operations,
    heavy,
    cell,
  });
  of.context.made(tensor);
  return tensor;
}

const embedding: Lowering = {
  rule: (of) => {
    const weight = of.context.many(tensorArg(of, "weight"));
    const indices = of.context.many(tensorArg(of, "indices"), 2);
    const lead = indices.shape.length;
    return made(of, {
      inputs: [weight, indices],
      cell: (at) =>
        weight.cell([placeIn(indices.cell(at.slice(0, lead)), weight.shape[0]!, false), ...at.slice(lead)]),
    });
  },
};
const indexSelect: Lowering = {
  rule: (of) => {
    const self = of.context.many(tensorArg(of, "self"));
    const indices = of.context.many(tensorArg(of, "index"), 2);
    const dim = dimension(Number(of.args["dim"]), self.shape.length);
    if (self.shape.length === 0) return made(of, { inputs: [self], cell: () => self.cell([]) });
    const one = (at: readonly Index[]): Index =>
      placeIn(indices.cell(indices.shape.length === 0 ? [] : [at[dim]!]), self.shape[dim]!, false);
    return made(of, {
      inputs: [self, indices],
      cell: (at) => self.cell(at.map((index, d) => (d === dim ? one(at) : index))),
    });
  },
};
const gather: Lowering = {
  rule: (of) => {
    const self = of.context.many(tensorArg(of, "self"));
    const indices = of.context.once(tensorArg(of, "index"));
    const dim = dimension(Number(of.args["dim"]), self.shape.length);
    // A 0-d tensor is one of a single cell, whichever of the two it is.
    const cell = (at: readonly Index[]): Scalar => {
      if (isNothing(indices)) return constantScalar(0, self.dtype);
      if (self.shape.length === 0) return self.cell([]);
      const place = placeIn(indices.cell(at), self.shape[dim]!, false);
      return self.cell(at.length === 0 ? [place] : at.map((index, d) => (d === dim ? place : index)));
    };
    return made(of, { inputs: [self, indices], cell });
  },
};

/** Whether a tensor has no cells; as an index it may then have any number of dimensions. */
export const isNothing = (tensor: LazyTensor): boolean => tensor.shape.some(isZero);

/**
 * Every cell the same number. One beyond all floats is an infinity: decompositions fill tensors with the numbers of operators
 * that take them so (`where`), though PyTorch's `full` itself refuses it.
 */
const filled = (value: (of: LoweringCall) => unknown): Lowering => ({
  rule: (of) => {
    const [given, { dtype }] = [value(of), outOf(of)];
    const scalar = isFloatDType(dtype) ? numberScalar : checkedScalar;
    return made(of, { inputs: [], operations: 0, cell: () => scalar(given, dtype) });
  },
});
const fillValue = ({ args }: LoweringCall): unknown => args["fill_value"] ?? args["value"];
/** `start + i * step`, computed in the dtype of the result, or float64 for floats (`aten/src/ATen/native/RangeFactories.cpp`). */
const arange: Lowering = {
  rule: (of) => {
    const { dtype } = outOf(of);
    const [start, step] = [of.args["start"] ?? 0, of.args["step"] ?? 1];
    // Integers are counted in integers, whatever start and step were written as.
    const [from0, by0] = [start, step].map((value) => wholeOf(value, !isFloatDType(dtype)));
    if (from0 !== undefined && by0 !== undefined) {
      const cell = (at: readonly Index[]): Scalar =>
        cast(indexScalar(add(from0, multiply(at[0]!, by0))), dtype);
      return made(of, { inputs: [], operations: 1, cell });
    }
    const [from, by] = [numberScalar(start, dtype), numberScalar(step, dtype)];
    return made(of, {
      inputs: [],
      operations: 2,
      cell: (at) => apply("add", from, apply("mul", cast(indexScalar(at[0]!), dtype), by)),
    });
  },
};
/** A whole number, symbolic ones too; others are cut when asked for. */
function wholeOf(value: unknown, isCut: boolean): Index | undefined {
  if (value instanceof SymExpr) return size(value as SymInt);
  const {
    kind,
    expr,
    value: inner = value,
  } = Object(value) as { kind?: string; expr?: SymInt; value?: unknown };
  if (kind === "SymInt" && expr !== undefined) return size(expr);
  if (typeof inner !== "number" && typeof inner !== "boolean") return undefined;
  const number = Number(inner);
  if (Number.isInteger(number)) return constant(number);
  return isCut ? constant(Math.trunc(number)) : undefined;
}

const table = (lowering: Lowering, ...targets: readonly string[]): LoweringTable =>
  Object.fromEntries(targets.map((target) => [`aten.${target}`, lowering]));

export const GATHERS: LoweringTable = {
  "aten.embedding.default": embedding,
  "aten.index_select.default": indexSelect,
  "aten.gather.default": gather,
  ...table(filled(fillValue), "full.default", "full_like.default", "fill.Scalar", "new_full.default"),
  ...table(
    filled(({ args }) => args["s"]),
    "scalar_tensor.default",
  ),
  ...table(
    filled(() => 0),
    "zeros.default",
    "zeros_like.default",
    "new_zeros.default",
  ),
  ...table(
    filled(() => 1),
    "ones.default",
    "ones_like.default",
    "new_ones.default",
  ),
  // What the cells hold is not defined; zero keeps runs alike.
  ...table(
    filled(() => 0),
    "empty.memory_format",
    "empty_like.default",
    "new_empty.default",
    "empty_permuted.default",
    "empty_strided.default",
    "new_empty_strided.default",
  ),
  ...table(arange, "arange.start_step", "arange.start", "arange.default"),
};
