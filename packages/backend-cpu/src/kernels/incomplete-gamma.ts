/**
 * @file Regularized incomplete gamma functions in float64: power series, continued fraction
 * (Lentz), and Temme's uniform expansion for large `a` (DLMF 8.11, 8.9, 8.12).
 */
import type { DType } from "@sconce/tensor";
import { FLOAT32_END } from "../kernel/overflow.js";
import { erfc, lgamma } from "./pointwise-special.js";

const EPSILON = 2 ** -53;
/** From here on the first terms of the uniform expansion are exact enough. */
const UNIFORM_FROM = 1e6;
/** From here on the prefactor is taken relative to its peak, as its logarithms would cancel. */
const STIRLING_FROM = 20;
/** Least number that a step of Lentz' method divides by. */
const TINY = 1e-300;

/** Where the steps of PyTorch's kernels end, in the float that they compute with. */
interface Limits {
  /** A prefactor with a smaller logarithm than minus this is 0. */
  readonly maxLog: number;
  /** Larger numbers are infinite. */
  readonly end: number;
}
const FLOAT64: Limits = { maxLog: 709.782712893384, end: Number.MAX_VALUE };
const FLOAT32: Limits = { maxLog: 88.72283905206835, end: FLOAT32_END };
const limitsOf = (dtype: DType): Limits => (dtype === "float64" ? FLOAT64 : FLOAT32);

/** `log(1 + d) - d`, exact for small `d` too. */
function log1pMinus(d: number): number {
  if (Math.abs(d) > 0.3) return Math.log1p(d) - d;
  let sum = 0;
  let power = -d;
  for (let k = 2; k < 200; k++) {
    power *= -d;
    const term = power / k;
    sum -= term;
    if (Math.abs(term) < EPSILON * Math.abs(sum)) break;
  }
  return sum;
}

/** `x^a e^-x / gamma(a)`. */
function prefactor(a: number, x: number, { maxLog }: Limits): number {
  if (a < STIRLING_FROM) {
    const log = a * Math.log(x) - x - lgamma(a);
    return log < -maxLog ? 0 : Math.exp(log);
  }
  const inverse = 1 / a;
  const square = inverse * inverse;
  const stirling = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)));
  return Math.exp(a * log1pMinus((x - a) / a) - stirling) * Math.sqrt(a / (2 * Math.PI));
}

/** P by its power series, for x below a + 1. */
function lowerSeries(a: number, x: number, limits: Limits): number {
  const scale = prefactor(a, x, limits);
  if (scale === 0) return 0;
  let term = 1 / a;
  let sum = term;
  for (let n = a + 1; term > EPSILON * sum; n++) {
    term *= x / n;
    sum += term;
  }
  return sum * scale;
}

/** Returns whether `1 - P` would lose the digits of Q (`calc_igammac` of PyTorch's Math.h). */
function isUpperSmall(a: number, x: number): boolean {
  if (x > 1.1) return false;
  return a <= (x <= 0.5 ? -0.4 / Math.log(x) : x * 1.1);
}

/** Q by a separate series (DLMF 8.7.3), for small x. */
function upperSeries(a: number, x: number): number {
  let factor = 1;
  let sum = 0;
  for (let n = 1; n < 2000; n++) {
    factor *= -x / n;
    const term = factor / (a + n);
    sum += term;
    if (Math.abs(term) <= EPSILON * Math.abs(sum)) break;
  }
  const log = a * Math.log(x);
  return -Math.expm1(log - lgamma(1 + a)) - Math.exp(log - lgamma(a)) * sum;
}

const awayFromZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

/** Q by its continued fraction, for x above a + 1. */
function upperFraction(a: number, x: number, limits: Limits): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / awayFromZero(b);
  let result = d;
  for (let k = 1; k < 100_000; k++) {
    const factor = -k * (k - a);
    b += 2;
    d = 1 / awayFromZero(factor * d + b);
    c = awayFromZero(b + factor / c);
    const change = d * c;
    result *= change;
    if (Math.abs(change - 1) < EPSILON) break;
  }
  return result * prefactor(a, x, limits);
}

/** Q for large `a`: an error function, and a correction that falls with the root of `a`. */
function uniformUpper(a: number, x: number): number {
  const d = (x - a) / a;
  const phi = -log1pMinus(d);
  const eta = Math.sign(d) * Math.sqrt(2 * phi);
  // 1 / d - 1 / eta loses its digits near 0, where its Taylor series is short.
  const first = Math.abs(eta) < 1e-3 ? -1 / 3 + eta / 12 - (2 * eta * eta) / 135 : 1 / d - 1 / eta;
  const correction = (Math.exp(-a * phi) / Math.sqrt(2 * Math.PI * a)) * first;
  return 0.5 * erfc(eta * Math.sqrt(a / 2)) + correction;
}

/**
 * Returns what both functions are at the borders of their domain; undefined inside. `lower` says
 * whether it is P. As in PyTorch, a border decides before the other argument is found to be NaN.
 */
function border(a: number, x: number, lower: boolean): number | undefined {
  if (a < 0 || x < 0) return Number.NaN;
  const [none, all] = lower ? [0, 1] : [1, 0];
  if (a === 0) return x > 0 ? all : Number.NaN;
  if (x === 0) return none;
  if (a === Infinity) return x === Infinity ? Number.NaN : none;
  if (x === Infinity) return all;
  return Number.isNaN(a) || Number.isNaN(x) ? Number.NaN : undefined;
}

/** Returns whether the prefactor is a difference of infinities in PyTorch's kernels. */
const isLost = (a: number, x: number, { end }: Limits): boolean =>
  a * (Math.log(a) - 1) > end && a * Math.log(x) > end && Math.abs(a - x) > 0.4 * a;

type Incomplete = (a: number, x: number) => number;

/** Returns the regularized lower incomplete gamma function `P(a, x)`. */
export const gammaP = (dtype: DType): Incomplete => {
  const limits = limitsOf(dtype);
  return (a, x) => border(a, x, true) ?? lower(a, x, limits);
};
function lower(a: number, x: number, limits: Limits): number {
  if (isLost(a, x, limits)) return Number.NaN;
  if (a > UNIFORM_FROM) return 1 - uniformUpper(a, x);
  // The first test is for an `a` so small that `a + 1` is 1.
  return x <= 1 || x < a + 1 ? lowerSeries(a, x, limits) : 1 - upperFraction(a, x, limits);
}

/** Returns the regularized upper incomplete gamma function `Q(a, x)`. */
export const gammaQ = (dtype: DType): Incomplete => {
  const limits = limitsOf(dtype);
  return (a, x) => border(a, x, false) ?? upper(a, x, limits);
};
function upper(a: number, x: number, limits: Limits): number {
  if (isLost(a, x, limits)) return Number.NaN;
  if (a > UNIFORM_FROM) return uniformUpper(a, x);
  if (isUpperSmall(a, x)) return upperSeries(a, x);
  return x < a + 1 ? 1 - lowerSeries(a, x, limits) : upperFraction(a, x, limits);
}
