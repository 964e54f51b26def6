/** @file Modified Bessel functions, spherical ones and Airy's function, to float64 precision. */
import { AIRY_FAR, airyFar } from "./cephes.js";

/**
 * exp(x) K_v(x), the integral of exp(-x (cosh t - 1)) cosh(v t). The trapezoidal rule is exact for
 * such functions once the step is small against their width, which is 1 / sqrt(x) for large x.
 */
export function besselKScaled(order: number, x: number): number {
  if (x === 0) return Infinity;
  if (!(x > 0)) return Number.NaN;
  if (x === Infinity) return 0;
  // What the integral adds to it is lost, and its terms overflow.
  if (order === 1 && x < 1e-100) return 1 / x;
  const step = Math.min(0.2, 0.5 / Math.sqrt(x));
  let sum = 0.5;
  for (let t = step; ; t += step) {
    const height = 2 * Math.sinh(t / 2) ** 2 * x;
    const term = Math.exp(-height) * Math.cosh(order * t);
    sum += term;
    if (height > 1 && term < 1e-18 * sum) return step * sum;
  }
}

export const besselK = (order: number, x: number): number => {
  const scaled = besselKScaled(order, x);
  return scaled === Infinity || Number.isNaN(scaled) ? scaled : scaled * Math.exp(-x);
};

/** Ai(0) and -Ai'(0). */
const AIRY_VALUE = 0.3550280538878172;
const AIRY_SLOPE = 0.2588194037928068;

export function airyAi(x: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  if (x > 1) {
    const place = (2 / 3) * x * Math.sqrt(x);
    return (Math.sqrt(x / 3) / Math.PI) * besselK(1 / 3, place);
  }
  return x < AIRY_FAR ? airyFar(x) : airyNear(x);
}

/** Returns the Airy function by its power series, near zero. */
function airyNear(x: number): number {
  const cube = x * x * x;
  let [even, odd, sumEven, sumOdd] = [1, x, 1, x];
  for (let k = 3; k < 300; k += 3) {
    even *= cube / (k * (k - 1));
    odd *= cube / (k * (k + 1));
    sumEven += even;
    sumOdd += odd;
    if (Math.abs(even) + Math.abs(odd) < 1e-18) break;
  }
  return AIRY_VALUE * sumEven - AIRY_SLOPE * sumOdd;
}

/** sin(x) / x. */
export const sphericalBesselJ0 = (x: number): number =>
  Math.abs(x) === Infinity ? 0 : Math.abs(x) < 1e-8 ? 1 : Math.sin(x) / x;
