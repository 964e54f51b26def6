/** @file Single elements of any dtype, as JavaScript values. */
import { type DType, dtypeInfo, type TypedArray } from "./dtype.js";
import { type Float8DType, float8Values, numberToFloat8 } from "./float8.js";
import { bfloat16Values, float16Values, numberToBfloat16, numberToFloat16 } from "./half.js";

/** A complex element. */
export interface ComplexElement {
  /** The real part. */
  readonly re: number;
  /** The imaginary part. */
  readonly im: number;
}

/**
 * An element as a JavaScript value: int64 and uint64 as bigint, bool as boolean, complex as a pair.
 */
export type Element = number | bigint | boolean | ComplexElement;

/** Returns an element for messages; complex ones as `1+2j`. */
export const elementText = (value: Element): string =>
  typeof value === "object" ? `${value.re}${value.im < 0 ? "" : "+"}${value.im}j` : String(value);

/**
 * Reads one lane of a typed array as a number, halves decoded. For int64 the value may be inexact.
 */
export function laneReader(dtype: DType, data: TypedArray): (lane: number) => number {
  const table = valueTable(dtype);
  if (table !== undefined) {
    const patterns = data as Uint16Array;
    return (lane) => table[patterns[lane]!]!;
  }
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return (lane) => Number(data[lane]!);
  const numbers = data as Float64Array;
  return (lane) => numbers[lane]!;
}

/** Values by pattern, for dtypes that are stored as patterns. */
export function valueTable(dtype: DType): Float32Array | undefined {
  if (dtype === "float16" || dtype === "complex32") return float16Values();
  if (dtype === "bfloat16") return bfloat16Values();
  return dtype.startsWith("float8") ? float8Values(dtype as Float8DType) : undefined;
}

/**
 * Iterations a number into the pattern that is stored; undefined for dtypes that store numbers as
 * they are.
 */
export function patternEncoder(dtype: DType): ((value: number) => number) | undefined {
  if (dtype === "float16" || dtype === "complex32") return numberToFloat16;
  if (dtype === "bfloat16") return numberToBfloat16;
  return dtype.startsWith("float8") ? (value) => numberToFloat8(dtype as Float8DType, value) : undefined;
}

/** Reads elements by position, in elements from the start of `data`. */
export function elementReader(dtype: DType, data: TypedArray): (position: number) => Element {
  if (dtypeInfo(dtype).lanes === 2) {
    const lane = laneReader(dtype, data);
    return (position) => ({ re: lane(2 * position), im: lane(2 * position + 1) });
  }
  if (dtype === "bool") return (position) => data[position] !== 0;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return (position) => data[position]!;
  return laneReader(dtype, data);
}

const asNumber = (value: Element): number => (typeof value === "object" ? value.re : Number(value));
const asBigInt = (value: Element): bigint =>
  typeof value === "bigint" ? value : BigInt(Math.trunc(asNumber(value)));

/**
 * Writes elements by position. Values are stored as they are (integers wrap, fractions are cut,
 * numbers are rounded to the float type); see `castTensor` for PyTorch's conversions between
 * tensors.
 */
export function elementWriter(dtype: DType, data: TypedArray): (position: number, value: Element) => void {
  const encode = patternEncoder(dtype);
  const numbers = data as Float64Array;
  if (dtypeInfo(dtype).lanes === 2) {
    const lane = encode ?? ((value: number) => value);
    return (position, value) => {
      numbers[2 * position] = lane(asNumber(value));
      numbers[2 * position + 1] = lane(typeof value === "object" ? value.im : 0);
    };
  }
  if (dtype === "bool") {
    return (position, value) => {
      const truth = typeof value === "object" ? value.re !== 0 || value.im !== 0 : Number(value) !== 0;
      numbers[position] = truth ? 1 : 0;
    };
  }
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    return (position, value) => {
      data[position] = asBigInt(value);
    };
  }
  if (encode !== undefined) {
    return (position, value) => {
      numbers[position] = encode(asNumber(value));
    };
  }
  if (dtypeInfo(dtype).kind === "float") {
    return (position, value) => {
      numbers[position] = asNumber(value);
    };
  }
  return (position, value) => {
    numbers[position] =
      typeof value === "bigint" ? Number(BigInt.asIntN(32, value)) : Math.trunc(asNumber(value));
  };
}
