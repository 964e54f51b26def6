/** @file Intervals of numbers, rounded outwards. */
import type { ScalarFn } from "@sconce/codegen";
import { type DType, dtypeInfo, isComplexDType, isFloatDType } from "@sconce/tensor";

/** What a value may be: `low <= value <= high`, or NaN too. */
export interface Range {
  /** The least value. */
  readonly low: number;
  /** The greatest value. */
  readonly high: number;
  /** Whether NaN is possible. */
  readonly nan: boolean;
}

/** Returns a range by its ends. */
export const between = (low: number, high: number, nan = false): Range => ({ low, high, nan });
export const ANY: Range = between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, true);
export const TRUTH: Range = between(0, 1);
/** Returns the range of one value. */
export const point = (value: number): Range => (Number.isNaN(value) ? ANY : between(value, value));
export const union = (a: Range, b: Range): Range =>
  between(Math.min(a.low, b.low), Math.max(a.high, b.high), a.nan || b.nan);
/** Returns what both allow; `b` where they exclude each other. */
export function intersection(a: Range, b: Range): Range {
  const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)];
  return low <= high ? between(low, high, a.nan && b.nan) : b;
}
export const isBounded = ({ low, high, nan }: Range): boolean =>
  !nan && Number.isFinite(low) && Number.isFinite(high);
/** Returns all values of an integer dtype. */
export function rangeOfDType(dtype: DType): Range {
  if (isFloatDType(dtype) || isComplexDType(dtype)) return ANY;
  const { itemSize, signed } = dtypeInfo(dtype);
  if (dtype === "bool") return TRUTH;
  const half = 2 ** (itemSize * 8 - 1);
  return signed ? between(-half, half - 1) : between(0, 2 * half - 1);
}

/**
 * The greatest relative change that rounding to a dtype makes, and whole numbers below are exact.
 */
const ROUNDING: Partial<Record<DType, readonly [relative: number, exact: number]>> = {
  float16: [2 ** -10, 2 ** 11],
  bfloat16: [2 ** -7, 2 ** 8],
  float64: [2 ** -52, 2 ** 53],
};
const FLOAT32 = [1e-6, 2 ** 24] as const;
const roundingOf = (dtype: DType): readonly [number, number] => ROUNDING[dtype] ?? FLOAT32;
const MOST_FLOAT16 = 65_504;

/** Room for so many roundings to a float dtype. */
export function widened({ low, high, nan }: Range, dtype: DType, times = 1): Range {
  const relative = roundingOf(dtype)[0] * times;
  const [least, most] = [low - Math.abs(low) * relative, high + Math.abs(high) * relative];
  if (dtype !== "float16") return between(least, most, nan);
  // What is larger becomes infinite.
  return between(
    least < -MOST_FLOAT16 ? Number.NEGATIVE_INFINITY : least,
    most > MOST_FLOAT16 ? Number.POSITIVE_INFINITY : most,
    nan,
  );
}

/** Returns what a whole number of the range becomes in a float dtype. */
export const castToFloat = (range: Range, dtype: DType): Range =>
  Math.max(-range.low, range.high) <= roundingOf(dtype)[1] ? range : widened(range, dtype);

type Combine = (a: Range, b: Range) => Range;
const corners =
  (fn: (a: number, b: number) => number): Combine =>
  (a, b) => {
    const values = [fn(a.low, b.low), fn(a.low, b.high), fn(a.high, b.low), fn(a.high, b.high)];
    if (values.some(Number.isNaN)) return ANY;
    return between(Math.min(...values), Math.max(...values), a.nan || b.nan);
  };
const quotient =
  (round: (value: number) => number): Combine =>
  (a, b) =>
    b.low > 0 || b.high < 0 ? corners((x, y) => round(x / y))(a, b) : ANY;
const keep = (value: number): number => value;

