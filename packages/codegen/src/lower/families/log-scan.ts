/** @file `logcumsumexp`: exponentials are measured from the greatest so far, which moves along the row. */
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
} from "../../ir/index-expr.js";
import {
  apply,
  cast,
  constantScalar,
  indexScalar,
  type ReduceScalar,
  type Scalar,
  select,
  TRUE,
} from "../../ir/scalar.js";
import {
  computeType,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  outOf,
  tensorArg,
} from "../call.js";
import { LazyTensor } from "../lazy.js";
import { dimOf, extremeOver, scanOver, withPlace } from "./scan.js";

/** Longer rows, and those of unknown length, are taken in blocks: as cells measure differently, they have no sums in common. */
const SHORT = 256;
const BLOCK = 64;
const SIZE = constant(BLOCK);

interface Parts {
  readonly of: LoweringCall;
  readonly self: LazyTensor;
  readonly dim: number;
  /** The greatest up to each cell. */
  readonly greatest: LazyTensor;
  readonly compute: DType;
}

/** `log(cumsum(exp(x)))`. */
const logCumulative: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "self");
    const dim = dimOf(of, self);
    const { dtype } = outOf(of);
    const compute = computeType(dtype);
    const greatest = extremeOver(of, self, "max", dim);
    const parts: Parts = { of, self, dim, greatest, compute };
    const length = self.shape.length === 0 ? 1 : fixedValue(self.shape[dim]!);
    const total = length !== undefined && length <= SHORT ? wholeTotal(parts) : totalInBlocks(parts);
    return new LazyTensor({
      dtype,
      shape: total.shape,
      node: of.node,
      inputs: [total, greatest],
      operations: 4,
      cell: (at) => cast(apply("add", apply("log", cast(total.cell(at), compute)), baseAt(parts, at)), dtype),
    });
  },
};

/** What exponents are measured from. Infinities have no distance from themselves: they are measured from zero. */
function baseAt({ greatest, compute }: Parts, at: readonly Index[]): Scalar {
  const value = cast(greatest.cell(at), compute);
  return select(apply("isinf", value), constantScalar(0, compute), value);
}
const above = (parts: Parts, cell: Scalar, at: readonly Index[]): Scalar =>
  apply("exp", apply("sub", cast(cell, parts.compute), baseAt(parts, at)));

const wholeTotal = (parts: Parts): LazyTensor =>
  scanOver(parts.of, parts.self, {
    kind: "sum",
    dim: parts.dim,
    dtype: parts.compute,
    body: (cell, _, at) => above(parts, cell, at),
    inputs: [parts.greatest],
  });

/** The same from totals of full blocks, each measured from the greatest up to its end, and from what is before each block. */
function totalInBlocks(parts: Parts): LazyTensor {
  const { self, dim } = parts;
  const blocks = withPlace(self.shape, dim, divide(self.shape[dim]!, SIZE));
  const totals = kept(parts, blocks, [], (at) =>
    sum(parts, SIZE, (place) => ({
      body: above(parts, cellIn(parts, at, at[dim]!, place), endOf(parts, at)),
    })),
  );
  const before = kept(
    parts,
    blocks,
    [totals],
    (at) =>
      sum(parts, blocks[dim]!, (block) => ({
        body: seen(parts, totals, withPlace(at, dim, block), endOf(parts, at)),
        when: apply("le", indexScalar(block), indexScalar(at[dim]!)),
      })),
    true,
  );
  return kept(parts, self.shape, [before], (at) => {
    const block = divide(at[dim]!, SIZE);
    const rest = seen(parts, before, withPlace(at, dim, subtract(block, ONE)), at);
    const isFirst = isZero(block) ? TRUE : apply("eq", indexScalar(block), constantScalar(0, "int64"));
    return sum(parts, SIZE, (place) => ({
      body: above(parts, cellIn(parts, at, block, place), at),
      when: apply("le", indexScalar(place), indexScalar(remainder(at[dim]!, SIZE))),
      initial: select(isFirst, constantScalar(0, parts.compute), rest),
    }));
  });
}

/** The last cell of a block. */
const endOf = ({ dim }: Parts, block: readonly Index[]): Index[] =>
  withPlace(block, dim, add(multiply(block[dim]!, SIZE), constant(BLOCK - 1)));
const cellIn = ({ self, dim }: Parts, at: readonly Index[], block: Index, place: Index): Scalar =>
  self.cell(withPlace(at, dim, add(multiply(block, SIZE), place)));

/**
 * What the total of a block counts for where exponents are measured from the greatest up to a cell after it, which is not less;
 * where that is infinite they are measured from zero, and the infinity decides.
 */
function seen(parts: Parts, totals: LazyTensor, block: readonly Index[], at: readonly Index[]): Scalar {
  const { greatest, compute } = parts;
  const distance = apply("sub", cast(greatest.cell(endOf(parts, block)), compute), baseAt(parts, at));
  const factor = apply("exp", apply("min", distance, constantScalar(0, compute)));
  return apply("mul", totals.cell(block), factor);
}

function sum(
  { of, compute }: Parts,
  extent: Index,
  init: (place: Index) => Pick<ReduceScalar, "body" | "when" | "initial">,
): Scalar {
  const along = of.context.axis(extent);
  return { kind: "reduce", dtype: compute, reduce: "sum", axes: [along], ...init(atom(along)) };
}

/** Cells in memory. */
function kept(
  { of, self, dim, greatest, compute }: Parts,
  shape: readonly Index[],
  inputs: readonly LazyTensor[],
  cell: (at: readonly Index[]) => Scalar,
  isScan = false,
): LazyTensor {
  const tensor = new LazyTensor({
    dtype: compute,
    shape,
    node: of.node,
    inputs: [self, greatest, ...inputs],
    heavy: true,
    operations: 4,
    cell,
  });
  of.context.made(tensor);
  of.context.materialise(tensor, isScan ? { hint: { kind: "scan", axis: `i${dim}` } } : {});
  return tensor;
}

export const LOG_SCANS: LoweringTable = { "aten.logcumsumexp.default": logCumulative };
