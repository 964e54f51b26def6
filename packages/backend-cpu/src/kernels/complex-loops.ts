/** @file Elementwise loops over complex numbers, as interleaved pairs. */
import {
  type Complex1,
  type Complex2,
  complementaryInverseSine,
  cosine,
  divide,
  divisionIn,
  exponential,
  give,
  hyperbolicCosine,
  hyperbolicSine,
  hyperbolicTangent,
  inverseCosine,
  inverseHyperbolicCosine,
  inverseHyperbolicSine,
  inverseHyperbolicTangent,
  inverseSine,
  logarithm,
  logarithmPlusOne,
  multiply,
  power,
  type Rounding,
  result,
  sine,
  squareRoot,
  turned,
} from "./complex-functions.js";
import type { ComplexLoop } from "./pointwise-loop.js";
import { hypot, identity } from "./pointwise-math.js";

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

/** One loop for complex64, another for complex128. */
const byWidth =
  (single: ComplexLoop, double: ComplexLoop): ComplexLoop =>
  (out, inputs, count, isSingle) =>
    (isSingle ? single : double)(out, inputs, count, isSingle);

/** Products whose terms are rounded to float32, so that they overflow as in PyTorch. */
function multiplySingle(ar: number, ai: number, br: number, bi: number): void {
  const { fround } = Math;
  give(fround(fround(ar * br) - fround(ai * bi)), fround(fround(ar * bi) + fround(ai * br)));
}
const product = byWidth(complex2(multiplySingle), complex2(multiply));
const square: ComplexLoop = (out, [x], count, isSingle) => product(out, [x!, x!], count, isSingle);
const cube: ComplexLoop = (out, [x], count, isSingle) => {
  product(out, [x!, x!], count, isSingle);
  product(out, [out, x!], count, isSingle);
};
const inverseSquare: ComplexLoop = (out, [x], count, isSingle) => {
  product(out, [x!, x!], count, isSingle);
  complex1((re, im) => divide(1, 0, re, im))(out, [out], count, isSingle);
};

/**
 * The first and the product of the others. PyTorch multiplies by `alpha` also if it is 1, which
 * makes NaN of an infinite part.
 */
