/** @file Statistics of rows, and normalization by them. */
import type { DType } from "@sconce/tensor";
import {
  constant,
  fixedValue,
  flatIndex,
  type Index,
  multiply,
  product,
  remainder,
  ZERO,
} from "../../ir/index-expr.js";
import { apply, both, cast, constantScalar, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor, reshaped } from "../core/lazy.js";
import { computeType, numberOf, numberScalar } from "../core/numbers.js";
import { type Center, centerOf, countOf, isRegular, keptAt, reducedRow, reduceOver } from "./reduce.js";

/** Returns whether elements are halves, which are computed in float32. */
export const isHalf = ({ dtype }: LazyTensor): boolean => computeType(dtype) !== dtype;

/** What {@link squaresOf} sums, and how. */
interface SquaresOptions {
  readonly keepdim: boolean;
  readonly dtype: DType;
  /** Finishes a sum; `first` is the place of the first element of the row. */
  readonly finish: (sum: Scalar, first: readonly Index[]) => Scalar;
}
/** Returns the sum of squared deviations from the mean of each row. */
export function squaresOf(
  call: Pick<LoweringCall, "context" | "node">,
  self: LazyTensor,
  dims: readonly number[],
  center: Center,
  { keepdim, dtype, finish }: SquaresOptions,
): LazyTensor {
  /** Infinite in a row of finite elements whose differences overflow. */
  const totalOf = (sum: Scalar, first: readonly Index[]): Scalar => {
    if (center.fits === undefined) return sum;
    const zero = constantScalar(0, sum.dtype);
    const zeros = reducedRow(call, self, dims, first, (x) => apply("mul", cast(x, sum.dtype), zero));
    return select(center.fits(first), sum, apply("add", zeros, constantScalar(Infinity, sum.dtype)));
  };
  const squares = reduceOver(call, self, {
    kind: "sum",
    dims,
    keepdim,
    dtype,
    finish: (sum, first) => finish(totalOf(sum, first), first),
    body: (element, at) => {
      const deviation = center.deviation(element, at);
      return apply("mul", deviation, deviation);
    },
  });
  return new LazyTensor({
    dtype: squares.dtype,
    shape: squares.shape,
    node: squares.node,
    inputs: [squares, center.mean],
    element: (at) => squares.element(at),
  });
}

/** Returns the tensor in another dtype. */
export function elementsAs(tensor: LazyTensor, dtype: DType, node: string): LazyTensor {
  if (tensor.dtype === dtype) return tensor;
  return new LazyTensor({
    dtype,
    shape: tensor.shape,
    node,
    inputs: [tensor],
    operations: 1,
    element: (at) => cast(tensor.element(at), dtype),
  });
}

interface StatisticsOptions {
  readonly eps: number;
  /** The dtype that statistics are rounded to before they are used. */
  readonly statistics?: DType;
  /** Whether means are those of plain sums, which an infinity does not make NaN. */
  readonly isPlain?: boolean;
  /** Whether PyTorch takes the roots in float64, which counts where all elements are equal. */
  readonly hasWideRoots?: boolean;
}
/** Statistics of rows, whose dimensions are kept with size 1. */
interface RowStatistics {
  readonly center: Center;
  /** The means as they are used. */
  readonly mean: LazyTensor;
  readonly rstd: LazyTensor;
  /** The group of their nests. */
  readonly group: string;
}
/** Returns the mean of each row, and one over its standard deviation. */
export function rowStatistics(
  call: LoweringCall,
  rows: LazyTensor,
  dims: readonly number[],
  { eps, statistics = computeType(rows.dtype), isPlain = false, hasWideRoots = false }: StatisticsOptions,
): RowStatistics {
  const { context, node } = call;
  const compute = computeType(rows.dtype);
  const group = context.group("norm");
  const rounded = (value: Scalar): Scalar => cast(cast(value, statistics), compute);
  // PyTorch has sums of squares in bfloat16 too, but not in float16.
  const step = statistics === "bfloat16" ? rounded : (value: Scalar): Scalar => value;
  context.many(rows, 2);
  // PyTorch adds up float32 in float64.
  const isFromZero = isPlain && (rows.dtype === "float64" || rows.dtype === "bfloat16");
  const center = centerOf(call, rows, dims, { group, isPlain, isFromZero });
  const toRstd = (sum: Scalar, first: readonly Index[]): Scalar => {
    const variance = step(apply("div", step(sum), countOf(rows, dims, compute)));
    const held = isPlain ? variance : varianceOfLarge(call, { rows, dims, center, sum, variance, first });
    const root = rounded(apply("rsqrt", apply("add", held, numberScalar(eps, compute))));
    const least = constantScalar(Math.fround(1 / Math.sqrt(eps)), compute);
    return hasWideRoots ? select(apply("eq", held, constantScalar(0, compute)), least, root) : root;
  };
  const rstd = squaresOf(call, rows, dims, center, { keepdim: true, dtype: compute, finish: toRstd });
  context.materialize(rstd, { group });
  const mean = new LazyTensor({
    dtype: compute,
    shape: rstd.shape,
    node,
    inputs: [center.mean],
    operations: 1,
    element: (at) => {
      const whole = rounded(center.mean.element(at));
      return center.fits === undefined ? whole : select(center.fits(at), whole, constantScalar(0, compute));
    },
  });
  return { center, mean, rstd, group };
}

