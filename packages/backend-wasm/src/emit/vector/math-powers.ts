/**
 * @file Exponentials, logarithms and their relatives of four float32. Coefficients are near-minimax
 * fits for their intervals.
 */
import type { Vector, VectorWriter } from "./lines.js";

type UnaryMath = (w: VectorWriter, x: Vector) => Vector;

/** The logarithm of 2 in two parts: products of the first with small integers are exact. */
const LN2_HIGH = 0.693359375;
const LN2_LOW = -2.1219444005469057e-4;
/** Adding it rounds to a whole number, which its low bits then hold. */
const ROUNDER = 1.5 * 2 ** 23;
const ROUNDER_BITS = 0x4b400000;
const INFINITY = Number.POSITIVE_INFINITY;

/** `x` between two numbers; NaN stays, as the first operand. */
const between = (w: VectorWriter, x: Vector, low: number, high: number): Vector =>
  w.op("f32x4.pmax", w.op("f32x4.pmin", x, w.number(high)), w.number(low));

/** `exp(r) = 1 + r + r^2 P(r)` for |r| up to ln(2)/2; relative error 3e-9. */
const EXP = [0.0013950599823147058, 0.008368954062461853, 0.04166620597243309, 0.166665181517601, 0.5];

/** A number as a power of two and what is left, for exponentials. */
function reduced(w: VectorWriter, x: Vector) {
  const shifted = w.let(w.madd(x, w.number(Math.LOG2E), w.number(ROUNDER)));
  const whole = w.op("i32x4.sub", shifted, w.whole(ROUNDER_BITS));
  const n = w.let(w.sub(shifted, w.number(ROUNDER)));
  const high = w.nmadd(n, w.number(LN2_HIGH), x);
  return { whole, rest: w.let(w.nmadd(n, w.number(LN2_LOW), high)) };
}
/** `exp(r) - 1`. */
const expm1OfRest = (w: VectorWriter, r: Vector): Vector => w.madd(w.mul(r, r), w.polynomial(r, EXP), r);
/** `2^n` for n from -126 to 127. */
const powerOfTwo = (w: VectorWriter, n: Vector): Vector =>
  w.shift("shl", w.op("i32x4.add", n, w.whole(127)), 23);
/** `value * 2^n` in two steps, so that subnormal results and infinities come out right. */
function scaled(w: VectorWriter, value: Vector, n: Vector): Vector {
  const whole = w.let(n);
  const half = w.let(w.shift("shr_s", whole, 1));
  return w.mul(w.mul(value, powerOfTwo(w, half)), powerOfTwo(w, w.op("i32x4.sub", whole, half)));
}

/** `exp(r) s` for a power of two, with few operations: one term after the other. */
function expTimes(w: VectorWriter, r: Vector, s: Vector): Vector {
  const [first, ...rest] = EXP.map((one) => w.number(one));
  const sum = rest.reduce((value, one) => w.madd(value, r, one), first!);
  // In two roundings, what is added last has to be small.
  if (!w.helpers.relaxed) return w.mul(w.add(w.number(1), w.madd(w.mul(r, r), sum, r)), s);
  return w.madd(w.mul(r, s), w.madd(sum, r, w.number(1)), s);
}
/** `exp(r) 2^n` in two steps, so that subnormal results and infinities come out right. */
function expScaled(w: VectorWriter, r: Vector, n: Vector): Vector {
  const whole = w.let(n);
  const half = w.let(w.shift("shr_s", whole, 1));
  const power = powerOfTwo(w, w.op("i32x4.sub", whole, half));
  return w.mul(expTimes(w, r, w.let(powerOfTwo(w, half))), power);
}