const scaledSum: ComplexLoop = (out, [x, y, alpha], count, isSingle) => {
  const times = isSingle ? multiplySingle : multiply;
  for (let i = 0; i < 2 * count; i += 2) {
    times(alpha![i]!, alpha![i + 1]!, y![i]!, y![i + 1]!);
    out[i] = x![i]! + result.re;
    out[i + 1] = x![i + 1]! + result.im;
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

/** Returns a loop for each of the two dtypes, with steps that are rounded to it. */
const rounded = (f: (round: Rounding) => Complex1): ComplexLoop =>
  byWidth(complex1(f(Math.fround)), complex1(f(identity)));

const reciprocalIn = (round: Rounding): Complex1 => {
  const divided = divisionIn(round);
  return (re, im) => divided(1, 0, re, im);
};

const reciprocalRootIn = (round: Rounding): Complex1 => {
  const divided = divisionIn(round);
  return (re, im) => {
    squareRoot(re, im);
    divided(1, 0, round(result.re), round(result.im));
  };
};

/** `numerator / (1 + exp(-z))`: 1 for a sigmoid, z for silu. */
const overGrownIn =
  (isSilu: boolean) =>
  (round: Rounding): Complex1 => {
    const divided = divisionIn(round);
    return (re, im) => {
      exponential(-re, -im);
      const [x, y] = [round(1 + round(result.re)), round(result.im)];
      if (isSilu) divided(re, im, x, y);
      else divided(1, 0, x, y);
    };
  };

/** PyTorch rounds the exponent to the dtype. */
const exponentialOf2 =
  (round: (x: number) => number): Complex1 =>
  (re, im) =>
    exponential(round(re * round(Math.LN2)), round(im * round(Math.LN2)));

/** exp(z) - 1, exact for small ones too. */
const exponentialMinusOneIn =
  (round: Rounding): Complex1 =>
  (re, im) => {
    const [half, cos, sin] = [round(Math.sin(im / 2)), round(Math.cos(im)), round(Math.sin(im))];
    const grown = round(round(Math.expm1(re)) * cos);
    give(grown - round(2 * half * half), round(Math.exp(re)) * sin);
  };

const times = (factor: number): void => give(result.re * factor, result.im * factor);

/** sin(πz) / (πz), which is 1 at 0. */
function sinc(re: number, im: number): void {
  const [x, y] = [Math.PI * re, Math.PI * im];
  if (x === 0 && y === 0) give(1, 0);
  else divide(Math.sin(x) * Math.cosh(y), Math.cos(x) * Math.sinh(y), x, y);
}

const logarithmOfSum = logarithmPlusOne(identity);

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
  if (lr === tr && !Number.isFinite(tr)) {
    addInfinite(tr, ti, lr, li);
    return;
  }
  exponential(lr - tr, li - ti);
  logarithmOfSum(result.re, result.im);
  give(tr + result.re, ti + result.im);
}

/** Of two with the same infinite real part. */
function addInfinite(tr: number, ti: number, lr: number, li: number): void {
  if (tr < 0) give(lr, li);
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

const unitIn =
  (round: Rounding): Complex1 =>
  (re, im) => {
    const size = round(hypot(re, im));
    give(size === 0 ? 0 : re / size, size === 0 ? 0 : im / size);
  };

function selectPairs(out: Float64Array, [condition, x, y]: readonly Float64Array[], count: number): void {
  for (let i = 0; i < 2 * count; i += 2) {
    const from = condition![i] !== 0 ? x! : y!;
    out[i] = from[i]!;
    out[i + 1] = from[i + 1]!;
  }
}

/**
 * Running `log(sum(exp))` along rows of `length` pairs, in place. Each is added to what comes
 * before it, the first to that of nothing; of equal real parts the later one counts as the larger.
 */
export function accumulateLogExponentials(data: Float64Array, length: number): void {
  for (let i = 0; i < data.length; i += 2) {
    const isFirst = (i / 2) % length === 0;
    const [re, im] = isFirst ? [Number.NEGATIVE_INFINITY, 0] : [data[i - 2]!, data[i - 1]!];
    logAddExponentials(data[i]!, data[i + 1]!, re, im);
    data[i] = result.re;
    data[i + 1] = result.im;
  }
}

/** Loops by the name of the operator that they belong to. */
export const complexLoops = {
  add: scaledSum,
  mul: product,
  div: complex2(divide),
  pow: byWidth(complex2(power(Math.fround)), complex2(power((x) => x))),
  neg: complex1((re, im) => give(-re, -im)),
  conj: complex1((re, im) => give(re, -im)),
  positive: complex1(give),
  one: complex1(() => give(1, 0)),
  square,
  cube,
  inverseSquare,
  reciprocal: rounded(reciprocalIn),
  exp: complex1(exponential),
  log: complex1(logarithm),
  sqrt: complex1(squareRoot),
  rsqrt: rounded(reciprocalRootIn),
  sin: complex1(sine),
  cos: complex1(cosine),
  tan: complex1(turned(hyperbolicTangent)),
  sinh: complex1(hyperbolicSine),
  cosh: complex1(hyperbolicCosine),
  tanh: complex1(hyperbolicTangent),
  sigmoid: rounded(overGrownIn(false)),
  silu: rounded(overGrownIn(true)),
  log2: complex1((re, im) => {
    logarithm(re, im);
    times(Math.LOG2E);
  }),
  log10: complex1((re, im) => {
    logarithm(re, im);
    times(Math.LOG10E);
  }),
  log1p: rounded(logarithmPlusOne),
  exp2: byWidth(complex1(exponentialOf2(Math.fround)), complex1(exponentialOf2((x) => x))),
  expm1: rounded(exponentialMinusOneIn),
  asin: complex1(inverseSine),
  acos: byWidth(complex1(inverseCosine), complex1(complementaryInverseSine)),
  atan: complex1(turned(inverseHyperbolicTangent)),
  asinh: complex1(inverseHyperbolicSine),
  acosh: complex1(inverseHyperbolicCosine),
  atanh: complex1(inverseHyperbolicTangent),
  sinc: complex1(sinc),
  logaddexp: complex2(logAddExponentials),
  lerp: mix as ComplexLoop,
  addcmul: addTerm(multiply),
  addcdiv: addTerm(divide),
  sgn: rounded(unitIn),
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
