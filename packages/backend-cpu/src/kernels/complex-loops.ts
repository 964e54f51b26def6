/** @file Elementwise loops over complex numbers, as interleaved pairs. */
import type { ComplexLoop } from "./pointwise-loop.js";
import { hypot } from "./pointwise-math.js";

/** A complex result is left here by the functions below, to allocate nothing per element. */
const result = { re: 0, im: 0 };

function give(re: number, im: number): void {
  result.re = re;
  result.im = im;
}

type Complex1 = (re: number, im: number) => void;
type Complex2 = (ar: number, ai: number, br: number, bi: number) => void;

const complex1 =
  (f: Complex1): ComplexLoop =>
  (out, [x], count) => {
    for (let i = 0; i < 2 * count; i += 2) {
      f(x![i]!, x![i + 1]!);
      out[i] = result.re;
      out[i + 1] = result.im;
    }
  };

const complex2 =
  (f: Complex2): ComplexLoop =>
  (out, [x, y], count) => {
    for (let i = 0; i < 2 * count; i += 2) {
      f(x![i]!, x![i + 1]!, y![i]!, y![i + 1]!);
      out[i] = result.re;
      out[i + 1] = result.im;
    }
  };

const complexToReal =
  (f: (re: number, im: number) => number): ComplexLoop =>
  (out, [x], count) => {
    for (let i = 0; i < count; i++) out[i] = f(x![2 * i]!, x![2 * i + 1]!);
  };

const compare =
  (f: (equal: boolean) => boolean): ComplexLoop =>
  (out, [x, y], count) => {
    for (let i = 0; i < count; i++) {
      out[i] = f(x![2 * i] === y![2 * i] && x![2 * i + 1] === y![2 * i + 1]) ? 1 : 0;
    }
  };

const truth =
  (f: (x: boolean, y: boolean) => boolean): ComplexLoop =>
  (out, [x, y], count) => {
    const isTrue = (pairs: Float64Array | undefined, i: number): boolean =>
      pairs !== undefined && (pairs[2 * i] !== 0 || pairs[2 * i + 1] !== 0);
    for (let i = 0; i < count; i++) out[i] = f(isTrue(x, i), isTrue(y, i)) ? 1 : 0;
  };

function multiply(ar: number, ai: number, br: number, bi: number): void {
  give(ar * br - ai * bi, ar * bi + ai * br);
}

/** Smith's division: no overflow of |b|^2. */
function divide(ar: number, ai: number, br: number, bi: number): void {
  if (br === 0 && bi === 0) give(ar / 0, ai / 0);
  else if (Math.abs(br) >= Math.abs(bi)) {
    const ratio = bi / br;
    const scale = 1 / (br + bi * ratio);
    give((ar + ai * ratio) * scale, (ai - ar * ratio) * scale);
  } else {
    const ratio = br / bi;
    const scale = 1 / (br * ratio + bi);
    give((ar * ratio + ai) * scale, (ai * ratio - ar) * scale);
  }
}

function exponential(re: number, im: number): void {
  const size = Math.exp(re);
  give(im === 0 ? size : size * Math.cos(im), im === 0 ? im : size * Math.sin(im));
}

const logarithm = (re: number, im: number): void => give(Math.log(hypot(re, im)), Math.atan2(im, re));

function squareRoot(re: number, im: number): void {
  const size = hypot(re, im);
  if (size === 0) {
    give(0, im);
    return;
  }
  const large = Math.sqrt((size + Math.abs(re)) / 2);
  const small = Math.abs(im) / (2 * large);
  const sign = im < 0 || Object.is(im, -0) ? -1 : 1;
  if (re >= 0) give(large, sign * small);
  else give(small, sign * large);
}

function power(ar: number, ai: number, br: number, bi: number): void {
  if (ar === 0 && ai === 0) {
    give(br === 0 && bi === 0 ? 1 : 0, 0);
    return;
  }
  const log = Math.log(hypot(ar, ai));
  const angle = Math.atan2(ai, ar);
  exponential(br * log - bi * angle, br * angle + bi * log);
}

function sigmoidOf(re: number, im: number): void {
  exponential(-re, -im);
  divide(1, 0, 1 + result.re, result.im);
}

function tangent(re: number, im: number): void {
  const scale = Math.cos(2 * re) + Math.cosh(2 * im);
  give(Math.sin(2 * re) / scale, Math.sinh(2 * im) / scale);
}

const plus = (re: number): void => give(result.re + re, result.im);
const times = (factor: number): void => give(result.re * factor, result.im * factor);

