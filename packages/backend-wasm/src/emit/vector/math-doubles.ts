/** @file Functions of four float32 that are computed in float64, two lanes at a time. */
import { demoted, joined, LOW_WORDS, promoted, unlessSpecial } from "./doubles.js";
import type { MathFunction, Vector, VectorWriter } from "./lines.js";

/** Adding it to a float64 rounds to a whole number, which its low bits then hold. */
const ROUNDER = 1.5 * 2 ** 52;
const polynomial = (w: VectorWriter, x: Vector, [first, ...rest]: readonly number[]): Vector =>
  rest.reduce<Vector>(
    (sum, coefficient) => w.op("f64x2.add", w.op("f64x2.mul", sum, x), w.double(coefficient)),
    w.double(first!),
  );

/** pi/2 in two parts: products of the first, of 33 bits, with integers up to 2^20 are exact. */
const HALF_PI = [1.5707963267341256, 6.077100506506192e-11] as const;
/** `sin(r) = r + r^3 P(r^2)` and `cos(r) = 1 - r^2/2 + r^4 P(r^2)` up to pi/4. */
const SIN = [-0.00019517297914717346, 0.008332177996635437, -0.16666655242443085];
const COS = [2.443845005473122e-5, -0.001388736767694354, 0.04166664555668831];
/** Numbers from which on the imported functions reduce the argument. */
const LARGE_ANGLE = 2 ** 20;

/** The sine and the cosine of what remains of an angle, and the number of quarter circles. */
function quarters(w: VectorWriter, x: Vector) {
  const parts = promoted(w, x).map((half) => {
    const multiple = w.let(
      w.op("f64x2.add", w.op("f64x2.mul", half, w.double(2 / Math.PI)), w.double(ROUNDER)),
    );
    const n = w.let(w.op("f64x2.sub", multiple, w.double(ROUNDER)));
    const rest = HALF_PI.reduce<Vector>(
      (left, part) => w.op("f64x2.sub", left, w.op("f64x2.mul", n, w.double(part))),
      half,
    );
    return { multiple, rest: w.let(rest) };
  });
  const [a, b] = parts as [(typeof parts)[0], (typeof parts)[0]];
  const r = w.let(demoted(w, [a.rest, b.rest]));
  const square = w.let(w.mul(r, r));
  const sine = w.add(r, w.mul(r, w.mul(square, w.polynomial(square, SIN))));
  const half = w.sub(w.number(1), w.mul(square, w.number(0.5)));
  const cosine = w.add(half, w.mul(w.mul(square, square), w.polynomial(square, COS)));
  return {
    multiple: w.let(joined(w, LOW_WORDS, [a.multiple, b.multiple])),
    sine: w.let(sine),
    cosine: w.let(cosine),
  };
}
const isLargeAngle = (w: VectorWriter, x: Vector): Vector =>
  w.op("f32x4.ge", w.op("f32x4.abs", x), w.number(LARGE_ANGLE));
const isOdd = (w: VectorWriter, n: Vector): Vector =>
  w.op("i32x4.ne", w.op("v128.and", n, w.whole(1)), w.whole(0));
/** Zeros keep their sign. */
const exceptZero = (w: VectorWriter, x: Vector, value: Vector): Vector =>
  w.choose(w.op("f32x4.eq", x, w.number(0)), x, value);

/** Returns the sine after so many more quarter circles. */
function turned(w: VectorWriter, x: Vector, more: number): Vector {
  const { multiple, sine, cosine } = quarters(w, x);
  const n = more === 0 ? multiple : w.let(w.op("i32x4.add", multiple, w.whole(more)));
  const sign = w.shift("shl", w.op("v128.and", n, w.whole(2)), 30);
  return w.op("v128.xor", w.choose(isOdd(w, n), cosine, sine), sign);
}
export const sin: MathFunction = (w, x) =>
  unlessSpecial(w, "sin", exceptZero(w, x, turned(w, x, 0)), isLargeAngle(w, x), [x]);
export const cos: MathFunction = (w, x) => unlessSpecial(w, "cos", turned(w, x, 1), isLargeAngle(w, x), [x]);
export const tan: MathFunction = (w, x) => {
  const { multiple, sine, cosine } = quarters(w, x);
  const odd = w.let(isOdd(w, multiple));
  const over = w.choose(odd, w.op("f32x4.neg", cosine), sine);
  const quotient = w.div(over, w.choose(odd, sine, cosine));
  return unlessSpecial(w, "tan", exceptZero(w, x, quotient), isLargeAngle(w, x), [x]);
};

