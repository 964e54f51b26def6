/**
 * @file Real functions of elementwise kernels where JavaScript's own differ from C's or are
 * missing.
 */

const bits64 = new DataView(new ArrayBuffer(8));

/** Rounds half to even. Adding 2^52 pushes the fraction out, rounding as IEEE 754 does. */
export function roundHalfEven(x: number): number {
  if (!(Math.abs(x) < 2 ** 52)) return x;
  return x < 0 || Object.is(x, -0) ? -(2 ** 52 - x - 2 ** 52) : x + 2 ** 52 - 2 ** 52;
}

/**
 * `hypot` with the last bit right nearly always, which `Math.hypot` has not: a square root and one
 * correction (C. F. Borges, "An improved algorithm for hypot(a,b)", 2019), as in C libraries.
 */
export function hypot(a: number, b: number): number {
  const [x, y] = [Math.max(Math.abs(a), Math.abs(b)), Math.min(Math.abs(a), Math.abs(b))];
  if (Math.abs(a) === Number.POSITIVE_INFINITY || Math.abs(b) === Number.POSITIVE_INFINITY)
    return Number.POSITIVE_INFINITY;
  if (!(y > x * 2 ** -54)) return x + y;
  const scale = x > 2 ** 511 ? 2 ** 600 : y < 2 ** -459 ? 2 ** -600 : 1;
  return correctedHypot(x / scale, y / scale) * scale;
}

function correctedHypot(x: number, y: number): number {
  const h = Math.sqrt(x * x + y * y);
  if (h <= 2 * y) {
    const delta = h - y;
    return h - (x * (2 * delta - x) + (delta - 2 * (x - y)) * delta) / (2 * h);
  }
  const delta = h - x;
  return h - (2 * delta * (x - 2 * y) + (4 * delta - y) * y + delta * delta) / (2 * h);
}

/** C's `pow`: 1 to anything is 1, and -1 to an infinity is 1. */
export function pow(x: number, y: number): number {
  if (x === 1 || (x === -1 && (y === Number.POSITIVE_INFINITY || y === Number.NEGATIVE_INFINITY))) return 1;
  return x ** y;
}

/** Integer power by squaring; exact below 2^53. A negative exponent truncates the reciprocal. */
export function intPow(x: number, y: number): number {
  if (y < 0) return x === 1 ? 1 : x === -1 ? (y % 2 === 0 ? 1 : -1) : 0;
  let result = 1;
  for (let base = x, n = y; n > 0; n = Math.floor(n / 2), base *= base) if (n % 2 === 1) result *= base;
  return result;
}

/** {@link intPow} modulo 2^32. */
export function int32Pow(x: number, y: number): number {
  if (y < 0) return intPow(x, y);
  let result = 1;
  for (let base = x | 0, n = y; n > 0; n = Math.floor(n / 2), base = Math.imul(base, base)) {
    if (n % 2 === 1) result = Math.imul(result, base);
  }
  return result;
}

/** {@link intPow} on 64-bit integers; the caller wraps. */
export function bigPow(x: bigint, y: bigint): bigint {
  if (y < 0n) return x === 1n ? 1n : x === -1n ? (y % 2n === 0n ? 1n : -1n) : 0n;
  let result = 1n;
  for (let base = x, n = y; n > 0n; n >>= 1n, base = BigInt.asIntN(64, base * base)) {
    if (n & 1n) result = BigInt.asIntN(64, result * base);
  }
  return result;
}

/** Remainder with the sign of the divisor. */
export function remainder(x: number, y: number): number {
  const mod = x % y;
  return mod !== 0 && y < 0 !== mod < 0 ? mod + y : mod;
}

/**
 * Floor division from the remainder, as Python's: `round` rounds each step to the dtype computed
 * in.
 */