export const exp: UnaryMath = (w, x) => {
  const { whole, rest } = reduced(w, w.let(between(w, x, -105, 89)));
  return expScaled(w, rest, whole);
};
/** The power by which exponents are raised, so that those of subnormal results are normal. */
const RAISED = 64;
/** The same bits as {@link exp} for numbers that are not positive, and NaN. */
export const expOfNonpositive: UnaryMath = (w, x) => {
  const inside = w.let(w.op("f32x4.pmax", x, w.number(-105)));
  // Low bits have the biased exponent, and are where it belongs after a shift.
  const rounder = ROUNDER + 127 + RAISED;
  const shifted = w.let(w.madd(inside, w.number(Math.LOG2E), w.number(rounder)));
  const n = w.let(w.sub(shifted, w.number(rounder)));
  const rest = w.let(w.nmadd(n, w.number(LN2_LOW), w.nmadd(n, w.number(LN2_HIGH), inside)));
  const raised = expTimes(w, rest, w.let(w.shift("shl", shifted, 23)));
  return w.mul(raised, w.number(2 ** -RAISED));
};
export const exp2: UnaryMath = (w, x) => {
  const inside = w.let(between(w, x, -151, 129));
  const shifted = w.let(w.add(inside, w.number(ROUNDER)));
  const whole = w.op("i32x4.sub", shifted, w.whole(ROUNDER_BITS));
  const rest = w.let(w.mul(w.sub(inside, w.sub(shifted, w.number(ROUNDER))), w.number(Math.LN2)));
  return scaled(w, w.add(w.number(1), expm1OfRest(w, rest)), whole);
};
/** `2^n (exp(r) - 1 + 1 - 2^-n)`; below -18 it is -1. */
export const expm1: UnaryMath = (w, x) => {
  const { whole, rest } = reduced(w, w.let(between(w, x, -18, 89)));
  const n = w.let(whole);
  // Beyond 2^30 the 1 is lost anyhow.
  const inverse = powerOfTwo(w, w.op("i32x4.neg", w.op("i32x4.min_s", n, w.whole(126))));
  const sum = w.add(expm1OfRest(w, rest), w.sub(w.number(1), inverse));
  // Zeros keep their sign.
  return w.choose(w.op("f32x4.eq", x, w.number(0)), x, scaled(w, sum, n));
};

/** `log(1 + z) = z - z^2/2 + z^3 P(z)` from sqrt(1/2) to sqrt(2); relative error 1e-9. */
const LOG = [
  0.06746601313352585, -0.11675640940666199, 0.11888174712657928, -0.12405591458082199, 0.14219550788402557,
  -0.1666799634695053, 0.2000211924314499, -0.25000008940696716, 0.3333331346511841,
];
/** Bits of sqrt(1/2). */
const ROOT_BITS = 0x3f3504f3;

/** The parts of a logarithm: `x = 2^e (1 + z)`, and `log(1 + z) = z + rest`. */
function logParts(w: VectorWriter, x: Vector) {
  const isSmall = w.let(w.op("f32x4.lt", x, w.number(2 ** -126)));
  const normal = w.let(w.choose(isSmall, w.mul(x, w.number(2 ** 23)), x));
  const exponent = w.let(w.shift("shr_s", w.op("i32x4.sub", normal, w.whole(ROOT_BITS)), 23));
  const mantissa = w.op("i32x4.sub", normal, w.shift("shl", exponent, 23));
  const z = w.let(w.sub(mantissa, w.number(1)));
  const fixed = w.op("i32x4.sub", exponent, w.op("v128.and", isSmall, w.whole(23)));
  const e = w.let(w.op("f32x4.convert_i32x4_s", fixed));
  const square = w.let(w.mul(z, z));
  const cube = w.mul(w.mul(square, z), w.polynomial(z, LOG));
  const rest = w.let(w.nmadd(square, w.number(0.5), cube));
  return { e, z, rest };
}
/** Returns the ends of the domain. */
function logEnds(w: VectorWriter, x: Vector, value: Vector): Vector {
  const finite = w.choose(w.op("f32x4.eq", x, w.number(0)), w.number(-INFINITY), value);
  const inside = w.choose(w.op("f32x4.lt", x, w.number(0)), w.number(Number.NaN), finite);
  return w.choose(w.op("f32x4.lt", x, w.number(INFINITY)), inside, x);
}
export const log: UnaryMath = (w, x) => {
  const { e, z, rest } = logParts(w, x);
  const low = w.madd(e, w.number(LN2_LOW), rest);
  return logEnds(w, x, w.madd(e, w.number(LN2_HIGH), w.add(low, z)));
};
/** Logarithms to another base: `high` and `low` are its factor, `high` with few bits. */
const logBy =
  (high: number, low: number, ofTwo: readonly [number, number]): UnaryMath =>
  (w, x) => {
    const { e, z, rest } = logParts(w, x);
    const small = w.add(w.mul(w.add(z, rest), w.number(low)), w.mul(rest, w.number(high)));
    const exponent = ofTwo[1] === 0 ? small : w.add(small, w.mul(e, w.number(ofTwo[1])));
    const large = w.add(exponent, w.mul(z, w.number(high)));
    return logEnds(w, x, w.add(large, w.mul(e, w.number(ofTwo[0]))));
  };
