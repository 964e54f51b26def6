/**
 * @file The float8 kinds as PyTorch stores them: 256 values each, rounding to nearest, ties to
 * even.
 */
import type { DType } from "./dtype.js";

/** The dtypes of one byte: `float8_e4m3fn`, `float8_e5m2` and their variants. */
export type Float8DType = Extract<DType, `float8_${string}`>;

interface Format {
  readonly mantissaBits: number;
  readonly bias: number;
  /** Largest finite pattern without its sign. */
  readonly largest: number;
  /** What too large a magnitude becomes, without sign. */
  readonly overflow: number;
  /** What an infinite input becomes; e4m3fn saturates. */
  readonly infinity: number;
  readonly nan: number;
  /** No negative zero: pattern 0x80 is the only NaN (`fnuz`). */
  readonly unsignedZero: boolean;
}

const FORMATS: Readonly<Record<Exclude<Float8DType, "float8_e8m0fnu">, Format>> = Object.freeze({
  float8_e4m3fn: {
    mantissaBits: 3,
    bias: 7,
    largest: 0x7e,
    overflow: 0x7e,
    infinity: 0x7e,
    nan: 0x7f,
    unsignedZero: false,
  },
  float8_e5m2: {
    mantissaBits: 2,
    bias: 15,
    largest: 0x7b,
    overflow: 0x7c,
    infinity: 0x7c,
    nan: 0x7f,
    unsignedZero: false,
  },
  float8_e4m3fnuz: {
    mantissaBits: 3,
    bias: 8,
    largest: 0x7f,
    overflow: 0x80,
    infinity: 0x80,
    nan: 0x80,
    unsignedZero: true,
  },
  float8_e5m2fnuz: {
    mantissaBits: 2,
    bias: 16,
    largest: 0x7f,
    overflow: 0x80,
    infinity: 0x80,
    nan: 0x80,
    unsignedZero: true,
  },
});

function decode(format: Format, pattern: number): number {
  if (format.unsignedZero && pattern === 0x80) return NaN;
  const magnitude = pattern & 0x7f;
  if (magnitude > format.largest) {
    if (magnitude === format.infinity && magnitude !== format.nan)
      return pattern & 0x80 ? -Infinity : Infinity;
    return NaN;
  }
  const scale = 1 << format.mantissaBits;
  const exponent = magnitude >> format.mantissaBits;
  const mantissa = magnitude & (scale - 1);
  const value =
    exponent === 0
      ? (mantissa / scale) * 2 ** (1 - format.bias)
      : (1 + mantissa / scale) * 2 ** (exponent - format.bias);
  return pattern & 0x80 ? -value : value;
}

function roundHalfEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}

function encode(format: Format, value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x80 : 0;
  // PyTorch keeps the sign of a NaN; JavaScript does not show one.
  if (Number.isNaN(value)) return format.nan;
  const withSign = (pattern: number): number =>
    pattern === 0x80 ? 0x80 : format.unsignedZero && pattern === 0 ? 0 : pattern | sign;
  const magnitude = Math.abs(value);
  if (magnitude === Infinity) return withSign(format.infinity);
  const exponent = Math.max(Math.floor(Math.log2(magnitude || Number.MIN_VALUE)), 1 - format.bias);
  // log2 may be one off next to a power of two; the carry below repairs too small, this repairs too
  // large.
  const floor = magnitude < 2 ** exponent ? Math.max(exponent - 1, 1 - format.bias) : exponent;
  const units = roundHalfEven(magnitude * 2 ** (format.mantissaBits - floor));
  const pattern = units + ((floor - 1 + format.bias) << format.mantissaBits);
  return withSign(pattern > format.largest ? format.overflow : pattern);
}

function encodeExponentOnly(value: number): number {
  scratch[0] = value;
  const bits = scratchBits[0]!;
  const exponent = (bits >>> 23) & 0xff;
  if (exponent === 0xff) return 0xff;
  const guard = (bits & 0x400000) !== 0;
  const rest = (bits & 0x3fffff) !== 0;
  // Above one and a half rounds up; a tie rounds up too, but only from a normal number.
  return guard && (exponent > 0 || rest) ? exponent + 1 : exponent;
}

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);
const tables = new Map<Float8DType, Float32Array>();

/** Returns the value of each of the 256 patterns. */
export function float8Values(dtype: Float8DType): Float32Array {
  let table = tables.get(dtype);
  if (table === undefined) {
    table = Float32Array.from({ length: 256 }, (_, pattern) =>
      dtype !== "float8_e8m0fnu"
        ? decode(FORMATS[dtype], pattern)
        : pattern === 0xff
          ? NaN
          : 2 ** (pattern - 127),
    );
    tables.set(dtype, table);
  }
  return table;
}

/** Returns the pattern nearest to a number, which is rounded to float32 first. */
export function numberToFloat8(dtype: Float8DType, value: number): number {
  return dtype === "float8_e8m0fnu" ? encodeExponentOnly(value) : encode(FORMATS[dtype], Math.fround(value));
}