export function floorDivide(x: number, y: number, round: (value: number) => number): number {
  if (y === 0) return x / y;
  const mod = x % y;
  let quotient = round(round(x - mod) / y);
  if (mod !== 0 && y < 0 !== mod < 0) quotient = round(quotient - 1);
  if (quotient === 0) return x / y < 0 || Object.is(x / y, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return Number.isNaN(quotient) ? quotient : round(quotient - floor) > 0.5 ? floor + 1 : floor;
}

export const identity = (x: number): number => x;
/** log(1 + exp(x)) without overflow. */
export const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
export const copySign = (x: number, y: number): number => (isNegative(y) ? -Math.abs(x) : Math.abs(x));
/** Returns whether the sign bit is set, that of a NaN too. */
export function isNegative(x: number): boolean {
  if (!Number.isNaN(x)) return x < 0 || Object.is(x, -0);
  bits64.setFloat64(0, x);
  return bits64.getInt8(0) < 0;
}

export function logAddExp(x: number, y: number): number {
  if (x === y && !Number.isFinite(x)) return x;
  return Math.max(x, y) + Math.log1p(Math.exp(-Math.abs(x - y)));
}

export function logAddExp2(x: number, y: number): number {
  if (x === y && !Number.isFinite(x)) return x;
  return Math.max(x, y) + Math.log1p(2 ** -Math.abs(x - y)) * Math.LOG2E;
}

/** Math.max takes numbers only. */
export function bigMax(x: bigint, y: bigint): bigint {
  if (x > y) return x;
  return y;
}

/** Math.min takes numbers only. */
export function bigMin(x: bigint, y: bigint): bigint {
  if (x < y) return x;
  return y;
}

// Of two equal numbers, which zeros of both signs are, PyTorch takes the first. `Math.max` does
// not.
/** Larger of two; NaN when one is. */
export const greater = (x: number, y: number): number => (y > x || Number.isNaN(y) ? y : x);
/** Smaller of two; NaN when one is. */
export const smaller = (x: number, y: number): number => (y < x || Number.isNaN(y) ? y : x);
/** Larger of two, dropping NaN. */
export const fmax = (x: number, y: number): number => (y > x || Number.isNaN(x) ? y : x);
/** Smaller of two, dropping NaN. */
export const fmin = (x: number, y: number): number => (y < x || Number.isNaN(x) ? y : x);

/**
 * The greatest common divisor in integers whose least is `least`. That one has no positive
 * counterpart and stays as it is, so that the result's sign is what Euclid's remainders leave
 * (`calc_gcd` in Math.h).
 */
export const gcdAbove =
  (least: number) =>
  (x: number, y: number): number => {
    let a = x === least ? x : Math.abs(x);
    let b = y === least ? y : Math.abs(y);
    while (a !== 0) [a, b] = [b % a, a];
    return b;
  };

/** As {@link gcdAbove}, for 64 bits. */
export function bigGcd(x: bigint, y: bigint): bigint {
  let a = BigInt.asIntN(64, x < 0n ? -x : x);
  let b = BigInt.asIntN(64, y < 0n ? -y : y);
  while (a !== 0n) [a, b] = [b % a, a];
  return b;
}

/** Returns the float64 beside x in the direction of y. */
export function nextAfter64(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  bits64.setFloat64(0, x);
  bits64.setBigInt64(0, bits64.getBigInt64(0) + (y > x === x > 0 ? 1n : -1n));
  return bits64.getFloat64(0);
}

/** Returns the float32 beside x in the direction of y. */
export function nextAfter32(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? 2 ** -149 : -(2 ** -149);
  bits64.setFloat32(0, x);
  bits64.setInt32(0, bits64.getInt32(0) + (y > x === x > 0 ? 1 : -1));
  return bits64.getFloat32(0);
}
/** sin(pi x) / (pi x), and 1 at 0. */
export const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
/** Returns the same in single precision, where pi x overflows. */
export function sincSingle(x: number): number {
  if (x === 0) return 1;
  const product = Math.fround(Math.fround(Math.PI) * x);
  return Math.sin(product) / product;
}
/** Returns the nearest value within bounds. */
export const clamp = (x: number, low: number, high: number): number => smaller(greater(x, low), high);
