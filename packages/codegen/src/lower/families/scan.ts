/** @file Cumulative operators: element `i` along a dimension reduces the elements up to `i`. */
import type { DType } from "@sconce/tensor";
import { atom, type Index, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type ReduceKind, type Scalar } from "../../ir/scalar.js";
import {
  computeType,
  dimension,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { LazyTensor } from "../lazy.js";

export interface ScanInit {
  readonly kind: ReduceKind;
  readonly dim: number;
  /** Position of the result among the call's. */
  readonly result?: number;
  /** The result's dtype unless given. */
  readonly dtype?: DType;
  /** What is reduced at a place along the dimension. */
  readonly body: (element: Scalar, place: Index, at: readonly Index[]) => Scalar;
  /** Elements that are left out besides those after `i`, by their own coordinates. */
  readonly when?: (element: Scalar, at: readonly Index[]) => Scalar;
  readonly initial?: (at: readonly Index[]) => Scalar;
  readonly inputs?: readonly LazyTensor[];
}

/**
 * A tensor whose elements reduce the elements of `self` up to them, in a nest of its own that says
 * so.
 */
export function scanOver(call: LoweringCall, self: LazyTensor, init: ScanInit): LazyTensor {
  const { context, node } = call;
  const { kind, dim, result = 0, body, when, initial, inputs = [] } = init;
  const out = outOf(call, result);
  const { dtype = out.dtype } = init;
  context.many(self);
  const tensor = new LazyTensor({
    dtype,
    shape: shapeOf(out),
    node,
    inputs: [self, ...inputs],
    heavy: true,
    operations: 2,
    element: (at) => {
      if (self.shape.length === 0) return cast(body(self.element([]), ZERO, at), dtype);
      const along = context.axis(self.shape[dim]!);
      const place = atom(along);
      const from = withPlace(at, dim, place);
      const element = self.element(from);
      const isBefore = apply("le", indexScalar(place), indexScalar(at[dim]!));
      const value = body(element, place, at);
      return cast(
        {
          kind: "reduce",
          dtype: value.dtype,
          reduce: kind,
          axes: [along],
          body: value,
          when: when === undefined ? isBefore : apply("and", isBefore, when(element, from)),
          initial: initial?.(at),
        },
        dtype,
      );
    },
  });
  context.made(tensor);
  context.materialize(tensor, { hint: { kind: "scan", axis: `i${dim}` } });
  return tensor;
}
/** Coordinates with another place along a dimension. */
export const withPlace = (at: readonly Index[], dim: number, place: Index): Index[] =>
  at.map((index, d) => (d === dim ? place : index));
export const dimOf = (call: LoweringCall, self: LazyTensor): number =>
  dimension(Number(call.args["dim"]), self.shape.length);

const cumulative = (kind: "sum" | "prod"): Lowering => ({
  rule: (call) => {
    const self = tensorArg(call, "self");
    const compute = computeType(outOf(call).dtype);
    return scanOver(call, self, { kind, dim: dimOf(call, self), body: (element) => cast(element, compute) });
  },
});

/**
 * The greatest or least so far, which is never of no elements: that it starts from the first
 * changes nothing.
 */
export function extremeOver(
  call: LoweringCall,
  self: LazyTensor,
  kind: "max" | "min",
  dim: number,
): LazyTensor {
  const compute = self.dtype === "bool" ? "int32" : computeType(self.dtype);
  return scanOver(call, self, {
    kind,
    dim,
    body: (element) => cast(element, compute),
    initial: (at) => cast(self.element(withPlace(at, dim, ZERO)), compute),
  });
}

/**
 * The extreme so far, and its last place (`cummax_helper_cpu` moves on at equals and at each NaN).
 * An element was the extreme when it came: the last such place is the extreme's, whatever comes
 * after.
 */
const extremes = (kind: "max" | "min"): Lowering => ({
  rule: (call) => {
    const self = tensorArg(call, "self");
    const dim = dimOf(call, self);
    const values = extremeOver(call, self, kind, dim);
    const isReached = (own: Scalar, from: readonly Index[]): Scalar => {
      const isSame = apply("eq", own, values.element(from));
      return own.dtype.startsWith("float") ? apply("or", isSame, apply("isnan", own)) : isSame;
    };
    const places = scanOver(call, self, {
      kind: "max",
      dim,
      result: 1,
      initial: () => constantScalar(0, "int64"),
      body: (_, place) => indexScalar(place),
      when: isReached,
      inputs: [values],
    });
    return [values, places];
  },
});

export const SCANS: LoweringTable = {
  "aten.cumsum.default": cumulative("sum"),
  "aten.cumprod.default": cumulative("prod"),
  "aten.cummax.default": extremes("max"),
  "aten.cummin.default": extremes("min"),
};
