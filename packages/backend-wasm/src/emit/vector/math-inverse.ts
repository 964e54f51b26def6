/** @file Inverse functions of angles, and hyperbolic functions, of four float32. */
import type { Vector, VectorWriter } from "./lines.js";
import { exp, expm1, log, log1p } from "./math-powers.js";

const HALF_PI = Math.PI / 2;
const SIGN = -0x80000000;
const signOf = (w: VectorWriter, x: Vector): Vector => w.op("v128.and", x, w.whole(SIGN));
const withSign = (w: VectorWriter, magnitude: Vector, x: Vector): Vector =>
  w.op("v128.or", magnitude, signOf(w, x));
const half = (w: VectorWriter, x: Vector): Vector => w.mul(x, w.number(0.5));

/** `atan(x) = x + x^3 P(x^2)` up to tan(pi/8). */
const ATAN = [0.08055436611175537, -0.1387844979763031, 0.19977807998657227, -0.33332952857017517];
const [LOW_TANGENT, HIGH_TANGENT] = [Math.SQRT2 - 1, Math.SQRT2 + 1];
export function atan(w: VectorWriter, x: Vector): Vector {
  const a = w.let(w.op("f32x4.abs", x));
  const one = w.number(1);
  const isHigh = w.let(w.op("f32x4.gt", a, w.number(HIGH_TANGENT)));
  const isLow = w.let(w.op("f32x4.le", a, w.number(LOW_TANGENT)));
  const middle = w.div(w.sub(a, one), w.add(a, one));
  const reduced = w.choose(isHigh, w.div(w.number(-1), a), w.choose(isLow, a, middle));
  const start = w.choose(isHigh, w.number(HALF_PI), w.choose(isLow, w.number(0), w.number(HALF_PI / 2)));
  const t = w.let(w.choose(w.op("f32x4.eq", a, a), reduced, a));
  const square = w.let(w.mul(t, t));
  const rest = w.mul(t, w.mul(square, w.polynomial(square, ATAN)));
  return withSign(w, w.op("f32x4.abs", w.add(start, w.add(t, rest))), x);
}

/** `asin(x) = x + x^3 P(x^2)` up to 1/2. */
const ASIN = [
  0.04221854731440544, 0.02414761111140251, 0.04547709599137306, 0.07495241612195969, 0.16666753590106964,
];
/** The arc sine of what a number, or the root of what it lacks to one, is. */
function asinParts(w: VectorWriter, x: Vector) {
  const a = w.let(w.op("f32x4.abs", x));
  const isSmall = w.let(w.op("f32x4.le", a, w.number(0.5)));
  const square = w.let(w.choose(isSmall, w.mul(a, a), half(w, w.sub(w.number(1), a))));
  const t = w.let(w.choose(isSmall, a, w.op("f32x4.sqrt", square)));
  return { isSmall, value: w.let(w.madd(t, w.mul(square, w.polynomial(square, ASIN)), t)) };
}
export function asin(w: VectorWriter, x: Vector): Vector {
  const { isSmall, value } = asinParts(w, x);
  const large = w.sub(w.number(HALF_PI), w.add(value, value));
  return withSign(w, w.op("f32x4.abs", w.choose(isSmall, value, large)), x);
}
export function acos(w: VectorWriter, x: Vector): Vector {
  const { isSmall, value } = asinParts(w, x);
  const doubled = w.let(w.add(value, value));
  const isNegative = w.let(w.op("f32x4.lt", x, w.number(0)));
  const large = w.choose(isNegative, w.sub(w.number(Math.PI), doubled), doubled);
  const small = w.sub(w.number(HALF_PI), w.op("v128.xor", value, signOf(w, x)));
  return w.choose(isSmall, small, large);
}

/** Beyond it `exp` overflows before these do. */
const LARGE = 88;
export function sinh(w: VectorWriter, x: Vector): Vector {
  const a = w.let(w.op("f32x4.abs", x));
  const e = w.let(expm1(w, a));
  const small = half(w, w.add(e, w.div(e, w.add(e, w.number(1)))));
  return withSign(w, w.choose(w.op("f32x4.gt", a, w.number(LARGE)), halfOfExp(w, a), small), x);
}
export function cosh(w: VectorWriter, x: Vector): Vector {
  const a = w.let(w.op("f32x4.abs", x));
  const e = w.let(exp(w, a));
  const small = half(w, w.add(e, w.div(w.number(1), e)));
  return w.choose(w.op("f32x4.gt", a, w.number(LARGE)), halfOfExp(w, a), small);
}
/** Half of an exponential that may overflow where its half does not. */
function halfOfExp(w: VectorWriter, a: Vector): Vector {
  const root = w.let(exp(w, w.let(half(w, a))));
  return w.mul(half(w, root), root);
}

export function asinh(w: VectorWriter, x: Vector): Vector {
  const a = w.let(w.op("f32x4.abs", x));
  const square = w.let(w.mul(a, a));
  const root = w.op("f32x4.sqrt", w.add(square, w.number(1)));
  const small = w.let(w.add(a, w.div(square, w.add(root, w.number(1)))));
  return withSign(w, w.choose(isHuge(w, a), logOfDouble(w, a), log1p(w, small)), x);
}
export function acosh(w: VectorWriter, x: Vector): Vector {
  const t = w.let(w.sub(x, w.number(1)));
  const root = w.op("f32x4.sqrt", w.add(w.add(t, t), w.mul(t, t)));
  const small = w.let(w.add(t, root));
  const value = w.choose(isHuge(w, x), logOfDouble(w, x), log1p(w, small));
  return w.choose(w.op("f32x4.lt", x, w.number(1)), w.number(Number.NaN), value);
}
const isHuge = (w: VectorWriter, a: Vector): Vector => w.op("f32x4.gt", a, w.number(2 ** 40));
const logOfDouble = (w: VectorWriter, a: Vector): Vector => w.add(log(w, a), w.number(Math.LN2));
export function atanh(w: VectorWriter, x: Vector): Vector {
  const a = w.let(w.op("f32x4.abs", x));
  const quotient = w.let(w.div(w.add(a, a), w.sub(w.number(1), a)));
  // One minus one is a zero that a number is divided by.
  return withSign(w, w.op("f32x4.abs", half(w, log1p(w, quotient))), x);
}
