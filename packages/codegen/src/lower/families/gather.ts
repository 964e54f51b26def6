/** @file Elements that other tensors point at, and tensors made from nothing. */
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

/**
 * The place that an integer tensor's element names in a dimension; negative ones count from the
 * end.
 */
export function placeIn(element: Scalar, extent: Index, mayBeNegative: boolean): Index {
  const value = cast(element, "int64");
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
  /** Whether an element takes a reduction. */
  readonly heavy?: boolean;
  readonly element: (at: readonly Index[]) => Scalar;
}
/** A tensor in the shape and dtype that the graph gives the result. */
export function made(
  call: LoweringCall,
  { inputs, operations = 1, heavy = false, element }: MadeInit,
): LazyTensor {
  const out = outOf(call);
  call.context.fit(inputs, operations);
  const tensor = new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: call.node,
    inputs,
    operations,
    heavy,
    element,
  });
  call.context.made(tensor);
  return tensor;
}

const embedding: Lowering = {
  rule: (call) => {
    const weight = call.context.many(tensorArg(call, "weight"));
    const indices = call.context.many(tensorArg(call, "indices"), 2);
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
};
const indexSelect: Lowering = {
  rule: (call) => {
    const self = call.context.many(tensorArg(call, "self"));
    const indices = call.context.many(tensorArg(call, "index"), 2);
    const dim = dimension(Number(call.args["dim"]), self.shape.length);
    if (self.shape.length === 0) return made(call, { inputs: [self], element: () => self.element([]) });
    const one = (at: readonly Index[]): Index =>
      placeIn(indices.element(indices.shape.length === 0 ? [] : [at[dim]!]), self.shape[dim]!, false);
    return made(call, {
      inputs: [self, indices],
      element: (at) => self.element(at.map((index, d) => (d === dim ? one(at) : index))),
    });
  },
};
const gather: Lowering = {
  rule: (call) => {
    const self = call.context.many(tensorArg(call, "self"));
    const indices = call.context.once(tensorArg(call, "index"));
    const dim = dimension(Number(call.args["dim"]), self.shape.length);
    // A 0-d tensor is one of a single element, whichever of the two it is.
    const element = (at: readonly Index[]): Scalar => {
      if (isNothing(indices)) return constantScalar(0, self.dtype);
      if (self.shape.length === 0) return self.element([]);
      const place = placeIn(indices.element(at), self.shape[dim]!, false);
      return self.element(at.length === 0 ? [place] : at.map((index, d) => (d === dim ? place : index)));
    };
    return made(call, { inputs: [self, indices], element });
  },
};

/** Whether a tensor has no elements; as an index it may then have any number of dimensions. */
export const isNothing = (tensor: LazyTensor): boolean => tensor.shape.some(isZero);

/**
 * Every element the same number. One beyond all floats is an infinity: decompositions fill tensors
 * with the numbers of operators that take them so (`where`), though PyTorch's `full` itself refuses
 * it.
 */
const filled = (value: (call: LoweringCall) => unknown): Lowering => ({
  rule: (call) => {
    const [given, { dtype }] = [value(call), outOf(call)];
    const scalar = isFloatDType(dtype) ? numberScalar : checkedScalar;
    return made(call, { inputs: [], operations: 0, element: () => scalar(given, dtype) });
  },
});
const fillValue = ({ args }: LoweringCall): unknown => args["fill_value"] ?? args["value"];
/**
 * `start + i * step`, computed in the dtype of the result, or float64 for floats
 * (`aten/src/ATen/native/RangeFactories.cpp`).
 */
const arange: Lowering = {
  rule: (call) => {
    const { dtype } = outOf(call);
    const [start, step] = [call.args["start"] ?? 0, call.args["step"] ?? 1];
    // Integers are counted in integers, whatever start and step were written as.
    const [from0, by0] = [start, step].map((value) => wholeOf(value, !isFloatDType(dtype)));
    if (from0 !== undefined && by0 !== undefined) {
      const element = (at: readonly Index[]): Scalar =>
        cast(indexScalar(add(from0, multiply(at[0]!, by0))), dtype);
      return made(call, { inputs: [], operations: 1, element });
    }
    const [from, by] = [numberScalar(start, dtype), numberScalar(step, dtype)];
    return made(call, {
      inputs: [],
      operations: 2,
      element: (at) => apply("add", from, apply("mul", cast(indexScalar(at[0]!), dtype), by)),
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
  // What the elements hold is not defined; zero keeps runs alike.
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
