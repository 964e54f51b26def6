/**
 * @file Scalar functions on JavaScript values: floats and small integers are numbers, 64-bit
 * integers bigints, bools booleans.
 */
import {
  type ComplexElement,
  type DType,
  dtypeInfo,
  floatToInt32,
  floatToInt64,
  isBigIntDType,
  isFloatDType,
} from "@sconce/tensor";
import type { BinaryFn, CompareFn, ScalarFn, UnaryFn } from "../ir/scalar.js";
import { erf } from "./erf.js";

export type Element = number | bigint | boolean;

/** Complex elements, as tensors give and take them, go through kernels unseen. */
const pairOf = (element: Element): ComplexElement => element as unknown as ComplexElement;
const COMPLEX: Readonly<Record<string, (a: Element, b: Element) => Element>> = {
  complex: (re, im) => ({ re, im }) as unknown as Element,
  real: (z) => pairOf(z).re,
  imag: (z) => pairOf(z).im,
};

/** Half to even. */
function roundHalfEven(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  if (rest !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}
const keepSign = (sign: number, value: number): number => (value === 0 ? (1 / sign < 0 ? -0 : 0) : value);

const UNARY_FLOAT: Partial<Record<UnaryFn, (x: number) => number>> = {
  neg: (x) => -x,
  abs: Math.abs,
  sign: (x) => Number(x > 0) - Number(x < 0),
  floor: Math.floor,
  ceil: Math.ceil,
  round: (x) => keepSign(x, roundHalfEven(x)),
  trunc: Math.trunc,
  reciprocal: (x) => 1 / x,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  erf,
};
const floorRemainder = (a: number, b: number): number => {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
};
/** `div_floor_floating` of `c10/util/generic_math.h`: exact where a quotient is nearly whole. */
function floorDivide(a: number, b: number): number {
  if (b === 0) return a / b;
  const rest = a % b;
  let quotient = (a - rest) / b;
  if (rest !== 0 && b < 0 !== rest < 0) quotient -= 1;
  if (quotient === 0) return keepSign(a / b, 0);
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}
const BINARY_FLOAT: Partial<Record<BinaryFn, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  floor_div: floorDivide,
  remainder: floorRemainder,
  fmod: (a, b) => a % b,
  // Of equal numbers, which zeros of both signs are, the first is taken.
  max: (a, b) => (b > a || Number.isNaN(b) ? b : a),
  min: (a, b) => (b < a || Number.isNaN(b) ? b : a),
  // A base of 1 or -1 to an infinite power is 1 in C, NaN in JavaScript.
  pow: (a, b) => (a === 1 || (a === -1 && !Number.isFinite(b) && !Number.isNaN(b)) ? 1 : a ** b),
  atan2: Math.atan2,
};

const BINARY_INT: Partial<Record<BinaryFn, (a: bigint, b: bigint) => bigint>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  floor_div: (a, b) => a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n),
  trunc_div: (a, b) => a / b,
  remainder: (a, b) => {
    const rest = a % b;
    return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
  },
  fmod: (a, b) => a % b,
  max: (a, b) => (a > b ? a : b),
  min: (a, b) => (a < b ? a : b),
  pow: integerPower,
  bitwise_and: (a, b) => a & b,
  bitwise_or: (a, b) => a | b,
  bitwise_xor: (a, b) => a ^ b,
  shift_left: (a, b) => (b < 0n || b > 63n ? 0n : a << b),
  shift_right: (a, b) => (b < 0n || b > 63n ? (a < 0n ? -1n : 0n) : a >> b),
};
function integerPower(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) return base === 1n ? 1n : base === -1n ? (exponent % 2n === 0n ? 1n : -1n) : 0n;
  let [result, square, left] = [1n, base, exponent];
  for (; left > 0n; left >>= 1n) {
    if (left & 1n) result = BigInt.asIntN(64, result * square);
    square = BigInt.asIntN(64, square * square);
  }
  return result;
}
const UNARY_INT: Partial<Record<UnaryFn, (x: bigint) => bigint>> = {
  neg: (x) => -x,
  abs: (x) => (x < 0n ? -x : x),
  sign: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n),
  bitwise_not: (x) => ~x,
};
const COMPARISONS: Record<CompareFn, (a: Element, b: Element) => boolean> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};
const LOGIC: Partial<Record<ScalarFn, (a: boolean, b: boolean) => boolean>> = {
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  xor: (a, b) => a !== b,
  not: (a) => !a,
};

const wrap = (value: bigint, dtype: DType): Element => {
  const { itemSize, signed } = dtypeInfo(dtype);
  const kept = signed ? BigInt.asIntN(itemSize * 8, value) : BigInt.asUintN(itemSize * 8, value);
  return isBigIntDType(dtype) ? kept : Number(kept);
};
/**
 * Returns a number rounded to a float type that JavaScript can hold; halves are rounded by casts.
 */
const rounded = (value: number, dtype: DType): number => (dtype === "float32" ? Math.fround(value) : value);

/**
 * Returns the function for operands of one dtype, with its result rounded or wrapped to `out`;
 * undefined if the dtype does not have it.
 */
export function functionOf(
  fn: ScalarFn,
  operand: DType,
  out: DType,
): ((a: Element, b: Element, c?: Element) => Element) | undefined {
  if (fn in COMPLEX) return COMPLEX[fn];
  if (fn in COMPARISONS) return COMPARISONS[fn as CompareFn];
  if (fn in LOGIC) return LOGIC[fn] as (a: Element, b: Element) => Element;
  if (fn === "isnan") return (a) => Number.isNaN(a);
  if (fn === "isinf") return (a) => a === Infinity || a === -Infinity;
  if (isFloatDType(operand)) {
    if (fn === "fma") return (a, b, c) => rounded((a as number) * (b as number) + (c as number), out);
    // The quotient is rounded before it is cut, so 19.999... may become 20.
    if (fn === "trunc_div") return (a, b) => Math.trunc(rounded((a as number) / (b as number), out));
    // The divisor overflows as a float32 does.
    if (fn === "sigmoid") return (a) => rounded(1 / rounded(1 + Math.exp(-(a as number)), operand), out);
    const direct = UNARY_FLOAT[fn as UnaryFn] ?? BINARY_FLOAT[fn as BinaryFn];
    if (direct === undefined) return undefined;
    return (a, b) => rounded((direct as (x: number, y: number) => number)(a as number, b as number), out);
  }
  const exact = UNARY_INT[fn as UnaryFn] ?? BINARY_INT[fn as BinaryFn];
  if (exact === undefined) return undefined;
  return (a, b) =>
    wrap((exact as (x: bigint, y: bigint) => bigint)(BigInt(a), b === undefined ? 0n : BigInt(b)), out);
}

/** Conversion between dtypes as `Tensor.to` does it. */
export function converterOf(
  from: DType,
  to: DType,
  encode: (value: number) => number,
): (value: Element) => Element {
  if (to === "bool") return (value) => (typeof value === "bigint" ? value !== 0n : Number(value) !== 0);
  if (isFloatDType(to)) return (value) => encode(Number(value));
  if (!isFloatDType(from)) return (value) => wrap(BigInt(value), to);
  if (isBigIntDType(to)) return (value) => floatToInt64(Number(value));
  return (value) => wrap(BigInt(floatToInt32(Number(value))), to);
}
