/** @file Which elements of an image an element of a resized image reads, and their weights. */
import type { DType } from "@sconce/tensor";
import { add, constant, divide, fixedValue, type Index, ONE, same, subtract } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, FALSE, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import type { LoweringCall } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { numberOf } from "../core/numbers.js";
import { placeIn } from "./made.js";

/** One dimension that gets another size. */
export interface Resizing {
  readonly inputs: Index;
  readonly outputs: Index;
  /** The factor that the call gives, or null: it follows from the sizes. */
  readonly scale: number | null;
}
const isGiven = (scale: number | null): scale is number => scale !== null && scale > 0;

/** Input elements per output element. */
function ratioOf({ inputs, outputs, scale }: Resizing, dtype: DType): Scalar {
  if (isGiven(scale)) return constantScalar(rounded(1 / scale, dtype), dtype);
  const [from, to] = [fixedValue(inputs), fixedValue(outputs)];
  if (from !== undefined && to !== undefined) return constantScalar(rounded(from / to, dtype), dtype);
  return apply("div", numberOf(inputs, dtype), numberOf(outputs, dtype));
}
const rounded = (value: number, dtype: DType): number => (dtype === "float64" ? value : Math.fround(value));

/**
 * Values that depend on the place along one dimension alone, in memory: they are computed once, and
 * not for each element of the result.
 */
function tabulated(
  { context, node }: LoweringCall,
  size: Index,
  dtype: DType,
  valueAt: (at: Index) => Scalar,
): (at: Index) => Scalar {
  const table = new LazyTensor({
    dtype,
    shape: [size],
    node,
    inputs: [],
    operations: 8,
    element: ([at]) => cast(valueAt(at!), dtype),
  });
  context.materialize(table);
  return (at) => table.element([at]);
}

interface NearestOptions {
  /** Whether centers of elements are compared, as `nearest-exact` does. */
  readonly isExact: boolean;
  /**
   * Whether equal and doubled sizes copy elements whatever scale the call gives (`nearest_idx`).
   */
  readonly copies: boolean;
}
/** Returns the element that is read for each element of the result. */
export function nearestPlaces(
  call: LoweringCall,
  resizing: Resizing,
  { isExact, copies }: NearestOptions,
): (at: Index) => Index {
  const { inputs, outputs } = resizing;
  if (copies && same(inputs, outputs)) return (at) => at;
  if (copies && same(outputs, add(inputs, inputs))) return (at) => divide(at, constant(2));
  const factor = wholeFactor(resizing, isExact);
  if (factor !== undefined) return (at) => divide(at, constant(factor));
  const placeAt = tabulated(call, outputs, "int32", (at) => {
    const number = numberOf(at, "float32");
    const start = isExact ? apply("add", number, constantScalar(0.5, "float32")) : number;
    const floor = apply("floor", apply("mul", start, ratioOf(resizing, "float32")));
    const place = cast(apply("min", floor, lastOf(inputs, "float32")), "int64");
    return copies ? copiedWhere(at, resizing, place) : place;
  });
  return (at) => placeIn(placeAt(at), inputs, false);
}
/** Returns the place for sizes of a run that are equal or doubled, or else another. */
function copiedWhere(at: Index, { inputs, outputs }: Resizing, place: Scalar): Scalar {
  if (fixedValue(inputs) !== undefined && fixedValue(outputs) !== undefined) return place;
  const is = (size: Index): Scalar => apply("eq", indexScalar(outputs), indexScalar(size));
  const doubled = select(is(add(inputs, inputs)), indexScalar(divide(at, constant(2))), place);
  return select(is(inputs), indexScalar(at), doubled);
}
/**
 * Returns the whole number by which places are divided, where float32 gives the same places as that
 * division: most images grow by whole factors.
 */
function wholeFactor({ inputs, outputs, scale }: Resizing, isExact: boolean): number | undefined {
  const [from, to] = [fixedValue(inputs), fixedValue(outputs)];
  if (from === undefined || to === undefined || to % from !== 0 || to > 2 ** 16) return undefined;
  const factor = to / from;
  const ratio = Math.fround(isGiven(scale) ? 1 / scale : from / to);
  for (let o = 0; o < to; o++) {
    const place = Math.min(Math.floor(Math.fround((isExact ? o + 0.5 : o) * ratio)), from - 1);
    if (place !== Math.floor(o / factor)) return undefined;
  }
  return factor;
}
const lastOf = (size: Index, dtype: DType): Scalar => numberOf(subtract(size, ONE), dtype);