/** log(z + sqrt(z^2 + 1)), mirrored so that nothing cancels on the left. */
function inverseSinh(re: number, im: number): void {
  if (re < 0) {
    inverseSinh(-re, -im);
    times(-1);
    return;
  }
  multiply(re, im, re, im);
  squareRoot(result.re + 1, result.im);
  logarithm(result.re + re, result.im + im);
}

/** log(z + sqrt(z + 1) sqrt(z - 1)). */
function inverseCosh(re: number, im: number): void {
  squareRoot(re + 1, im);
  const { re: firstRe, im: firstIm } = result;
  squareRoot(re - 1, im);
  multiply(firstRe, firstIm, result.re, result.im);
  logarithm(result.re + re, result.im + im);
}

/** (log(1 + z) - log(1 - z)) / 2. */
function inverseTanh(re: number, im: number): void {
  logarithm(1 + re, im);
  const { re: firstRe, im: firstIm } = result;
  logarithm(1 - re, -im);
  give((firstRe - result.re) / 2, (firstIm - result.im) / 2);
}

/** f(z) as -i g(i z): the circular functions from the hyperbolic ones. */
const turned =
  (g: Complex1): Complex1 =>
  (re, im) => {
    g(-im, re);
    give(result.im, -result.re);
  };
const inverseSin = turned(inverseSinh);

function inverseCos(re: number, im: number): void {
  inverseSin(re, im);
  give(Math.PI / 2 - result.re, -result.im);
}

/** sin(πz) / (πz), which is 1 at 0. */
function sinc(re: number, im: number): void {
  const [x, y] = [Math.PI * re, Math.PI * im];
  if (x === 0 && y === 0) give(1, 0);
  else divide(Math.sin(x) * Math.cosh(y), Math.cos(x) * Math.sinh(y), x, y);
}

/** log(1 + z), exact for small ones too: |1 + z|^2 is 1 + re (2 + re) + im^2. */
function logarithmPlusOne(re: number, im: number): void {
  if (hypot(re, im) > 0.5) logarithm(1 + re, im);
  else give(Math.log1p(re * (2 + re) + im * im) / 2, Math.atan2(im, 1 + re));
}

/**
 * The larger plus `log1p(exp(smaller - larger))`: the imaginary part of the larger is kept,
 * multiples of 2 pi included.
 */
function logAddExponentials(ar: number, ai: number, br: number, bi: number): void {
  if (Number.isNaN(ar) || Number.isNaN(ai) || Number.isNaN(br) || Number.isNaN(bi)) {
    give(Number.NaN, Number.NaN);
    return;
  }
  const [tr, ti, lr, li] = ar >= br ? [ar, ai, br, bi] : [br, bi, ar, ai];
  if (lr === Number.NEGATIVE_INFINITY || tr === Number.POSITIVE_INFINITY) {
    addInfinite(tr, ti, lr, li);
    return;
  }
  exponential(lr - tr, li - ti);
  logarithmPlusOne(result.re, result.im);
  give(tr + result.re, ti + result.im);
}

/** Beside a real part that outweighs it without bound the smaller adds nothing. */
function addInfinite(tr: number, ti: number, lr: number, li: number): void {
  if (tr !== lr) give(tr, ti);
  else if (tr < 0) give(lr, li);
  else {
    exponential(tr, ti);
    const { re, im } = result;
    exponential(lr, li);
    logarithm(re + result.re, im + result.im);
  }
}

/** The product of weight and difference, from the nearer end. */
function mix(out: Float64Array, [x, y, w]: readonly Float64Array[], count: number): void {
  for (let i = 0; i < 2 * count; i += 2) {
    const [re, im] = [y![i]! - x![i]!, y![i + 1]! - x![i + 1]!];
    const [wr, wi] = [w![i]!, w![i + 1]!];
    const near = wr * wr + wi * wi < 0.25;
    multiply(near ? wr : wr - 1, wi, re, im);
    const from = near ? x! : y!;
    out[i] = from[i]! + result.re;
    out[i + 1] = from[i + 1]! + result.im;
  }
}

/** base + value * x (* or /) y. */
const addTerm =
  (combine: Complex2): ComplexLoop =>
  (out, [base, x, y, value], count) => {
    for (let i = 0; i < 2 * count; i += 2) {
      multiply(value![i]!, value![i + 1]!, x![i]!, x![i + 1]!);
      combine(result.re, result.im, y![i]!, y![i + 1]!);
      out[i] = base![i]! + result.re;
      out[i + 1] = base![i + 1]! + result.im;
    }
  };