export const log1p: UnaryMath = (w, x) => {
  const u = w.let(w.add(x, w.number(1)));
  const logarithm = w.let(log(w, u));
  const missing = w.sub(x, w.sub(u, w.number(1)));
  const sum = w.add(logarithm, w.div(missing, u));
  const isPlain = w.op("v128.and", w.op("f32x4.gt", u, w.number(0)), w.op("f32x4.lt", u, w.number(INFINITY)));
  const value = w.choose(isPlain, sum, logarithm);
  return w.choose(w.op("f32x4.eq", u, w.number(1)), x, value);
};

const SIGN = -0x80000000;
const withSign = (w: VectorWriter, magnitude: Vector, x: Vector): Vector =>
  w.op("v128.or", magnitude, w.op("v128.and", x, w.whole(SIGN)));

/** `-t / (t + 2)` of `t = expm1(-2|x|)`. */
export const tanh: UnaryMath = (w, x) => {
  const magnitude = w.op("f32x4.abs", x);
  const doubled = w.let(w.op("f32x4.pmax", w.mul(magnitude, w.number(-2)), w.number(-19)));
  const { whole, rest } = reduced(w, doubled);
  const power = w.let(powerOfTwo(w, whole));
  const t = w.let(w.madd(power, expm1OfRest(w, rest), w.sub(power, w.number(1))));
  return withSign(w, w.op("f32x4.abs", w.div(t, w.add(t, w.number(2)))), x);
};
export const sigmoid: UnaryMath = (w, x) =>
  w.div(w.number(1), w.add(w.number(1), exp(w, w.let(w.op("f32x4.neg", x)))));

/** `erf(x) = x + x P(x^2)` up to 0.921875; relative error 2e-8. */
const ERF = [
  -0.000599085062276572, 0.004993179347366095, -0.026766614988446236, 0.1128181591629982,
  -0.37612494826316833, 0.12837915122509003,
];
/** `erf(t) = 1 - exp(P(t))` from there to 4; relative error 2e-9. */
const ERF_TAIL = [
  0.00019572173187043518, -0.0030411025509238243, 0.022218486294150352, -0.10391409695148468,
  -0.6372022032737732, -1.1276637315750122, -0.00019854558922816068,
];
const ERF_SPLIT = 0.921875;
export const erf: UnaryMath = (w, x) => {
  const magnitude = w.let(w.op("f32x4.abs", x));
  const t = w.let(w.op("f32x4.pmin", magnitude, w.number(4)));
  const { whole, rest } = reduced(w, w.let(w.polynomial(t, ERF_TAIL)));
  const power = powerOfTwo(w, whole);
  const large = withSign(w, w.nmadd(w.add(w.number(1), expm1OfRest(w, rest)), power, w.number(1)), x);
  const square = w.let(w.mul(x, x));
  const small = w.madd(x, w.polynomial(square, ERF), x);
  return w.choose(w.op("f32x4.gt", magnitude, w.number(ERF_SPLIT)), large, small);
};

export const log2 = logBy(1.4375, 0.005195040888963407, [1, 0]);
export const log10 = logBy(0.43359375, 0.0007007319032518277, [0.30078125, 0.00024874566398119]);
