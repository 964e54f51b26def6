/** @file Cumulative operators: cell `i` along a dimension reduces the cells up to `i`. */
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
  readonly body: (cell: Scalar, place: Index, at: readonly Index[]) => Scalar;
  /** Cells that are left out besides those after `i`, by their own coordinates. */
  readonly when?: (cell: Scalar, at: readonly Index[]) => Scalar;
  readonly initial?: (at: readonly Index[]) => Scalar;
  readonly inputs?: readonly LazyTensor[];
}

/** A tensor whose cells reduce the cells of `self` up to them, in a nest of its own that says so. */
export function scanOver(of: LoweringCall, self: LazyTensor, init: ScanInit): LazyTensor {
  const { context, node } = of;
  const { kind, dim, result = 0, body, when, initial, inputs = [] } = init;
  const out = outOf(of, result);
  const { dtype = out.dtype } = init;
  context.many(self);
  const tensor = new LazyTensor({
    dtype,
    shape: shapeOf(out),
    node,
    inputs: [self, ...inputs],
    heavy: true,
    operations: 2,
    cell: (at) => {
      if (self.shape.length === 0) return cast(body(self.cell([]), ZERO, at), dtype);
      const along = context.axis(self.shape[dim]!);
      const place = atom(along);
      const from = withPlace(at, dim, place);
      const cell = self.cell(from);
      const isBefore = apply("le", indexScalar(place), indexScalar(at[dim]!));
      const value = body(cell, place, at);
      return cast(
        {
          kind: "reduce",
          dtype: value.dtype,
          reduce: kind,
          axes: [along],
          body: value,
          when: when === undefined ? isBefore : apply("and", isBefore, when(cell, from)),
          initial: initial?.(at),
        },
        dtype,
      );
    },
  });
  context.made(tensor);
  context.materialise(tensor, { hint: { kind: "scan", axis: `i${dim}` } });
  return tensor;
}
/** Coordinates with another place along a dimension. */
export const withPlace = (at: readonly Index[], dim: number, place: Index): Index[] =>
  at.map((index, d) => (d === dim ? place : index));
export const dimOf = (of: LoweringCall, self: LazyTensor): number =>
  dimension(Number(of.args["dim"]), self.shape.length);

const cumulative = (kind: "sum" | "prod"): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const compute = computeType(outOf(of).dtype);
    return scanOver(of, self, { kind, dim: dimOf(of, self), body: (cell) => cast(cell, compute) });
  },
});

/** The greatest or least so far, which is never of no cells: that it starts from the first changes nothing. */
export function extremeOver(
  of: LoweringCall,
  self: LazyTensor,
  kind: "max" | "min",
  dim: number,
): LazyTensor {
  const compute = self.dtype === "bool" ? "int32" : computeType(self.dtype);
  return scanOver(of, self, {
    kind,
    dim,
    body: (cell) => cast(cell, compute),
    initial: (at) => cast(self.cell(withPlace(at, dim, ZERO)), compute),
  });
}

/**
 * The extreme so far, and its last place (`cummax_helper_cpu` moves on at equals and at each NaN). A cell was the extreme when
 * it came: the last such place is the extreme's, whatever comes after.
 */
const extremes = (kind: "max" | "min"): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const dim = dimOf(of, self);
    const values = extremeOver(of, self, kind, dim);
    const isReached = (own: Scalar, from: readonly Index[]): Scalar => {
      const isSame = apply("eq", own, values.cell(from));
      return own.dtype.startsWith("float") ? apply("or", isSame, apply("isnan", own)) : isSame;
    };
    const places = scanOver(of, self, {
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
