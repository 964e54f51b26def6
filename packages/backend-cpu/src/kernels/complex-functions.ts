/**
 * @file Functions of complex numbers. Infinities, NaN and signed zeros follow Annex G of C99, which
 * PyTorch's own functions follow.
 */
import { copySign, hypot } from "./pointwise-math.js";

/** A complex result is left here by the functions below, to allocate nothing per element. */
export const result = { re: 0, im: 0 };

export function give(re: number, im: number): void {
  result.re = re;
  result.im = im;
}

export type Complex1 = (re: number, im: number) => void;
export type Complex2 = (ar: number, ai: number, br: number, bi: number) => void;

const NAN = Number.NaN;
const { abs, sqrt, log, log1p, atan2, asinh } = Math;

const isInfinite = (x: number): boolean => abs(x) === Infinity;
/** A power of two whose exponential is finite, with room for a factor. */
const LARGE = 709;

export function multiply(ar: number, ai: number, br: number, bi: number): void {
  give(ar * br - ai * bi, ar * bi + ai * br);
}

/** Smith's division: no overflow of |b|^2. */
export function divide(ar: number, ai: number, br: number, bi: number): void {
  if (br === 0 && bi === 0) give(ar / 0, ai / 0);
  else if (abs(br) >= abs(bi)) {
    const ratio = bi / br;
    const scale = 1 / (br + bi * ratio);
    give((ar + ai * ratio) * scale, (ai - ar * ratio) * scale);
  } else {
    const ratio = br / bi;
    const scale = 1 / (br * ratio + bi);
    give((ar * ratio + ai) * scale, (ai * ratio - ar) * scale);
  }
}

/** Rounds each step to the parts of the dtype. */
export type Rounding = (value: number) => number;

/** {@link divide} with rounded steps, which overflow and vanish as PyTorch's do. */
export const divisionIn =
  (round: Rounding): Complex2 =>
  (ar, ai, br, bi) => {
    if (br === 0 && bi === 0) give(ar / 0, ai / 0);
    else if (abs(br) >= abs(bi)) {
      const ratio = round(bi / br);
      const scale = round(1 / round(br + round(bi * ratio)));
      give(round(ar + round(ai * ratio)) * scale, round(ai - round(ar * ratio)) * scale);
    } else {
      const ratio = round(br / bi);
      const scale = round(1 / round(round(br * ratio) + bi));
      give(round(round(ar * ratio) + ai) * scale, round(round(ai * ratio) - ar) * scale);
    }
  };

export function exponential(re: number, im: number): void {
  if (im === 0) give(Math.exp(re), im);
  else if (Number.isFinite(im)) scaledByExponential(re, Math.cos(im), Math.sin(im));
  else if (re === -Infinity) give(0, im < 0 ? -0 : 0);
  else give(re === Infinity ? re : NAN, NAN);
}

/** The products with `exp(x)`, which are finite where that factor alone is not. */
function scaledByExponential(x: number, re: number, im: number, share = 1): void {
  if (x <= LARGE || !Number.isFinite(x)) give(Math.exp(x) * share * re, Math.exp(x) * share * im);
  else {
    const [first, second] = [Math.exp(LARGE) * share, Math.exp(x - LARGE)];
    give(first * re * second, first * im * second);
  }
}

export function logarithm(re: number, im: number): void {
  const size = hypot(re, im);
  const angle = atan2(im, re);
  if (size > 0.5 && size < 2) {
    // Near 1, the logarithm is that of the small difference of the square.
    const [most, least] = [Math.max(abs(re), abs(im)), Math.min(abs(re), abs(im))];
    give(log1p((most - 1) * (most + 1) + least * least) / 2, angle);
  } else if (size === Infinity && Number.isFinite(re) && Number.isFinite(im)) {
    give(log(hypot(re / 2, im / 2)) + Math.LN2, angle);
  } else give(log(size), angle);
}

export function squareRoot(re: number, im: number): void {
  if (isInfinite(im)) give(Infinity, im);
  else if (Number.isNaN(re)) give(NAN, NAN);
  else if (re === Infinity) give(re, Number.isNaN(im) ? im : copySign(0, im));
  else if (re === -Infinity) give(Number.isNaN(im) ? im : 0, copySign(Infinity, im));
  else if (re === 0 && im === 0) give(0, im);
  else {
    const most = Math.max(abs(re), abs(im));
    const scale = most > 2 ** 1000 ? 2 ** 20 : most < 2 ** -900 ? 2 ** -60 : 1;
    finiteRoot(re / scale / scale, im / scale / scale);
    give(result.re * scale, result.im * scale);
  }
}