/** `log2(m) = s P(s^2)` of `s = (m - 1) / (m + 1)`, from sqrt(1/2) to sqrt(2). */
const LOG2 = [
  0.021736547084477108, 0.3373717856094318, 0.41181379544009455, 0.5770814021358422, 0.9617966847507189,
  2.8853900817792537,
];
/** Bits of sqrt(1/2). */
const ROOT_BITS = 0x3fe6a09e667f3bcdn;
/** `2^f = 1 + f P(f)` up to 1/2. */
const EXP2 = [
  1.5314948327563354e-5, 0.000154671103298476, 0.001333343077960951, 0.009618036910896428,
  0.05550410962579856, 0.24022651075853046, 0.6931471805416538,
];
const longs = (w: VectorWriter, name: "shl" | "shr_s", value: Vector, by: number): Vector => {
  return () => {
    value();
    w.f.i32(by).op(`i64x2.${name}`);
  };
};
/** Returns the logarithm of two positive numbers that are float32. */
function log2(w: VectorWriter, x: Vector): Vector {
  const exponent = w.let(longs(w, "shr_s", w.op("i64x2.sub", x, w.long(ROOT_BITS)), 52));
  const m = w.let(w.op("i64x2.sub", x, longs(w, "shl", exponent, 52)));
  const one = w.double(1);
  const s = w.let(w.op("f64x2.div", w.op("f64x2.sub", m, one), w.op("f64x2.add", m, one)));
  // As bits above 1.5 * 2^52 an integer is a float64.
  const e = w.op("f64x2.sub", w.op("i64x2.add", exponent, w.double(ROUNDER)), w.double(ROUNDER));
  const series = polynomial(w, w.let(w.op("f64x2.mul", s, s)), LOG2);
  return w.op("f64x2.add", e, w.op("f64x2.mul", s, series));
}
/** Two to the power of two numbers; beyond what float32 holds it saturates. */
function exp2(w: VectorWriter, x: Vector): Vector {
  const inside = w.let(w.op("f64x2.pmax", w.op("f64x2.pmin", x, w.double(140)), w.double(-160)));
  const multiple = w.let(w.op("f64x2.add", inside, w.double(ROUNDER)));
  const f = w.let(w.op("f64x2.sub", inside, w.op("f64x2.sub", multiple, w.double(ROUNDER))));
  const power = w.op("f64x2.add", w.double(1), w.op("f64x2.mul", f, polynomial(w, f, EXP2)));
  return w.op("i64x2.add", power, longs(w, "shl", multiple, 52));
}
/** `2^(y log2 |x|)`, with the sign of odd powers; infinities, NaN and zeros are special. */
export const pow: MathFunction = (w, x, y) => {
  const magnitude = w.let(w.op("f32x4.abs", x));
  const isSpecial = (): void => {
    const isPlain = w.op(
      "v128.and",
      w.op("v128.and", w.op("f32x4.gt", magnitude, w.number(0)), isFinite4(w, magnitude)),
      isFinite4(w, w.op("f32x4.abs", y)),
    );
    w.op("v128.not", isPlain)();
  };
  const value = (): void => {
    const powers = promoted(w, y);
    const halves = promoted(w, magnitude).map((half, at) =>
      w.let(exp2(w, w.let(w.op("f64x2.mul", log2(w, half), powers[at]!)))),
    );
    const plain = w.let(demoted(w, halves as [Vector, Vector]));
    const half = w.let(w.mul(y, w.number(0.5)));
    const isWhole = w.op("f32x4.eq", w.op("f32x4.floor", y), y);
    const isOddPower = w.op("f32x4.ne", w.op("f32x4.floor", half), half);
    const sign = w.op("v128.and", w.op("v128.and", x, isOddPower), w.whole(-0x80000000));
    const negative = w.choose(isWhole, w.op("v128.or", plain, sign), w.number(Number.NaN));
    w.choose(w.op("f32x4.lt", x, w.number(0)), negative, plain)();
  };
  return unlessSpecial(w, "pow", value, isSpecial, [x, y]);
};
const isFinite4 = (w: VectorWriter, magnitude: Vector): Vector =>
  w.op("f32x4.lt", magnitude, w.number(Number.POSITIVE_INFINITY));
