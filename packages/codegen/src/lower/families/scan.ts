/** @file Cumulative operators: cell `i` along a dimension reduces the cells up to `i`. */
import type { DType } from "@sconce/tensor";
import { atom, type Index, ZERO } from "../../ir/index-expr.js";
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
  /** Cells that are left out besides those after `i`. */
  readonly when?: (cell: Scalar, at: readonly Index[]) => Scalar;
  readonly initial?: Scalar;
  readonly inputs?: readonly LazyTensor[];
}

/** A tensor whose cells reduce the cells of `self` up to them, in a nest of its own that says so. */
function scanOver(of: LoweringCall, self: LazyTensor, init: ScanInit): LazyTensor {
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
      const cell = self.cell(at.map((index, d) => (d === dim ? place : index)));
      const isBefore = apply("le", indexScalar(place), indexScalar(at[dim]!));
      const value = body(cell, place, at);
      return cast(
        {
          kind: "reduce",
          dtype: value.dtype,
          reduce: kind,
          axes: [along],
          body: value,
          when: when === undefined ? isBefore : apply("and", isBefore, when(cell, at)),
          initial,
        },
        dtype,
      );
    },
  });
  context.made(tensor);
  context.materialise(tensor, { hint: { kind: "scan", axis: `i${dim}` } });
  return tensor;
}
const dimOf = (of: LoweringCall, self: LazyTensor): number =>
  dimension(Number(of.args["dim"]), self.shape.length);

const cumulative = (kind: "sum" | "prod"): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const compute = computeType(outOf(of).dtype);
    return scanOver(of, self, { kind, dim: dimOf(of, self), body: (cell) => cast(cell, compute) });
  },
});

/** The extreme so far, and its last place (`cummax_helper_cpu` moves on at equals and at each NaN). */
const extremes = (kind: "max" | "min"): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const dim = dimOf(of, self);
    const isBool = self.dtype === "bool";
    const compute = isBool ? "int32" : computeType(self.dtype);
    const values = scanOver(of, self, { kind, dim, body: (cell) => cast(cell, compute) });
    const reached = (cell: Scalar, at: readonly Index[]): Scalar => {
      const [own, best] = [cast(cell, compute), cast(values.cell(at), compute)];
      const isSame = apply("eq", own, best);
      return compute.startsWith("float") ? apply("or", isSame, apply("isnan", own)) : isSame;
    };
    const places = scanOver(of, self, {
      kind: "last",
      dim,
      result: 1,
      initial: constantScalar(0, "int64"),
      body: (_, place) => indexScalar(place),
      when: reached,
      inputs: [values],
    });
    return [values, places];
  },
});

/** `log(cumsum(exp(x)))`, measured from the greatest so far. */
const logCumulative: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "self");
    const dim = dimOf(of, self);
    const { dtype } = outOf(of);
    const compute = computeType(dtype);
    const greatest = scanOver(of, self, { kind: "max", dim, body: (cell) => cast(cell, compute) });
    // Infinities have no distance from themselves: they are measured from zero.
    const base = (at: readonly Index[]): Scalar => {
      const value = cast(greatest.cell(at), compute);
      return select(apply("isinf", value), constantScalar(0, compute), value);
    };
    const total = scanOver(of, self, {
      kind: "sum",
      dim,
      dtype: compute,
      body: (cell, _, at) => apply("exp", apply("sub", cast(cell, compute), base(at))),
      inputs: [greatest],
    });
    return new LazyTensor({
      dtype,
      shape: total.shape,
      node: of.node,
      inputs: [total, greatest],
      operations: 4,
      cell: (at) => cast(apply("add", apply("log", cast(total.cell(at), compute)), base(at)), dtype),
    });
  },
};

export const SCANS: LoweringTable = {
  "aten.cumsum.default": cumulative("sum"),
  "aten.cumprod.default": cumulative("prod"),
  "aten.cummax.default": extremes("max"),
  "aten.cummin.default": extremes("min"),
  "aten.logcumsumexp.default": logCumulative,
};