/** The numbers of a row, as scalars. */
export interface RowNumbers {
  readonly mean: Scalar;
  readonly rstd: Scalar;
}
interface NormalizedOptions extends Pick<StatisticsOptions, "eps" | "hasWideRoots"> {
  /** Returns an element of the result. */
  readonly element: (x: Scalar, row: RowNumbers, at: readonly Index[]) => Scalar;
  /** What `element` reads beside the rows. */
  readonly further: readonly LazyTensor[];
}
/**
 * Statistics of rows and what is made of them: the common part of layer and group normalization.
 */
export function normalized(
  call: LoweringCall,
  rows: LazyTensor,
  dims: readonly number[],
  { element, further, ...options }: NormalizedOptions,
): { out: LazyTensor; center: Center; rstd: LazyTensor } {
  const { context, node } = call;
  const out = outOf(call);
  const { center, mean, rstd } = rowStatistics(call, rows, dims, options);
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: rows.shape,
    node,
    inputs: [rows, mean, rstd, ...further],
    operations: 4,
    element: (at) => {
      const row = keptAt(at, dims, ZERO);
      const x = cast(rows.element(at), rstd.dtype);
      return cast(element(x, { mean: mean.element(row), rstd: rstd.element(row) }, at), out.dtype);
    },
  });
  context.made(made);
  return { out: made, center, rstd };
}

/** Two numbers whose sum is a factor: products of halves with each are exact in float32. */
interface Parts {
  readonly high: Scalar;
  readonly low: Scalar;
  /** Whether the parts are finite. */
  readonly isKnown: Scalar;
}
function partsOf(factor: Scalar): Parts {
  const widened = apply("mul", factor, constantScalar(2 ** 12 + 1, factor.dtype));
  const high = apply("sub", widened, apply("sub", widened, factor));
  return { high, low: apply("sub", factor, high), isKnown: isRegular(widened) };
}

/** What {@link fusedOfHalf} computes an element by: two numbers for the factor, and the shift. */
export interface FusedNumbers {
  readonly high: Scalar;
  readonly low: Scalar;
  readonly shift: Scalar;
}
export function fusedNumbers(factor: Scalar, shift: Scalar): FusedNumbers {
  const number = (value: number): Scalar => constantScalar(value, factor.dtype);
  const { high, low, isKnown } = partsOf(factor);
  // Beside an infinite shift, finite products do not count.
  const isLost = both(apply("eq", apply("abs", shift), number(Infinity)), isRegular(factor));
  const sign = select(apply("lt", factor, number(0)), number(-1), number(1));
  return {
    high: select(isLost, sign, select(isKnown, high, factor)),
    low: select(both(isKnown, apply("not", isLost)), low, number(0)),
    shift,
  };
}

/** Returns `x * factor + shift` of a half `x`, rounded once as PyTorch's kernels do. */
export const fusedOfHalf = (x: Scalar, { high, low, shift }: FusedNumbers): Scalar =>
  apply("add", apply("add", apply("mul", x, high), shift), apply("mul", x, low));

/**
 * Returns `offset - mean * factor`, rounded once where the mean is a half: that of equal elements.
 */