function finiteRoot(re: number, im: number): void {
  const large = sqrt((hypot(re, im) + abs(re)) / 2);
  const small = abs(im) / (2 * large);
  if (re >= 0) give(large, copySign(small, im));
  else give(small, copySign(large, im));
}

export function hyperbolicSine(re: number, im: number): void {
  if (im === 0) give(Math.sinh(re), im);
  else if (!Number.isFinite(im)) give(re === 0 ? re : isInfinite(re) ? Infinity : NAN, NAN);
  else if (re === 0) give(re * Math.cos(im), Math.sin(im));
  else if (abs(re) > LARGE) {
    scaledByExponential(abs(re), Math.sign(re) * Math.cos(im), Math.sin(im), 0.5);
  } else give(Math.sinh(re) * Math.cos(im), Math.cosh(re) * Math.sin(im));
}

export function hyperbolicCosine(re: number, im: number): void {
  if (im === 0) give(Math.cosh(re), Number.isNaN(re) ? im : im * copySign(1, re));
  else if (!Number.isFinite(im)) give(isInfinite(re) ? Infinity : NAN, re === 0 ? 0 : NAN);
  else if (abs(re) > LARGE) {
    scaledByExponential(abs(re), Math.cos(im), Math.sign(re) * Math.sin(im), 0.5);
  } else give(Math.cosh(re) * Math.cos(im), Math.sinh(re) * Math.sin(im));
}

export function hyperbolicTangent(re: number, im: number): void {
  if (isInfinite(re)) {
    const quarter = Number.isFinite(im) && abs(im) > 1;
    give(copySign(1, re), copySign(0, quarter ? Math.sin(im) * Math.cos(im) : im));
  } else if (im === 0) give(Math.tanh(re), im);
  else if (!Number.isFinite(im) || Number.isNaN(re)) give(re === 0 ? re : NAN, NAN);
  else {
    const [sine, cosine] = [Math.sin(im), Math.cos(im)];
    if (abs(re) > 20) give(copySign(1, re), 4 * sine * cosine * Math.exp(-2 * abs(re)));
    else {
      const x = Math.sinh(re);
      const scale = x * x + cosine * cosine;
      give((x * Math.cosh(re)) / scale, (sine * cosine) / scale);
    }
  }
}

/** f(z) as -i g(i z): the circular functions from the hyperbolic ones. */
export const turned =
  (g: Complex1): Complex1 =>
  (re, im) => {
    g(-im, re);
    give(result.im, -result.re);
  };

/** Of two numbers that are not finite the sign is lost. */
export function sine(re: number, im: number): void {
  hyperbolicSine(-im, re);
  if (isInfinite(im) && !Number.isFinite(re)) give(NAN, Infinity);
  else give(result.im, -result.re);
}

export function cosine(re: number, im: number): void {
  hyperbolicCosine(-im, re);
}

/** By the roots of 1 - z and 1 + z (W. Kahan, "Branch cuts for complex elementary functions"). */
export function inverseSine(re: number, im: number): void {
  if (!Number.isFinite(re) || !Number.isFinite(im)) {
    if (isInfinite(im)) {
      const angle = isInfinite(re) ? copySign(Math.PI / 4, re) : Number.isNaN(re) ? re : copySign(0, re);
      give(angle, im);
    } else if (isInfinite(re)) {
      give(Number.isNaN(im) ? im : copySign(Math.PI / 2, re), copySign(Infinity, im));
    } else give(re === 0 ? re : NAN, NAN);
    return;
  }
  if (hypot(re, im) > 2 ** 500) {
    give(atan2(re, abs(im)), copySign(log(hypot(re / 2, im / 2)) + 2 * Math.LN2, im));
    return;
  }
  squareRoot(1 - re, -im);
  const { re: ar, im: ai } = result;
  squareRoot(1 + re, im);
  const { re: br, im: bi } = result;
  const size = copySign(abs(asinh(ar * bi - ai * br)), im);
  give(atan2(re, ar * br - ai * bi), size);
}

export function inverseCosine(re: number, im: number): void {
  if (!Number.isFinite(re) || !Number.isFinite(im)) {
    infiniteInverseCosine(re, im);
    return;
  }
  if (hypot(re, im) > 2 ** 500) {
    give(atan2(abs(im), re), copySign(log(hypot(re / 2, im / 2)) + 2 * Math.LN2, -im));
    return;
  }
  squareRoot(1 - re, -im);
  const { re: ar, im: ai } = result;
  squareRoot(1 + re, im);
  const { re: br, im: bi } = result;
  give(2 * atan2(ar, br), copySign(abs(asinh(br * ai - bi * ar)), -im));
}

