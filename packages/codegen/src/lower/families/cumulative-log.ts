/**
 * @file `logcumsumexp`: exponentials are measured from the greatest so far, which moves along the
 * row.
 */
import { type DType, wrapDimension } from "@sconce/tensor";
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
import { type LoweringCall, outOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import { extremeOver, scanOver, withPlace } from "../rules/scan.js";

/**
 * Longer rows, and those of unknown length, are taken in blocks: as elements measure differently,
 * they have no sums in common.
 */
const SHORT = 256;
const BLOCK = 64;
const SIZE = constant(BLOCK);

interface Parts {
  readonly call: LoweringCall;
  readonly self: LazyTensor;
  readonly dim: number;
  /** The greatest up to each element. */
  readonly greatest: LazyTensor;
  readonly compute: DType;
}

/** `log(cumsum(exp(x)))`. */
function logCumulative(call: LoweringCall, self: LazyTensor, dim: number): LazyTensor {
  const { dtype } = outOf(call);
  const compute = computeType(dtype);
  const greatest = extremeOver(call, self, "max", dim);
  const parts: Parts = { call, self, dim, greatest, compute };
  const length = self.shape.length === 0 ? 1 : fixedValue(self.shape[dim]!);
  const total = length !== undefined && length <= SHORT ? wholeTotal(parts) : totalInBlocks(parts);
  return new LazyTensor({
    dtype,
    shape: total.shape,
    node: call.node,
    inputs: [total, greatest],
    operations: 4,
    element: (at) =>
      cast(apply("add", apply("log", cast(total.element(at), compute)), baseAt(parts, at)), dtype),
  });
}

/** Returns the base of exponents: zero for infinities, which have no distance from themselves. */
function baseAt({ greatest, compute }: Parts, at: readonly Index[]): Scalar {
  const value = cast(greatest.element(at), compute);
  return select(apply("isinf", value), constantScalar(0, compute), value);
}
const above = (parts: Parts, element: Scalar, at: readonly Index[]): Scalar =>
  apply("exp", apply("sub", cast(element, parts.compute), baseAt(parts, at)));

const wholeTotal = (parts: Parts): LazyTensor =>
  scanOver(parts.call, parts.self, {
    kind: "sum",
    dim: parts.dim,
    dtype: parts.compute,
    body: (element, _, at) => above(parts, element, at),
    inputs: [parts.greatest],
  });

/**
 * Returns the same from totals of full blocks, each measured from the greatest up to its end, and
 * from what is before each block.
 */
function totalInBlocks(parts: Parts): LazyTensor {
  const { self, dim } = parts;
  const blocks = withPlace(self.shape, dim, divide(self.shape[dim]!, SIZE));
  const totals = kept(parts, blocks, [], (at) =>
    sum(parts, SIZE, (place) => ({
      body: above(parts, elementIn(parts, at, at[dim]!, place), endOf(parts, at)),
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
    const isFirst = isZero(block) ? TRUE : apply("le", indexScalar(block), constantScalar(0, "int64"));
    return sum(parts, SIZE, (place) => ({
      body: above(parts, elementIn(parts, at, block, place), at),
      when: apply("le", indexScalar(place), indexScalar(remainder(at[dim]!, SIZE))),
      initial: select(isFirst, constantScalar(0, parts.compute), rest),
    }));
  });
}

/** Returns the last element of a block. */
const endOf = ({ dim }: Parts, block: readonly Index[]): Index[] =>
  withPlace(block, dim, add(multiply(block[dim]!, SIZE), constant(BLOCK - 1)));
const elementIn = ({ self, dim }: Parts, at: readonly Index[], block: Index, place: Index): Scalar =>
  self.element(withPlace(at, dim, add(multiply(block, SIZE), place)));

/**
 * Returns the total of a block, measured from the greatest up to an element after it, which is not
 * less. Where that is infinite, exponents are measured from zero, and the infinity decides.
 */
function seen(parts: Parts, totals: LazyTensor, block: readonly Index[], at: readonly Index[]): Scalar {
  const { greatest, compute } = parts;
  const distance = apply("sub", cast(greatest.element(endOf(parts, block)), compute), baseAt(parts, at));
  const factor = apply("exp", apply("min", distance, constantScalar(0, compute)));
  return apply("mul", totals.element(block), factor);
}

function sum(
  { call, compute }: Parts,
  extent: Index,
  init: (place: Index) => Pick<ReduceScalar, "body" | "when" | "initial">,
): Scalar {
  const along = call.context.axis(extent);
  return { kind: "reduce", dtype: compute, reduce: "sum", axes: [along], ...init(atom(along)) };
}

/** Elements in memory. */
function kept(
  { call, self, dim, greatest, compute }: Parts,
  shape: readonly Index[],
  inputs: readonly LazyTensor[],
  element: (at: readonly Index[]) => Scalar,
  isScan = false,
): LazyTensor {
  const tensor = new LazyTensor({
    dtype: compute,
    shape,
    node: call.node,
    inputs: [self, greatest, ...inputs],
    heavy: true,
    operations: 4,
    element,
  });
  call.context.made(tensor);
  call.context.materialize(tensor, isScan ? { hint: { kind: "scan", axis: `i${dim}` } } : {});
  return tensor;
}

export const LOG_SCANS = defineLowerings([
  lowering("aten::logcumsumexp(Tensor self, int dim) -> Tensor", ({ self, dim }, call) =>
    logCumulative(call, self, wrapDimension(dim, self.shape.length)),
  ),
]);
