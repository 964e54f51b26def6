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
  /** What is reduced, from an element. */
  readonly body?: (element: Scalar, at: readonly Index[]) => Scalar;
  /** What becomes of the result; `first` is the place of the first element that is reduced. */
  readonly finish?: (value: Scalar, first: readonly Index[]) => Scalar;
  readonly shape?: readonly Index[];
}

/** Reductions that PyTorch rejects for tensors without elements. */
const NEEDS_ELEMENTS: ReadonlySet<ReduceKind> = new Set<ReduceKind>(["max", "min", "argmax", "argmin"]);

/** A tensor whose elements reduce `self` over dimensions. */
export function reduceOver(
  { context, node }: Pick<LoweringCall, "context" | "node">,
  self: LazyTensor,
  { kind, dims, keepdim, dtype, body = (element) => element, finish = (value) => value, shape }: ReduceInit,
): LazyTensor {
  const reduced = new Set(dims);
  if (NEEDS_ELEMENTS.has(kind) && dims.some((d) => fixedValue(self.shape[d]!) === 0))
    return cannot("it has no elements to choose from");
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
    element: (at) => {
      const inner = context.axes(order.map((d) => self.shape[d]!));
      const elementAt = self.shape.map((_, d) =>
        reduced.has(d) ? inner.at[order.indexOf(d)]! : at[keepdim ? d : kept.indexOf(d)]!,
      );
      const value = body(self.element(elementAt), elementAt);
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

const dimsOf = (call: LoweringCall, self: LazyTensor): number[] =>
  dimensions(numbers(call, "dim"), self.shape.length);
/** How many elements go into one. */
export const countOf = (self: LazyTensor, dims: readonly number[], dtype: DType): Scalar =>
  numberOf(product(dims.map((d) => self.shape[d]!)), dtype);
/** An index as a number of another dtype. */
export function numberOf(index: Index, dtype: DType): Scalar {
  return index.terms.length === 0 ? constantScalar(index.constant, dtype) : cast(indexScalar(index), dtype);
}

/** A reduction in the dtype of the result. */
const simple = (kind: ReduceKind): Lowering => ({
  rule: (call) => {
    const self = tensorArg(call, "self");
    const { dtype } = outOf(call);
    return reduceOver(call, self, {
      kind,
      dims: dimsOf(call, self),
      keepdim: flag(call, "keepdim"),
      dtype,
      body: (element) => cast(element, computeType(dtype)),
    });
  },
});
/** One dimension given as a number, or all. */
const productRule: Lowering = {
  rule: (call) => {
    const self = tensorArg(call, "self");
    const { dtype } = outOf(call);
    const dim = call.args["dim"];
    const dims =
      typeof dim === "number" ? dimensions([dim], self.shape.length) : dimensions([], self.shape.length);
    const body = (element: Scalar): Scalar => cast(element, computeType(dtype));
    return reduceOver(call, self, { kind: "prod", dims, keepdim: flag(call, "keepdim"), dtype, body });
  },
};
const mean: Lowering = {
  rule: (call) => {
    const self = tensorArg(call, "self");
    const { dtype } = outOf(call);
    const dims = dimsOf(call, self);
    const compute = computeType(dtype);
    return reduceOver(call, self, {
      kind: "sum",
      dims,
      keepdim: flag(call, "keepdim"),
      dtype,
      body: (element) => cast(element, compute),
      finish: (sum) => apply("div", sum, countOf(self, dims, compute)),
    });
  },
};
const truthOf = (kind: "any" | "all"): Lowering => ({
  rule: (call) => {
    const self = tensorArg(call, "self");
    const dim = call.args["dim"];
    const given = typeof dim === "number" ? [dim] : numbers(call, "dim");
    const { dtype } = outOf(call);
    const dims = dimensions(given, self.shape.length);
    return reduceOver(call, self, {
      kind,
      dims,
      keepdim: flag(call, "keepdim"),
      dtype,
      body: (element) => cast(element, "bool"),
    });
  },
});

const extremePlace = (kind: "argmax" | "argmin"): Lowering => ({
  rule: (call) => {
    const self = tensorArg(call, "self");
    const dim = call.args["dim"];
    const dims =
      typeof dim === "number" ? dimensions([dim], self.shape.length) : dimensions([], self.shape.length);
    return placeOf(call, self, kind, dims, flag(call, "keepdim"), shapeOf(outOf(call)));
  },
});
function placeOf(
  call: LoweringCall,
  self: LazyTensor,
  kind: "argmax" | "argmin",
  dims: readonly number[],
  keepdim: boolean,
  shape: readonly Index[],
): LazyTensor {
  const body = (element: Scalar): Scalar => cast(element, computeType(self.dtype));
  return reduceOver(call, self, { kind, dims, keepdim, dtype: "int64", body, shape });
}
/** `max.dim`: the extreme and where it is. */
const extremeWithPlace = (kind: "max" | "min"): Lowering => ({
  rule: (call) => {
    const self = tensorArg(call, "self");
    const dims = dimensions([Number(call.args["dim"])], self.shape.length);
    call.context.many(self);
    const keepdim = flag(call, "keepdim");
    const values = reduceOver(call, self, { kind, dims, keepdim, dtype: self.dtype });
    return [values, placeOf(call, self, `arg${kind}`, dims, keepdim, shapeOf(outOf(call, 1)))];
  },
});

/**
 * The mean over dimensions, kept, in memory: deviations are measured from it. Elements are summed
 * as differences from the first of their row: a running sum of elements with a large mean would
 * lose their differences.
 */
export function meanOf(
  call: Pick<LoweringCall, "context" | "node">,
  self: LazyTensor,
  dims: readonly number[],
  group?: string,
): LazyTensor {
  const compute = computeType(self.dtype);
  // A row without elements has no first one.
  const isEmpty = dims.some((d) => fixedValue(self.shape[d]!) === 0);
  const elementOf = (at: readonly Index[]): Scalar => cast(self.element(at), compute);
  const mean = reduceOver(call, self, {
    kind: "sum",
    dims,
    keepdim: true,
    dtype: compute,
    body: (element, at) =>
      isEmpty
        ? cast(element, compute)
        : apply("sub", cast(element, compute), elementOf(keptAt(at, dims, ZERO))),
    finish: (sum, first) => {
      const shifted = apply("div", sum, countOf(self, dims, compute));
      return isEmpty ? shifted : apply("add", shifted, elementOf(first));
    },
  });
  call.context.materialize(mean, group === undefined ? {} : { group });
  return mean;
}

/** The element of `mean` (dimensions kept) that belongs to an element of the tensor. */
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