/** As PyTorch computes it in float64, which rounds near 1. */
export function complementaryInverseSine(re: number, im: number): void {
  inverseSine(re, im);
  give(Math.PI / 2 - result.re, 0 - result.im);
}

function infiniteInverseCosine(re: number, im: number): void {
  if (isInfinite(im)) {
    const angle = re === Infinity ? Math.PI / 4 : re === -Infinity ? (3 * Math.PI) / 4 : Math.PI / 2;
    give(Number.isNaN(re) ? re : angle, -im);
  } else if (isInfinite(re)) {
    if (Number.isNaN(im)) give(im, -Infinity);
    else give(re < 0 ? Math.PI : 0, copySign(Infinity, -im));
  } else give(re === 0 ? Math.PI / 2 : NAN, NAN);
}

export const inverseHyperbolicSine: Complex1 = turned(inverseSine);

/** The inverse cosine, turned into the right half plane. */
export function inverseHyperbolicCosine(re: number, im: number): void {
  inverseCosine(re, im);
  const up = im > 0 || Object.is(im, 0) || Number.isNaN(im);
  give(up ? -result.im : result.im, up ? result.re : -result.re);
}

/** (log(1 + z) - log(1 - z)) / 2, by logarithms of the ratio of the sizes. */
export function inverseHyperbolicTangent(re: number, im: number): void {
  if (isInfinite(im)) give(copySign(0, re), copySign(Math.PI / 2, im));
  else if (isInfinite(re)) give(copySign(0, re), Number.isNaN(im) ? im : copySign(Math.PI / 2, im));
  else if (Number.isNaN(re) || Number.isNaN(im)) give(re === 0 ? re : NAN, NAN);
  else if (hypot(re, im) > 2 ** 60) {
    divide(1 / 4, 0, re / 4, im / 4);
    give(copySign(result.re, re), copySign(Math.PI / 2, im));
  } else {
    const x = abs(re);
    const beyond = 1 - x;
    const rest = hypot(beyond, im);
    const size = rest < 2 ** -100 ? (Math.LN2 - log(rest)) / 2 : log1p((4 * x) / (rest * rest)) / 4;
    give(copySign(size, re), atan2(2 * im, beyond * (1 + x) - im * im) / 2);
  }
}

/**
 * log(1 + z), exact for small ones too: `log(u) z / (u - 1)` where `u` is 1 + z after rounding, and
 * where `u - 1` is not z (https://github.com/numpy/numpy/pull/22611).
 */
export const logarithmPlusOne = (round: Rounding): Complex1 => {
  const divided = divisionIn(round);
  return (re, im) => {
    const near = round(1 + re);
    if (near === 1 && im === 0) {
      give(re, im);
      return;
    }
    logarithm(near, im);
    const rest = round(near - 1);
    if (rest === re && !Number.isNaN(im)) return;
    const [x, y] = [round(result.re), round(result.im)];
    divided(re, im, rest, im);
    const [a, b] = [round(result.re), round(result.im)];
    give(round(x * a) - round(y * b), round(x * b) + round(y * a));
  };
};

/**
 * exp(y log(x)), with a product that keeps infinities. PyTorch rounds each step to the dtype, which
 * is left to `round`.
 */
export const power =
  (round: (x: number) => number): Complex2 =>
  (ar, ai, br, bi) => {
    logarithm(ar, ai);
    multiplyInfinite(br, bi, round(result.re), round(result.im));
    // The NaN that processors make of an infinity and zero is negative, which PyTorch's zero shows.
    if (result.re === -Infinity && Number.isNaN(result.im)) give(0, -0);
    else exponential(round(result.re), round(result.im));
  };

/** Returns a part of a factor that has an infinite part: 1 for that part, 0 for the other. */
const unit = (x: number, isOne: boolean): number => copySign(isOne ? 1 : 0, x);
const known = (x: number): number => (Number.isNaN(x) ? 0 : x);

/** The product, infinite where a factor is (C99, G.5.1). */
function multiplyInfinite(ar: number, ai: number, br: number, bi: number): void {
  multiply(ar, ai, br, bi);
  if (!Number.isNaN(result.re) || !Number.isNaN(result.im)) return;
  const [first, second] = [isInfinite(ar) || isInfinite(ai), isInfinite(br) || isInfinite(bi)];
  if (!first && !second) return;
  const [a, b] = first ? [unit(ar, isInfinite(ar)), unit(ai, isInfinite(ai))] : [known(ar), known(ai)];
  const [c, d] = second ? [unit(br, isInfinite(br)), unit(bi, isInfinite(bi))] : [known(br), known(bi)];
  multiply(a, b, c, d);
  give(Infinity * result.re, Infinity * result.im);
}
