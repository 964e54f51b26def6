/** @file Special functions in float64, by series, continued fractions and Newton steps on them. */

import type { DType } from "@sconce/tensor";

const TWO_OVER_SQRT_PI = 2 / Math.sqrt(Math.PI);
const SQRT_PI = Math.sqrt(Math.PI);

/** log(erfc(x) exp(x^2) / t) as a Chebyshev series in 4t - 2, where t = 2 / (2 + x), x >= 0. */
const ERFC_SERIES = Float64Array.of(
  -1.3026537197817094,
  0.6419697923564902,
  0.019476473204185836,
  -0.009561514786808632,
  -0.0009465953444820369,
  0.00036683949785276145,
  4.252332480690777e-5,
  -2.0278578112534242e-5,
  -1.6242900046470256e-6,
  1.3036558355805232e-6,
  1.5626441722066142e-8,
  -8.523809591492654e-8,
  6.5290544390988515e-9,
  5.059343495551469e-9,
  -9.91364156493033e-10,
  -2.273651222931836e-10,
  9.646791102015527e-11,
  2.3940380830391146e-12,
  -6.886027526497553e-12,
  8.944879273090725e-13,
  3.130921399342958e-13,
  -1.1270822361367252e-13,
  3.810905255189232e-16,
  7.106097613609237e-15,
  -1.5230282014571043e-15,
  -9.457494571291233e-17,
  1.210237189224279e-16,
  -2.816663087747177e-17,
);

/** (-1)^k / (k! (2k + 1)): Taylor coefficients of erf in x^2. */
const ERF_TAYLOR = ((): Float64Array => {
  const coefficients = new Float64Array(20);
  let factorial = 1;
  for (let k = 0; k < 20; k++) {
    if (k > 0) factorial *= -k;
    coefficients[k] = 1 / (factorial * (2 * k + 1));
  }
  return coefficients;
})();

/** log(erfcx(x)) for x >= 0. */
function logErfcx(x: number): number {
  const t = 2 / (2 + x);
  const ty = 4 * t - 2;
  let d = 0;
  let dd = 0;
  for (let j = ERFC_SERIES.length - 1; j > 0; j--) {
    const next = ty * d - dd + ERFC_SERIES[j]!;
    dd = d;
    d = next;
  }
  return Math.log(t) + 0.5 * (ERFC_SERIES[0]! + ty * d) - dd;
}

const erfcPositive = (x: number): number => (x > 27.5 ? 0 : Math.exp(logErfcx(x) - x * x));

/** Returns the error function. */
export function erf(x: number): number {
  const magnitude = Math.abs(x);
  if (magnitude > 1) return magnitude > 6 ? Math.sign(x) : x > 0 ? 1 - erfcPositive(x) : erfcPositive(-x) - 1;
  const square = x * x;
  let sum = 0;
  for (let k = 19; k >= 0; k--) sum = sum * square + ERF_TAYLOR[k]!;
  return TWO_OVER_SQRT_PI * x * sum;
}

/** erfc(x) for x > 1 to 1e-9, by half of the series. */
function erfcSingle(x: number): number {
  const t = 2 / (2 + x);
  const ty = 4 * t - 2;
  let d = 0;
  let dd = 0;
  for (let j = 13; j > 0; j--) {
    const next = ty * d - dd + ERFC_SERIES[j]!;
    dd = d;
    d = next;
  }
  return t * Math.exp(0.5 * (ERFC_SERIES[0]! + ty * d) - dd - x * x);
}

/** Returns the error function to 1e-9: enough for every dtype but float64, in half the time. */
export function erfSingle(x: number): number {
  const magnitude = Math.abs(x);
  if (magnitude > 1) {
    if (magnitude > 4.5) return Math.sign(x);
    const tail = erfcSingle(magnitude);
    return x > 0 ? 1 - tail : tail - 1;
  }
  const square = x * x;
  let sum = 0;
  for (let k = 11; k >= 0; k--) sum = sum * square + ERF_TAYLOR[k]!;
  return TWO_OVER_SQRT_PI * x * sum;
}

/** 1 - erf(x). */
export function erfc(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 0.5) return erfcPositive(x);
  return x < -1 ? 2 - erfcPositive(-x) : 1 - erf(x);
}

/** exp(x^2) erfc(x). */
export function erfcx(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x < 0) return x < -26.7 ? Number.POSITIVE_INFINITY : 2 * Math.exp(x * x) - erfcx(-x);
  if (x > 1e7) return 1 / (x * SQRT_PI);
  return Math.exp(logErfcx(x));
}

/** Returns the inverse of {@link erf}: a rough start, then Halley steps. */
export function erfinv(y: number): number {
  if (!(Math.abs(y) < 1)) return Math.abs(y) === 1 ? y * Number.POSITIVE_INFINITY : Number.NaN;
  if (y === 0) return y;
  const sign = Math.sign(y);
  return sign * erfcInverse(1 - Math.abs(y), Math.abs(y));
}

