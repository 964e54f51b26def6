/**
 * @file Powers of floats, rounded correctly: JavaScript's `**` may differ from C's in the last bit.
 */

/** Bits behind the binary point of the numbers of this file. */
const BITS = 200n;
const ONE = 1n << BITS;

/** Returns a product, cut toward zero: so that the terms of a series end at zero. */
const times = (a: bigint, b: bigint): bigint => (a * b) / ONE;

/** Returns a positive float as an odd or even integer and a power of two. */
function partsOf(x: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

/** `2 * atanh(z)`: the logarithm of `(1 + z) / (1 - z)`. */
function logarithmOf(z: bigint): bigint {
  const square = times(z, z);
  let sum = 0n;
  for (let power = z, n = 1n; power !== 0n; power = times(power, square), n += 2n) sum += power / n;
  return 2n * sum;
}

const LN2 = logarithmOf(ONE / 3n);

/** Returns the natural logarithm of `mantissa * 2 ** exponent`. */
function naturalLogarithm(mantissa: bigint, exponent: number): bigint {
  const bits = BigInt(mantissa.toString(2).length);
  const scaled = bits <= BITS ? mantissa << (BITS - bits) : mantissa >> (bits - BITS);
  // `scaled` is between 1/2 and 1.
  const z = ((scaled - ONE) << BITS) / (scaled + ONE);
  return logarithmOf(z) + (BigInt(exponent) + bits) * LN2;
}

/** `e ** r` for a small `r`. */
function exponential(r: bigint): bigint {
  let sum = ONE;
  for (let term = r, n = 1n; term !== 0n; term = times(term, r) / (n + 1n), n++) sum += term;
  return sum;
}

/** Returns the float nearest to `mantissa * 2 ** exponent`; halves go to the even neighbor. */
function nearest(mantissa: bigint, exponent: number): number {
  const drop = mantissa.toString(2).length - 53;
  if (drop <= 0) return Number(mantissa) * 2 ** exponent;
  const shift = BigInt(drop);
  const kept = mantissa >> shift;
  const rest = mantissa - (kept << shift);
  const half = 1n << (shift - 1n);
  const up = rest > half || (rest === half && (kept & 1n) === 1n);
  return Number(up ? kept + 1n : kept) * 2 ** (exponent + drop);
}

/** Exponents for which the power is computed exactly. */
const MOST_EXACT = 64;

/** `a ** b` of floats as C computes it: correctly rounded. */
export function floatPower(a: number, b: number): number {
  const rough = a ** b;
  const isPlain = Number.isFinite(a) && Number.isFinite(b) && a !== 0 && b !== 0 && Math.abs(a) !== 1;
  // Results that overflow or lose bits are those of the engine.
  if (!isPlain || !Number.isFinite(rough) || Math.abs(rough) < 2 ** -1021) return rough;
  const sign = rough < 0 ? -1 : 1;
  const { mantissa, exponent } = partsOf(Math.abs(a));
  if (Number.isInteger(b) && b > 0 && b <= MOST_EXACT) {
    const result = nearest(mantissa ** BigInt(b), exponent * b);
    return Number.isFinite(result) ? sign * result : rough;
  }
  const power = partsOf(Math.abs(b));
  const log = naturalLogarithm(mantissa, exponent) * power.mantissa;
  const size = power.exponent >= 0 ? log << BigInt(power.exponent) : log >> BigInt(-power.exponent);
  const total = b < 0 ? -size : size;
  const twos = total / LN2;
  const result = nearest(exponential(total - twos * LN2), Number(twos - BITS));
  return Number.isFinite(result) ? sign * result : rough;
}
