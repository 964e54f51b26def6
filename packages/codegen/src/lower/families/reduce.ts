/** @file Reductions over dimensions. */
import type { DType } from "@sconce/tensor";
import { fixedValue, type Index, ONE, product, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type ReduceKind, type Scalar } from "../../ir/scalar.js";
import {
  cannot,
  computeType,
  dimensions,
  flag,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  numbers,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { LazyTensor } from "../lazy.js";

export interface ReduceInit {
  readonly kind: ReduceKind;
  readonly dims: readonly number[];
  readonly keepdim: boolean;
  readonly dtype: DType;
  /** What is reduced, from a cell. */
  readonly body?: (cell: Scalar, at: readonly Index[]) => Scalar;
  /** What becomes of the result; `first` is the place of the first cell that is reduced. */
  readonly finish?: (value: Scalar, first: readonly Index[]) => Scalar;
  readonly shape?: readonly Index[];
}

/** Of nothing there is no greatest: PyTorch refuses. */
const NEEDS_CELLS: ReadonlySet<ReduceKind> = new Set<ReduceKind>(["max", "min", "argmax", "argmin"]);

/** A tensor whose cells reduce `self` over dimensions. */
export function reduceOver(
  { context, node }: Pick<LoweringCall, "context" | "node">,
  self: LazyTensor,
  { kind, dims, keepdim, dtype, body = (cell) => cell, finish = (value) => value, shape }: ReduceInit,
): LazyTensor {
  const reduced = new Set(dims);
  if (NEEDS_CELLS.has(kind) && dims.some((d) => fixedValue(self.shape[d]!) === 0))
    return cannot("it has no cells to choose from");
  const kept = self.shape.map((_, d) => d).filter((d) => !reduced.has(d));
  const order = [...reduced].sort((a, b) => a - b);
  const outShape =
    shape ??
    (keepdim
      ? self.shape.map((extent, d) => (reduced.has(d) ? ONE : extent))
      : kept.map((d) => self.shape[d]!));
  const tensor = new LazyTensor({
    dtype,
    shape: outShape,
    node,
    inputs: [context.reduced(self)],
    heavy: true,
    operations: 2,
    cell: (at) => {
      const inner = context.axes(order.map((d) => self.shape[d]!));
      const cellAt = self.shape.map((_, d) =>
        reduced.has(d) ? inner.at[order.indexOf(d)]! : at[keepdim ? d : kept.indexOf(d)]!,
      );
      const value = body(self.cell(cellAt), cellAt);
      const result = ["argmax", "argmin"].includes(kind) ? "int64" : value.dtype;
      const whole: Scalar =
        inner.axes.length === 0 && result !== "int64"
          ? value
          : { kind: "reduce", dtype: result, reduce: kind, axes: inner.axes, body: value };
      const first = self.shape.map((_, d) => (reduced.has(d) ? ZERO : at[keepdim ? d : kept.indexOf(d)]!));
      return cast(finish(whole, first), dtype);
    },
  });
  context.made(tensor);
  return tensor;
}

const dimsOf = (of: LoweringCall, self: LazyTensor): number[] =>
  dimensions(numbers(of, "dim"), self.shape.length);
/** How many cells go into one. */
export const countOf = (self: LazyTensor, dims: readonly number[], dtype: DType): Scalar =>
  numberOf(product(dims.map((d) => self.shape[d]!)), dtype);
/** An index as a number of another dtype. */
export function numberOf(index: Index, dtype: DType): Scalar {
  return index.terms.length === 0 ? constantScalar(index.constant, dtype) : cast(indexScalar(index), dtype);
}

/** A reduction in the dtype of the result. */
const simple = (kind: ReduceKind): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const { dtype } = outOf(of);
    return reduceOver(of, self, {
      kind,
      dims: dimsOf(of, self),
      keepdim: flag(of, "keepdim"),
      dtype,
      body: (cell) => cast(cell, computeType(dtype)),
    });
  },
});
/** One dimension given as a number, or all. */
const productRule: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "self");
    const { dtype } = outOf(of);
    const dim = of.args["dim"];
    const dims =
      typeof dim === "number" ? dimensions([dim], self.shape.length) : dimensions([], self.shape.length);
    const body = (cell: Scalar): Scalar => cast(cell, computeType(dtype));
    return reduceOver(of, self, { kind: "prod", dims, keepdim: flag(of, "keepdim"), dtype, body });
  },
};
const mean: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "self");
    const { dtype } = outOf(of);
    const dims = dimsOf(of, self);
    const compute = computeType(dtype);
    return reduceOver(of, self, {
      kind: "sum",
      dims,
      keepdim: flag(of, "keepdim"),
      dtype,
      body: (cell) => cast(cell, compute),
      finish: (sum) => apply("div", sum, countOf(self, dims, compute)),
    });
  },
};
const truthOf = (kind: "any" | "all"): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const dim = of.args["dim"];
    const given = typeof dim === "number" ? [dim] : numbers(of, "dim");
    const { dtype } = outOf(of);
    const dims = dimensions(given, self.shape.length);
    return reduceOver(of, self, {
      kind,
      dims,
      keepdim: flag(of, "keepdim"),
      dtype,
      body: (cell) => cast(cell, "bool"),
    });
  },
});