/** x >= 0 with erfc(x) = q and erf(x) = p = 1 - q; the smaller of the two steers the steps. */
function erfcInverse(q: number, p: number): number {
  const log = Math.log(q) + Math.log1p(p);
  const a = 2 / (Math.PI * 0.147) + log / 2;
  let x = Math.sqrt(Math.sqrt(a * a - log / 0.147) - a);
  for (let step = 0; step < 3; step++) {
    const error = p < 0.5 ? erf(x) - p : q - erfc(x);
    const slope = TWO_OVER_SQRT_PI * Math.exp(-x * x);
    x -= error / (slope + x * error);
  }
  return x;
}

/**
 * Returns the cumulative distribution of the normal distribution; like PyTorch's it is 0 far below,
 * where erf is -1.
 */
export const ndtr = (x: number): number => (1 + erf(x * Math.SQRT1_2)) / 2;

/** log(ndtr(x)), accurate far into the tail. */
export function logNdtr(x: number): number {
  if (x < -1) return Math.log(erfcx(-x * Math.SQRT1_2) / 2) - (x * x) / 2;
  return Math.log1p(-erfc(x * Math.SQRT1_2) / 2);
}

/** Returns the inverse of {@link ndtr}. */
export function ndtri(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 || p === 1 ? (p - 0.5) * Number.POSITIVE_INFINITY : Number.NaN;
  if (p >= 0.5) return Math.SQRT2 * erfcInverse(2 * (1 - p), 2 * p - 1);
  return -Math.SQRT2 * erfcInverse(2 * p, 1 - 2 * p);
}

/** Bernoulli numbers B_2k for k = 1 .. 15. */
const BERNOULLI = Float64Array.of(
  1 / 6,
  -1 / 30,
  1 / 42,
  -1 / 30,
  5 / 66,
  -691 / 2730,
  7 / 6,
  -3617 / 510,
  43867 / 798,
  -174611 / 330,
  854513 / 138,
  -236364091 / 2730,
  8553103 / 6,
  -23749461029 / 870,
  8615841276005 / 14322,
);

const LOG_SQRT_TWO_PI = 0.5 * Math.log(2 * Math.PI);

/** log |Γ(x)|. */
export function lgamma(x: number): number {
  if (Number.isNaN(x)) return x;
  if (!Number.isFinite(x)) return Number.POSITIVE_INFINITY;
  if (x <= 0) {
    if (Number.isInteger(x)) return Number.POSITIVE_INFINITY;
    return Math.log(Math.PI / Math.abs(sinPi(x))) - lgamma(1 - x);
  }
  if (x === 1 || x === 2) return 0;
  if (x > 0.5 && x < 2.5) return lgammaNearOne(x);
  let product = 1;
  let z = x;
  while (z < 12) product *= z++;
  let sum = 0;
  const inverseSquare = 1 / (z * z);
  for (let k = 8; k >= 1; k--) sum = sum * inverseSquare + BERNOULLI[k - 1]! / (2 * k * (2 * k - 1));
  return (z - 0.5) * Math.log(z) - z + LOG_SQRT_TWO_PI + sum / z - Math.log(product);
}

/** Riemann zeta minus 1 at 2, 3, ...: coefficients of the Taylor series of log Γ around 2. */
const ZETA_MINUS_ONE = ((): Float64Array => {
  const values = new Float64Array(40);
  for (let k = 2; k < 40; k++) values[k] = zeta(k, 2);
  return values;
})();
const EULER = 0.5772156649015329;

/** The series around 2 keeps the relative accuracy at the zeros 1 and 2. */
function lgammaNearOne(x: number): number {
  if (x < 1.5) return lgammaNearOne(x + 1) - Math.log1p(x - 1);
  const d = x - 2;
  let sum = 0;
  for (let k = 39; k >= 2; k--) sum = sum * d + ((k % 2 === 0 ? 1 : -1) * ZETA_MINUS_ONE[k]!) / k;
  return d * (1 - EULER + d * sum);
}

/** sin(πx) without the error of rounding πx. */
function sinPi(x: number): number {
  const r = x - 2 * Math.round(x / 2);
  if (Math.abs(r) > 0.5) return Math.sin(Math.PI * (Math.sign(r) - r));
  return Math.sin(Math.PI * r);
}

/** Returns the derivative of {@link lgamma}. */
export function digamma(x: number): number {
  if (x === 0) return Object.is(x, -0) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (x < 0) {
    if (Number.isInteger(x) || !Number.isFinite(x)) return Number.NaN;
    const r = x - Math.round(x);
    return digamma(1 - x) - Math.PI / Math.tan(Math.PI * r);
  }
  if (x === Number.POSITIVE_INFINITY) return x;
  let shift = 0;
  let z = x;
  while (z < 12) shift -= 1 / z++;
  const inverseSquare = 1 / (z * z);
  let sum = 0;
  for (let k = 9; k >= 1; k--) sum = (sum + BERNOULLI[k - 1]! / (2 * k)) * inverseSquare;
  return shift + Math.log(z) - 0.5 / z - sum;
}