/** The powers of two around both, which bits of either cannot leave. */
const bits: Combine = (a, b) => {
  const most = Math.max(...[a.low, a.high, b.low, b.high].map(Math.abs));
  const size = 2 ** Math.ceil(Math.log2(most + 1));
  return between(a.low < 0 || b.low < 0 ? -size : 0, size);
};
const floorRest: Combine = (_dividend, b) =>
  b.low > 0 ? between(0, b.high - 1) : b.high < 0 ? between(b.low + 1, 0) : ANY;
const truncRest: Combine = (a, b) => {
  if (b.low <= 0 && b.high >= 0) return ANY;
  const most = Math.max(Math.abs(b.low), Math.abs(b.high)) - 1;
  return between(a.low < 0 ? -most : 0, a.high > 0 ? most : 0);
};
const shift =
  (sign: 1 | -1): Combine =>
  (a, b) =>
    b.low < 0 || b.high > 30 ? ANY : corners((x, y) => Math.floor(x * 2 ** (sign * y)))(a, b);
const power: Combine = (a, b) => {
  if (b.low < 0 || !isBounded(a) || !isBounded(b)) return ANY;
  const most = Math.max(Math.abs(a.low), Math.abs(a.high), 1) ** b.high;
  return between(a.low < 0 ? -most : 0, most);
};

const UNARY: Partial<Record<ScalarFn, (x: Range) => Range>> = {
  neg: ({ low, high, nan }) => between(-high, -low, nan),
  abs: ({ low, high, nan }) =>
    between(low <= 0 && high >= 0 ? 0 : Math.min(Math.abs(low), Math.abs(high)), Math.max(-low, high), nan),
  sign: () => between(-1, 1),
  floor: ({ low, high, nan }) => between(Math.floor(low), Math.floor(high), nan),
  ceil: ({ low, high, nan }) => between(Math.ceil(low), Math.ceil(high), nan),
  round: ({ low, high, nan }) => between(Math.floor(low), Math.ceil(high), nan),
  trunc: ({ low, high, nan }) => between(Math.trunc(low), Math.trunc(high), nan),
  bitwise_not: ({ low, high, nan }) => between(-high - 1, -low - 1, nan),
};
const BINARY: Partial<Record<ScalarFn, Combine>> = {
  add: corners((a, b) => a + b),
  sub: corners((a, b) => a - b),
  mul: corners((a, b) => (a === 0 || b === 0 ? 0 : a * b)),
  div: quotient(keep),
  floor_div: quotient(Math.floor),
  trunc_div: quotient(Math.trunc),
  remainder: floorRest,
  fmod: truncRest,
  max: (a, b) => between(Math.max(a.low, b.low), Math.max(a.high, b.high), a.nan || b.nan),
  min: (a, b) => between(Math.min(a.low, b.low), Math.min(a.high, b.high), a.nan || b.nan),
  bitwise_and: (a, b) => (a.low >= 0 && b.low >= 0 ? between(0, Math.min(a.high, b.high)) : bits(a, b)),
  bitwise_or: bits,
  bitwise_xor: bits,
  shift_left: shift(1),
  shift_right: shift(-1),
  pow: power,
};

/** Returns what a function may give. */
export function rangeOfCall(fn: ScalarFn, args: readonly Range[], dtype: DType): Range {
  const isFloat = isFloatDType(dtype);
  const [a, b] = args as [Range, Range];
  if (fn === "fma") return rangeOfCall("add", [rangeOfCall("mul", [a, b], "float64"), args[2]!], dtype);
  // A float remainder is not whole, and infinities take part.
  if (isFloat && (fn === "remainder" || fn === "fmod" || fn === "pow")) return ANY;
  const result = UNARY[fn]?.(a) ?? (b === undefined ? undefined : BINARY[fn]?.(a, b)) ?? ANY;
  if (!isFloat) return result;
  const isExact = ["neg", "abs", "floor", "ceil", "round", "trunc", "max", "min"].includes(fn);
  return isExact ? result : widened(result, dtype);
}