const extremePlace = (kind: "argmax" | "argmin"): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const dim = of.args["dim"];
    const dims =
      typeof dim === "number" ? dimensions([dim], self.shape.length) : dimensions([], self.shape.length);
    return placeOf(of, self, kind, dims, flag(of, "keepdim"), shapeOf(outOf(of)));
  },
});
function placeOf(
  of: LoweringCall,
  self: LazyTensor,
  kind: "argmax" | "argmin",
  dims: readonly number[],
  keepdim: boolean,
  shape: readonly Index[],
): LazyTensor {
  const body = (cell: Scalar): Scalar => cast(cell, computeType(self.dtype));
  return reduceOver(of, self, { kind, dims, keepdim, dtype: "int64", body, shape });
}
/** `max.dim`: the extreme and where it is. */
const extremeWithPlace = (kind: "max" | "min"): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const dims = dimensions([Number(of.args["dim"])], self.shape.length);
    of.context.many(self);
    const keepdim = flag(of, "keepdim");
    const values = reduceOver(of, self, { kind, dims, keepdim, dtype: self.dtype });
    return [values, placeOf(of, self, `arg${kind}`, dims, keepdim, shapeOf(outOf(of, 1)))];
  },
});

/**
 * The mean over dimensions, kept, in memory: what deviations are measured from. Cells are summed as differences from the first
 * of their row: a running sum of cells with a large mean would lose what tells them apart.
 */
export function meanOf(
  of: Pick<LoweringCall, "context" | "node">,
  self: LazyTensor,
  dims: readonly number[],
  group?: string,
): LazyTensor {
  const compute = computeType(self.dtype);
  // A row without cells has no first one.
  const isEmpty = dims.some((d) => fixedValue(self.shape[d]!) === 0);
  const cellOf = (at: readonly Index[]): Scalar => cast(self.cell(at), compute);
  const mean = reduceOver(of, self, {
    kind: "sum",
    dims,
    keepdim: true,
    dtype: compute,
    body: (cell, at) =>
      isEmpty ? cast(cell, compute) : apply("sub", cast(cell, compute), cellOf(keptAt(at, dims, ZERO))),
    finish: (sum, first) => {
      const shifted = apply("div", sum, countOf(self, dims, compute));
      return isEmpty ? shifted : apply("add", shifted, cellOf(first));
    },
  });
  of.context.materialise(mean, group === undefined ? {} : { group });
  return mean;
}

/** The cell of `mean` (dimensions kept) that belongs to a cell of the tensor. */
export const keptAt = (at: readonly Index[], dims: readonly number[], zero: Index): Index[] =>
  at.map((index, d) => (dims.includes(d) ? zero : index));

export const REDUCTIONS: LoweringTable = {
  "aten.sum.dim_IntList": simple("sum"),
  "aten.sum.default": simple("sum"),
  "aten.amax.default": simple("max"),
  "aten.amin.default": simple("min"),
  "aten.max.default": simple("max"),
  "aten.min.default": simple("min"),
  "aten.prod.default": productRule,
  "aten.prod.dim_int": productRule,
  "aten.mean.default": mean,
  "aten.mean.dim": mean,
  ...Object.fromEntries(
    ["default", "dim", "dims"].flatMap((overload) => [
      [`aten.any.${overload}`, truthOf("any")],
      [`aten.all.${overload}`, truthOf("all")],
    ]),
  ),
  "aten.argmax.default": extremePlace("argmax"),
  "aten.argmin.default": extremePlace("argmin"),
  "aten.max.dim": extremeWithPlace("max"),
  "aten.min.dim": extremeWithPlace("min"),
};
