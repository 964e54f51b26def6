/** @file Reductions of a tensor over dimensions, and sums over axes. */
import type { DType } from "@sconce/tensor";
import { type Axis, fixedValue, type Index, ONE, product, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type ReduceKind, type Scalar, select } from "../../ir/scalar.js";
import { cannot, type LoweringCall } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { computeType, numberOf } from "../core/numbers.js";

/** What a reduction over dimensions of a tensor computes. */
export interface ReduceInit {
  /** How values become one. */
  readonly kind: ReduceKind;
  /** The dimensions that are reduced. */
  readonly dims: readonly number[];
  /** Whether reduced dimensions stay, of size 1. */
  readonly keepdim: boolean;
  /** The dtype of the result. */
  readonly dtype: DType;
  /** The value that is reduced, from an element and its coordinates. */
  readonly body?: (element: Scalar, at: readonly Index[]) => Scalar;
  /** Finishes the result; `first` is the place of the first element that is reduced. */
  readonly finish?: (value: Scalar, first: readonly Index[]) => Scalar;
  /** Sizes of the result, where they are known otherwise than from the input. */
  readonly shape?: readonly Index[];
}

/** Reductions that PyTorch rejects for tensors without elements. */
const NEEDS_ELEMENTS: ReadonlySet<ReduceKind> = new Set<ReduceKind>(["max", "min", "argmax", "argmin"]);

/** Sums and products of booleans are `any` and `all`. */
export const kindFor = (kind: ReduceKind, dtype: DType): ReduceKind =>
  dtype !== "bool" ? kind : kind === "sum" ? "any" : kind === "prod" ? "all" : kind;

/** Returns a tensor whose elements reduce `self` over dimensions. */
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
          : { kind: "reduce", dtype: result, reduce: kindFor(kind, result), axes: inner.axes, body: value };
      const first = self.shape.map((_, d) => (reduced.has(d) ? ZERO : at[keepdim ? d : kept.indexOf(d)]!));
      return cast(finish(whole, first), dtype);
    },
  });
  context.made(tensor);
  return tensor;
}

/** Returns how many elements are reduced to one. */
export const countOf = (self: LazyTensor, dims: readonly number[], dtype: DType): Scalar =>
  numberOf(product(dims.map((d) => self.shape[d]!)), dtype);
/** The middle of each row, and how far its elements are from it. */
export interface Center {
  /** The mean over dimensions, which are kept. */
  readonly mean: LazyTensor;
  /** Returns the difference of an element from the mean of its row. */
  deviation(element: Scalar, at: readonly Index[]): Scalar;
  /**
   * Whether differences from the first element of a row overflow on the way to their mean. Given
   * where PyTorch's wider sums do not: its variance is infinite there, and its mean is not.
   */
  readonly fits?: (at: readonly Index[]) => Scalar;
}
interface CenterOptions {
  readonly group?: string | undefined;
  /** Whether a first element that is not finite is taken as 0, as in a plain sum. */
  readonly isPlain?: boolean;
  /** Whether elements are summed as they are. */
  readonly isFromZero?: boolean;
}
/**
 * Means over dimensions. Elements are measured from the first of their row, and the mean of these
 * differences is in memory: next to a large mean, a rounded mean would be too far off.
 */
export function centerOf(
  call: Pick<LoweringCall, "context" | "node">,
  self: LazyTensor,
  dims: readonly number[],
  { group, isPlain = false, isFromZero = false }: CenterOptions = {},
): Center {
  const compute = computeType(self.dtype);
  // A row without elements has no first one.
  const isEmpty = isFromZero || dims.some((d) => fixedValue(self.shape[d]!) === 0);
  const firstOf = (at: readonly Index[]): Scalar => {
    const first = cast(self.element(keptAt(at, dims, ZERO)), compute);
    if (!isPlain) return first;
    return select(isRegular(first), first, constantScalar(0, compute));
  };
  const fromFirst = (element: Scalar, at: readonly Index[]): Scalar =>
    isEmpty ? cast(element, compute) : apply("sub", cast(element, compute), firstOf(at));
  const count = countOf(self, dims, compute);
  /** Sums may overflow where means do not. PyTorch moves a mean, which an infinity makes NaN. */
  const ofLarge = (given: Scalar, at: readonly Index[]): Scalar => {
    if (isPlain && compute !== "float32") return given;
    const mean = reducedRow(call, self, dims, at, (element) => apply("div", cast(element, compute), count));
    const distance = apply("sub", mean, firstOf(at));
    // Sizes that are only known in a run may be 0.
    const hasElements = apply("gt", count, constantScalar(0, compute));
    const isMean =
      count.kind === "constant" ? isRegular(distance) : apply("and", isRegular(distance), hasElements);
    return select(isMean, distance, isPlain ? given : constantScalar(Number.NaN, compute));
  };
  const shift = reduceOver(call, self, {
    kind: "sum",
    dims,
    keepdim: true,
    dtype: compute,
    body: fromFirst,
    finish: (sum, at) => {
      const mean = apply("div", sum, count);
      return isEmpty ? mean : select(isRegular(mean), mean, ofLarge(mean, at));
    },
  });
  call.context.materialize(shift, group === undefined ? {} : { group });
  const shiftAt = (at: readonly Index[]): Scalar => shift.element(keptAt(at, dims, ZERO));
  const mean = new LazyTensor({
    dtype: compute,
    shape: shift.shape,
    node: call.node,
    inputs: isEmpty ? [shift] : [shift, self],
    operations: 1,
    element: (at) => (isEmpty ? shiftAt(at) : apply("add", shiftAt(at), firstOf(at))),
  });
  return {
    mean,
    deviation: (element, at) => apply("sub", fromFirst(element, at), shiftAt(at)),
    ...(isPlain && self.dtype === "float32" && { fits: (at) => isRegular(shiftAt(at)) }),
  };
}

/** Returns whether a number of a float dtype is finite. */
export function isRegular(value: Scalar): Scalar {
  const zero = constantScalar(0, value.dtype);
  return apply("eq", apply("mul", value, zero), zero);
}

/**
 * Returns a reduction of one row, as a part of what is computed for the row: for cases that are
 * rare.
 */
export function reducedRow(
  { context }: Pick<LoweringCall, "context">,
  self: LazyTensor,
  dims: readonly number[],
  first: readonly Index[],
  body: (element: Scalar, at: readonly Index[]) => Scalar,
  reduce: ReduceKind = "sum",
): Scalar {
  const { axes, at } = context.axes(dims.map((d) => self.shape[d]!));
  const place = first.map((index, d) => (dims.includes(d) ? at[dims.indexOf(d)]! : index));
  const value = body(self.element(place), place);
  return { kind: "reduce", dtype: value.dtype, reduce, axes, body: value };
}

/** Returns the element of `mean` (dimensions kept) that belongs to an element of the tensor. */
export const keptAt = (at: readonly Index[], dims: readonly number[], zero: Index): Index[] =>
  at.map((index, d) => (dims.includes(d) ? zero : index));

/** Returns the sum of `body` over axes, of the elements for which `when` holds. */
export const sumOf = (axes: readonly Axis[], body: Scalar, when?: Scalar): Scalar => ({
  kind: "reduce",
  dtype: body.dtype,
  reduce: "sum",
  axes,
  body,
  when,
});
