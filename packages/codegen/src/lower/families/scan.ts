/** @file Cumulative operators: cell `i` along a dimension reduces the cells up to `i`. */
import type { DType } from "@sconce/tensor";
import {
  add,
  atom,
  constant,
  divide,
  fixedValue,
  type Index,
  isZero,
  multiply,
  ONE,
  remainder,
  subtract,
  ZERO,
} from "../../ir/index-expr.js";
import {
  apply,
  cast,
  constantScalar,
  indexScalar,
  type ReduceKind,
  type ReduceScalar,
  type Scalar,
  select,
  TRUE,
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
  /** Cells that are left out besides those after `i`, by their own coordinates. */
  readonly when?: (cell: Scalar, at: readonly Index[]) => Scalar;
  readonly initial?: (at: readonly Index[]) => Scalar;
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
const withPlace = (at: readonly Index[], dim: number, place: Index): Index[] =>
  at.map((index, d) => (d === dim ? place : index));
const dimOf = (of: LoweringCall, self: LazyTensor): number =>
  dimension(Number(of.args["dim"]), self.shape.length);

const cumulative = (kind: "sum" | "prod"): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const compute = computeType(outOf(of).dtype);
    return scanOver(of, self, { kind, dim: dimOf(of, self), body: (cell) => cast(cell, compute) });
  },
});

/** The greatest or least so far, which is never of no cells: that it starts from the first changes nothing. */
function extremeOver(of: LoweringCall, self: LazyTensor, kind: "max" | "min", dim: number): LazyTensor {
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

/** Longer rows, and those of unknown length, are taken in blocks. */
const SHORT = 256;
const BLOCK = 64;

/** `log(cumsum(exp(x)))`, measured from the greatest so far. */
const logCumulative: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "self");
    const dim = dimOf(of, self);
    const { dtype } = outOf(of);
    const greatest = extremeOver(of, self, "max", dim);
    const parts: LogParts = { of, self, dim, greatest, compute: computeType(dtype) };
    const length = self.shape.length === 0 ? 1 : fixedValue(self.shape[dim]!);
    const total = length !== undefined && length <= SHORT ? logTotal(parts) : logTotalInBlocks(parts);
    return new LazyTensor({
      dtype,
      shape: total.shape,
      node: of.node,
      inputs: [total, greatest],
      operations: 4,
      cell: (at) =>
        cast(apply("add", apply("log", cast(total.cell(at), parts.compute)), baseAt(parts, at)), dtype),
    });
  },
};
interface LogParts {
  readonly of: LoweringCall;
  readonly self: LazyTensor;
  readonly dim: number;
  readonly greatest: LazyTensor;
  readonly compute: DType;
}
/** What exponents are measured from. Infinities have no distance from themselves: they are measured from zero. */
function baseAt({ greatest, compute }: LogParts, at: readonly Index[]): Scalar {
  const value = cast(greatest.cell(at), compute);
  return select(apply("isinf", value), constantScalar(0, compute), value);
}
const above = (parts: LogParts, cell: Scalar, at: readonly Index[]): Scalar =>
  apply("exp", apply("sub", cast(cell, parts.compute), baseAt(parts, at)));

const logTotal = (parts: LogParts): LazyTensor =>
  scanOver(parts.of, parts.self, {
    kind: "sum",
    dim: parts.dim,
    dtype: parts.compute,
    body: (cell, _, at) => above(parts, cell, at),
    inputs: [parts.greatest],
  });

/**
 * The same from totals of blocks, measured from the greatest up to their ends, and from what is before each block. What a total
 * is measured from is at most what a cell after it is, unless that is measured from zero for an infinity, which then decides.
 */
function logTotalInBlocks(parts: LogParts): LazyTensor {
  const { of, self, dim, greatest, compute } = parts;
  const { context } = of;
  const size = constant(BLOCK);
  const blocks = withPlace(self.shape, dim, divide(self.shape[dim]!, size));
  const endOf = (at: readonly Index[], block: Index): Index[] =>
    withPlace(at, dim, add(multiply(block, size), constant(BLOCK - 1)));
  const cellIn = (at: readonly Index[], block: Index, place: Index): Scalar =>
    self.cell(withPlace(at, dim, add(multiply(block, size), place)));
  /** What a total counts for when it is measured from what the cell at `at` is. */
  const seen = (total: Scalar, from: readonly Index[], at: readonly Index[]): Scalar => {
    const distance = apply("sub", cast(greatest.cell(from), compute), baseAt(parts, at));
    return apply("mul", total, apply("exp", apply("min", distance, constantScalar(0, compute))));
  };
  const kept = (
    shape: readonly Index[],
    inputs: readonly LazyTensor[],
    cell: LazyTensor["cell"],
    isScan = false,
  ) => {
    const tensor = new LazyTensor({
      dtype: compute,
      shape,
      node: of.node,
      inputs: [self, greatest, ...inputs],
      heavy: true,
      operations: 4,
      cell,
    });
    context.made(tensor);
    context.materialise(tensor, isScan ? { hint: { kind: "scan", axis: `i${dim}` } } : {});
    return tensor;
  };
  const sum = (extent: Index, init: (place: Index) => Partial<ReduceScalar> & { body: Scalar }): Scalar => {
    const along = context.axis(extent);
    return { kind: "reduce", dtype: compute, reduce: "sum", axes: [along], ...init(atom(along)) };
  };
  const totals = kept(blocks, [], (at) =>
    sum(size, (place) => ({ body: above(parts, cellIn(at, at[dim]!, place), endOf(at, at[dim]!)) })),
  );
  const before = kept(
    blocks,
    [totals],
    (at) =>
      sum(blocks[dim]!, (block) => ({
        body: seen(totals.cell(withPlace(at, dim, block)), endOf(at, block), endOf(at, at[dim]!)),
        when: apply("le", indexScalar(block), indexScalar(at[dim]!)),
      })),
    true,
  );
  return kept(self.shape, [before], (at) => {
    const block = divide(at[dim]!, size);
    const last = subtract(block, ONE);
    const rest = seen(before.cell(withPlace(at, dim, last)), endOf(at, last), at);
    const zero = constantScalar(0, compute);
    const isFirst = isZero(block) ? TRUE : apply("eq", indexScalar(block), constantScalar(0, "int64"));
    return sum(size, (place) => ({
      body: above(parts, cellIn(at, block, place), at),
      when: apply("le", indexScalar(place), indexScalar(remainder(at[dim]!, size))),
      initial: select(isFirst, zero, rest),
    }));
  });
}

export const SCANS: LoweringTable = {
  "aten.cumsum.default": cumulative("sum"),
  "aten.cumprod.default": cumulative("prod"),
  "aten.cummax.default": extremes("max"),
  "aten.cummin.default": extremes("min"),
  "aten.logcumsumexp.default": logCumulative,
};