interface LinearOptions {
  /** The dtype of the arithmetic. */
  readonly compute: DType;
  /** The dtype that weights are rounded to. */
  readonly weights: DType;
  readonly align: boolean;
}
/** Elements that are blended, and their weights. */
export interface Taps {
  readonly places: readonly Index[];
  readonly weights: readonly Scalar[];
}
/** Returns the two elements that are blended for each element of the result. */
export function linearTaps(
  call: LoweringCall,
  resizing: Resizing,
  options: LinearOptions,
): (at: Index) => Taps {
  const { inputs, outputs } = resizing;
  const { compute, weights } = options;
  const number = (value: number): Scalar => constantScalar(value, compute);
  // Both elements are the same here, so an infinity gives NaN, as in PyTorch.
  if (same(inputs, outputs)) return (at) => ({ places: [at, at], weights: [number(1), number(0)] });
  // The sizes of a run may be equal.
  const isFixed = [inputs, outputs].every((size) => fixedValue(size) !== undefined);
  const isSame = isFixed ? FALSE : apply("eq", indexScalar(inputs), indexScalar(outputs));
  const placeAt = (step: number): ((at: Index) => Scalar) =>
    tabulated(call, outputs, "int32", (at) => {
      const floor = apply("add", apply("floor", positionOf(at, resizing, options)), number(step));
      return select(isSame, numberOf(at, compute), apply("min", floor, lastOf(inputs, compute)));
    });
  const upperAt = tabulated(call, outputs, compute, (at) => {
    const position = positionOf(at, resizing, options);
    const upper = apply("sub", position, apply("floor", position));
    return select(isSame, number(0), cast(cast(upper, weights), compute));
  });
  const placesAt = [placeAt(0), placeAt(1)] as const;
  return (at) => {
    const upper = upperAt(at);
    const lower = cast(cast(apply("sub", number(1), upper), weights), compute);
    const [first, next] = placesAt.map((table) => placeIn(table(at), inputs, false));
    return { places: [first!, next!], weights: [lower, upper] };
  };
}
/** Returns the four elements that cubic convolution blends for each element of the result. */
export function cubicTaps(
  call: LoweringCall,
  resizing: Resizing,
  options: Pick<LinearOptions, "compute" | "align">,
): (at: Index) => Taps {
  const { inputs, outputs } = resizing;
  const { compute } = options;
  const number = (value: number): Scalar => constantScalar(value, compute);
  const places = [-1, 0, 1, 2].map((step) =>
    tabulated(call, outputs, "int32", (at) => {
      const place = apply("add", apply("floor", unboundedPositionOf(at, resizing, options)), number(step));
      return apply("max", number(0), apply("min", place, lastOf(inputs, compute)));
    }),
  );
  const weights = [0, 1, 2, 3].map((tap) =>
    tabulated(call, outputs, compute, (at) => {
      const position = unboundedPositionOf(at, resizing, options);
      return cubicWeight(tap, apply("sub", position, apply("floor", position)), number);
    }),
  );
  return (at) => ({
    places: places.map((table) => placeIn(table(at), inputs, false)),
    weights: weights.map((table) => table(at)),
  });
}
/** The coefficient of PyTorch's cubic convolution. */
const A = -0.75;
/**
 * Returns the weight of a neighbor, from the distance of the position to the second one: as
 * products, in which no terms cancel. PyTorch's kernels round once where its polynomials cancel.
 */
function cubicWeight(tap: number, distance: Scalar, number: (value: number) => Scalar): Scalar {
  const rest = apply("sub", number(1), distance);
  const [x, other] = tap < 2 ? [distance, rest] : [rest, distance];
  const square = (value: Scalar): Scalar => apply("mul", value, value);
  if (tap === 0 || tap === 3) return apply("mul", apply("mul", number(A), x), square(other));
  const factor = apply("sub", apply("add", number(1), x), apply("mul", number(A + 2), square(x)));
  return apply("mul", other, factor);
}

/** Where element `at` of the result lies in the image, not before its first element. */
function positionOf(at: Index, resizing: Resizing, options: LinearOptions): Scalar {
  const position = unboundedPositionOf(at, resizing, options);
  return options.align ? position : apply("max", position, constantScalar(0, options.compute));
}
/** Where element `at` of the result lies in the image or before it. */
function unboundedPositionOf(
  at: Index,
  resizing: Resizing,
  { compute, align }: Pick<LinearOptions, "compute" | "align">,
): Scalar {
  const own = numberOf(at, compute);
  if (align) return apply("mul", own, alignedRatio(resizing, compute));
  const half = constantScalar(0.5, compute);
  return apply("sub", apply("mul", apply("add", own, half), ratioOf(resizing, compute)), half);
}
/** Input elements per output element between the first and the last, which stay in place. */
function alignedRatio({ inputs, outputs }: Resizing, dtype: DType): Scalar {
  const [from, to] = [fixedValue(inputs), fixedValue(outputs)];
  if (to === 1) return constantScalar(0, dtype);
  if (from !== undefined && to !== undefined)
    return constantScalar(rounded((from - 1) / (to - 1), dtype), dtype);
  const ratio = apply("div", lastOf(inputs, dtype), lastOf(outputs, dtype));
  const isOne = apply("eq", indexScalar(outputs), constantScalar(1, "int64"));
  return select(isOne, constantScalar(0, dtype), ratio);
}

/** Returns the weighted sum over all corners, dimension by dimension from the first. */
export function blended(
  [taps, ...others]: readonly Taps[],
  elementAt: (places: readonly Index[]) => Scalar,
): Scalar {
  const terms = taps!.weights.map((weight, side) => {
    const inner = (places: readonly Index[]): Scalar => elementAt([taps!.places[side]!, ...places]);
    return apply("mul", weight, others.length === 0 ? inner([]) : blended(others, inner));
  });
  return terms.reduce((sum, term) => apply("add", sum, term));
}
