/**
 * @file float16 and bfloat16 patterns to numbers and back. Rounding is to nearest, ties to even. A
 * number is rounded to float32 first, because that is what PyTorch does with a double.
 */
const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

let float16Table: Float32Array | undefined;
let bfloat16Table: Float32Array | undefined;

function tabulate(decode: (pattern: number) => number): Float32Array {
  const table = new Float32Array(65536);
  for (let pattern = 0; pattern < 65536; pattern++) table[pattern] = decode(pattern);
  return table;
}

function decodeFloat16(pattern: number): number {
  const sign = pattern & 0x8000 ? -1 : 1;
  const exponent = (pattern >>> 10) & 0x1f;
  const mantissa = pattern & 0x3ff;
  if (exponent === 0x1f) return mantissa === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

function decodeBfloat16(pattern: number): number {
  scratchBits[0] = pattern << 16;
  return scratch[0]!;
}

/** Returns the value of every float16 pattern: `FLOAT16_VALUES()[pattern]`. Built on first use. */
export function float16Values(): Float32Array {
  float16Table ??= tabulate(decodeFloat16);
  return float16Table;
}

/** Returns the value of every bfloat16 pattern. Built on first use. */
export function bfloat16Values(): Float32Array {
  bfloat16Table ??= tabulate(decodeBfloat16);
  return bfloat16Table;
}

/** Returns the number that a float16 pattern represents. */
export const float16ToNumber = (pattern: number): number => float16Values()[pattern & 0xffff]!;

/** Returns the number that a bfloat16 pattern represents. */
export const bfloat16ToNumber = (pattern: number): number => bfloat16Values()[pattern & 0xffff]!;

/** Returns the float16 pattern nearest to a number. */
export function numberToFloat16(value: number): number {
  scratch[0] = value;
  const bits = scratchBits[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x47800000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) {
    // Normal: rebias, then add half a unit less one, plus one when the kept bit is odd. A carry
    // moves the exponent.
    return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
  }
  if (magnitude < 0x33000000) return sign;
  const shift = 126 - (magnitude >>> 23);
  const mantissa = (magnitude & 0x7fffff) | 0x800000;
  const kept = mantissa >>> shift;
  const rest = mantissa & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return sign | (kept + (rest > half || (rest === half && (kept & 1) === 1) ? 1 : 0));
}

/** Returns the bfloat16 pattern nearest to a number. */
export function numberToBfloat16(value: number): number {
  scratch[0] = value;
  const bits = scratchBits[0]!;
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fc0;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}