function unitOf(re: number, im: number): void {
  const size = hypot(re, im);
  give(size === 0 ? 0 : re / size, size === 0 ? 0 : im / size);
}

function selectPairs(out: Float64Array, [condition, x, y]: readonly Float64Array[], count: number): void {
  for (let i = 0; i < 2 * count; i += 2) {
    const from = condition![i] !== 0 ? x! : y!;
    out[i] = from[i]!;
    out[i + 1] = from[i + 1]!;
  }
}

/** Running `log(sum(exp))` along rows of `length` pairs, in place. */
export function accumulateLogExponentials(data: Float64Array, length: number): void {
  for (let i = 2; i < data.length; i += 2) {
    if ((i / 2) % length === 0) continue;
    logAddExponentials(data[i - 2]!, data[i - 1]!, data[i]!, data[i + 1]!);
    data[i] = result.re;
    data[i + 1] = result.im;
  }
}

/** Loops by the name of the operator that they belong to. */
export const complexLoops = {
  add: complex2((ar, ai, br, bi) => give(ar + br, ai + bi)),
  sub: complex2((ar, ai, br, bi) => give(ar - br, ai - bi)),
  mul: complex2(multiply),
  div: complex2(divide),
  pow: complex2(power),
  neg: complex1((re, im) => give(-re, -im)),
  conj: complex1((re, im) => give(re, -im)),
  positive: complex1(give),
  square: complex1((re, im) => multiply(re, im, re, im)),
  reciprocal: complex1((re, im) => divide(1, 0, re, im)),
  exp: complex1(exponential),
  log: complex1(logarithm),
  sqrt: complex1(squareRoot),
  rsqrt: complex1((re, im) => {
    squareRoot(re, im);
    divide(1, 0, result.re, result.im);
  }),
  sin: complex1((re, im) => give(Math.sin(re) * Math.cosh(im), Math.cos(re) * Math.sinh(im))),
  cos: complex1((re, im) => give(Math.cos(re) * Math.cosh(im), -Math.sin(re) * Math.sinh(im))),
  tan: complex1(tangent),
  sinh: complex1((re, im) => give(Math.sinh(re) * Math.cos(im), Math.cosh(re) * Math.sin(im))),
  cosh: complex1((re, im) => give(Math.cosh(re) * Math.cos(im), Math.sinh(re) * Math.sin(im))),
  tanh: complex1((re, im) => {
    tangent(-im, re);
    give(result.im, -result.re);
  }),
  sigmoid: complex1(sigmoidOf),
  silu: complex1((re, im) => {
    sigmoidOf(re, im);
    multiply(re, im, result.re, result.im);
  }),
  log2: complex1((re, im) => {
    logarithm(re, im);
    times(Math.LOG2E);
  }),
  log10: complex1((re, im) => {
    logarithm(re, im);
    times(Math.LOG10E);
  }),
  log1p: complex1(logarithmPlusOne),
  exp2: complex1((re, im) => exponential(re * Math.LN2, im * Math.LN2)),
  expm1: complex1((re, im) => {
    exponential(re, im);
    plus(-1);
  }),
  asin: complex1(inverseSin),
  acos: complex1(inverseCos),
  atan: complex1(turned(inverseTanh)),
  asinh: complex1(inverseSinh),
  acosh: complex1(inverseCosh),
  atanh: complex1(inverseTanh),
  sinc: complex1(sinc),
  logaddexp: complex2(logAddExponentials),
  lerp: mix as ComplexLoop,
  addcmul: addTerm(multiply),
  addcdiv: addTerm(divide),
  sgn: complex1(unitOf),
  abs: complexToReal(hypot),
  angle: complexToReal((re, im) => Math.atan2(im, re)),
  isnan: complexToReal((re, im) => (Number.isNaN(re) || Number.isNaN(im) ? 1 : 0)),
  isinf: complexToReal((re, im) => (Math.abs(re) === Infinity || Math.abs(im) === Infinity ? 1 : 0)),
  isfinite: complexToReal((re, im) => (Number.isFinite(re) && Number.isFinite(im) ? 1 : 0)),
  eq: compare((equal) => equal),
  ne: compare((equal) => !equal),
  logicalNot: truth((x) => !x),
  logicalAnd: truth((x, y) => x && y),
  logicalOr: truth((x, y) => x || y),
  logicalXor: truth((x, y) => x !== y),
  select: selectPairs as ComplexLoop,
} as const;