/** Left of it, sums of a term for each integer up to 0 take too long. */
const FAR_LEFT = -1000;
/** `zeta(s, q)` of an integer `s`: the terms left of 0 are the first ones of another series. */
function zetaFarLeft(s: number, q: number): number {
  const size = -q;
  const rest = size - Math.floor(size);
  const left = zeta(s, rest) - zeta(s, size + 1);
  return (s % 2 === 0 ? left : -left) + zeta(s, 1 - rest);
}

/** Powers of infinity are 0, 1 or infinite; sums that begin with 0 are divided by 0 in PyTorch. */
function zetaOfInfinity(q: number): number {
  if (q < 1) return Number.POSITIVE_INFINITY;
  return q === 1 ? 1 : Number.NaN;
}

/** Where all powers are too small: PyTorch's correction is 0 times a product that may overflow. */
function zetaOfZeros(s: number): number {
  let product = 1;
  for (let k = 0; k < 23; k++) product *= s + k;
  return product === Number.POSITIVE_INFINITY ? Number.NaN : 0;
}

/** Returns the Hurwitz zeta function, by Euler and Maclaurin's sum. */
export function zeta(s: number, q: number): number {
  // PyTorch's order: the pole at 1, and those of `q`, are found before NaN.
  if (s === 1) return Number.POSITIVE_INFINITY;
  if (s < 1) return Number.NaN;
  // A pole, as minus infinity is too.
  if (q <= 0 && q === Math.floor(q)) return Number.POSITIVE_INFINITY;
  if (Number.isNaN(s) || Number.isNaN(q)) return Number.NaN;
  if (s === Number.POSITIVE_INFINITY) return zetaOfInfinity(q);
  if (q <= 0) {
    if (!Number.isInteger(s)) return Number.NaN;
    if (q < FAR_LEFT) return zetaFarLeft(s, q);
  }
  let sum = 0;
  let a = q;
  for (let k = 0; k < 12 || a < 12; k++, a++) {
    const term = a ** -s;
    sum += term;
    if (a > 1 && term < 1e-17 * sum) return sum;
  }
  if (sum === 0 && Number.isFinite(a)) return zetaOfZeros(s);
  const power = a ** -s;
  sum += (power * a) / (s - 1) + power / 2;
  let factor = (power * s) / a;
  let factorial = 2;
  for (let k = 1; k <= 12; k++) {
    sum += (BERNOULLI[k - 1]! * factor) / factorial;
    factor *= ((s + 2 * k - 1) * (s + 2 * k)) / (a * a);
    factorial *= (2 * k + 1) * (2 * k + 2);
  }
  return sum;
}

/** Returns the n-th derivative of {@link digamma}. */
export function polygamma(n: number, x: number): number {
  if (n === 0) return digamma(x);
  return (n % 2 === 0 ? -1 : 1) * Math.exp(lgamma(n + 1)) * zeta(n + 1, x);
}

/** Modified Bessel function of order 0 or 1, times exp(-|x|). */
export function besselIScaled(order: 0 | 1, x: number): number {
  const magnitude = Math.abs(x);
  // Of minus zero it is zero.
  const sign = order === 1 && x < 0 ? -1 : 1;
  if (magnitude < 30) {
    const square = (magnitude * magnitude) / 4;
    let term = order === 0 ? 1 : magnitude / 2;
    let sum = term;
    for (let k = 1; term > 1e-17 * sum; k++) {
      term *= square / (k * (k + order));
      sum += term;
    }
    return sign * sum * Math.exp(-magnitude);
  }
  let term = 1;
  let sum = 1;
  for (let k = 1; k < 20; k++) {
    term *= -(4 * order - (2 * k - 1) ** 2) / (k * 8 * magnitude);
    sum += term;
  }
  return magnitude === Number.POSITIVE_INFINITY
    ? sign * 0
    : (sign * sum) / Math.sqrt(2 * Math.PI * magnitude);
}

export const besselI0 = (x: number): number => unscale(besselIScaled(0, x), x);
export const besselI1 = (x: number): number => unscale(besselIScaled(1, x), x);

/**
 * {@link besselI0} or {@link besselI1}, whose factor exp|x| overflows in float32 before it does.
 */
export const besselIn = (dtype: DType, f: (x: number) => number): ((x: number) => number) =>
  dtype === "float64"
    ? f
    : (x) => (Number.isFinite(x) && Math.exp(Math.abs(x)) > 3.4028235e38 ? f(Math.sign(x) * 1000) : f(x));

function unscale(scaled: number, x: number): number {
  // Past the range of float64 the scaled value still has the sign; PyTorch's infinity over infinity
  // is NaN.
  if (!Number.isFinite(x)) return Number.NaN;
  if (Math.abs(x) > 713) return 1 / scaled < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const half = Math.exp(Math.abs(x) / 2);
  return scaled * half * half;
}