export function shiftOfHalf(mean: Scalar, factor: Scalar, offset: Scalar): Scalar {
  const { high, low } = partsOf(factor);
  const product = apply("mul", mean, factor);
  const rest = apply("add", apply("sub", apply("mul", mean, high), product), apply("mul", mean, low));
  const fused = apply("sub", apply("sub", offset, rest), product);
  return select(isRegular(fused), fused, apply("sub", offset, product));
}

/** A row with its variance. */
interface RowVariance {
  readonly rows: LazyTensor;
  readonly dims: readonly number[];
  readonly center: Center;
  readonly sum: Scalar;
  readonly variance: Scalar;
  /** The place of the first element. */
  readonly first: readonly Index[];
}
/**
 * Returns the variance, or NaN where PyTorch's kernels multiply the square of a mean that overflows
 * by 0: that of all elements where these are too few for a block, and else that of the first
 * lane, unless elements are left over (`RowwiseMomentsImpl`).
 */
function varianceOfLarge(
  call: LoweringCall,
  { rows, dims, center, sum, variance, first }: RowVariance,
): Scalar {
  const { dtype } = variance;
  const lanes = dtype === "float64" ? 4 : 8;
  // PyTorch reads halves in vectors that make two of float32.
  const block = isHalf(rows) ? 2 * lanes : lanes;
  const sizes = dims.map((d) => rows.shape[d]!);
  const size = product(sizes);
  const number = (value: number): Scalar => constantScalar(value, dtype);
  const orNaN = (mean: Scalar): Scalar =>
    select(isRegular(apply("mul", mean, mean)), variance, number(Number.NaN));
  const mean = center.mean.element(first);
  const fixed = fixedValue(size);
  if (fixed !== undefined && fixed < block) return orNaN(mean);
  if (fixed !== undefined && fixed % block !== 0) return variance;
  const ofLane = (): Scalar => {
    const total = reducedRow(call, rows, dims, first, (element, at) => {
      const place = remainder(
        flatIndex(
          dims.map((d) => at[d]!),
          sizes,
        ),
        constant(lanes),
      );
      return select(apply("eq", indexScalar(place), indexScalar(ZERO)), cast(element, dtype), number(0));
    });
    return orNaN(apply("div", apply("mul", total, number(lanes)), numberOf(size, dtype)));
  };
  const squares = apply("mul", apply("mul", mean, mean), numberOf(multiply(size, constant(lanes)), dtype));
  const isLarge = apply("not", isRegular(apply("add", sum, squares)));
  if (fixed !== undefined) return select(isLarge, ofLane(), variance);
  const count = numberOf(size, dtype);
  const isWhole = apply("eq", numberOf(remainder(size, constant(block)), dtype), number(0));
  const ofMany = select(isWhole, ofLane(), variance);
  return select(isLarge, select(apply("lt", count, number(block)), orNaN(mean), ofMany), variance);
}
/**
 * Times the weight, plus the bias: a bias of None is 0, which has its effect on the sign of zeros.
 */
export const affine = (
  unit: Scalar,
  weight: LazyTensor | null,
  bias: LazyTensor | null,
  at: readonly Index[],
): Scalar => {
  const scaled = weight === null ? unit : apply("mul", unit, cast(weight.element(at), unit.dtype));
  const offset = bias === null ? constantScalar(0, unit.dtype) : cast(bias.element(at), unit.dtype);
  return apply("add", scaled, offset);
};

/**
 * Returns the parameters that are given, for reads of several elements. PyTorch takes those of the
 * input's dtype, or float32 beside halves; the host rejects others.
 */
export function givenOf(
  { context }: LoweringCall,
  { dtype }: LazyTensor,
  parameters: readonly (LazyTensor | null)[],
): LazyTensor[] {
  const given = parameters.filter((tensor) => tensor !== null);
  const first = given[0]?.dtype ?? dtype;
  const isKnown = first === dtype || (first === "float32" && computeType(dtype) === first);
  if (!isKnown || given.some((tensor) => tensor.dtype !== first))
    cannot("parameters have another dtype than the input");
  return given.map((tensor) => context.many(tensor));
}

/** Returns a saved statistic, in the shape and dtype of result `at` of the call. */
export function statistic(call: LoweringCall, tensor: LazyTensor, at: number): LazyTensor | null {
  const items = call.value as readonly unknown[];
  if (items[at] === null || items[at] === undefined) return null;
  const out = outOf(call, at);
  return elementsAs(reshaped(tensor, call.node, shapeOf(out)), out.dtype, call.node);
}
