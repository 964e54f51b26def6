/** @file Remainders of four float32, which are exact: computed in float64, two lanes at a time. */
import { demoted, promoted, unlessSpecial } from "./doubles.js";
import type { MathFunction, Vector, VectorWriter } from "./lines.js";

/** Quotients from which on the product of quotient and divisor is not exact. */
const LARGE_QUOTIENT = 2 ** 28;

interface Parts {
  readonly a: Vector;
  readonly b: Vector;
  readonly quotient: Vector;
  readonly rest: Vector;
}
const division =
  (op: string, result: (w: VectorWriter, parts: Parts) => Vector): MathFunction =>
  (w, x, y) => {
    const value = (): void => {
      const divisors = promoted(w, y);
      const halves = promoted(w, x).map((a, at) => {
        const b = divisors[at]!;
        const quotient = w.let(w.op("f64x2.trunc", w.op("f64x2.div", a, b)));
        const rest = w.let(w.op("f64x2.sub", a, w.op("f64x2.mul", quotient, b)));
        return w.let(result(w, { a, b, quotient, rest }));
      });
      demoted(w, halves as [Vector, Vector])();
    };
    const size = w.op("f32x4.abs", w.div(x, y));
    const isFinite4 = w.op("f32x4.lt", w.op("f32x4.abs", y), w.number(Number.POSITIVE_INFINITY));
    const isPlain = w.op("v128.and", w.op("f32x4.lt", size, w.number(LARGE_QUOTIENT)), isFinite4);
    return unlessSpecial(w, op, value, w.op("v128.not", isPlain), [x, y]);
  };

const SIGN = -(2n ** 63n);
const withSign = (w: VectorWriter, value: Vector, x: Vector): Vector =>
  w.op("v128.or", w.op("f64x2.abs", value), w.op("v128.and", x, w.long(SIGN)));
/** Returns whether a rest is there, of another sign than the divisor. */
const isOther = (w: VectorWriter, rest: Vector, b: Vector): Vector =>
  w.op(
    "v128.and",
    w.op("f64x2.ne", rest, w.double(0)),
    w.op("v128.xor", w.op("f64x2.lt", rest, w.double(0)), w.op("f64x2.lt", b, w.double(0))),
  );

export const fmod = division("fmod", (w, { a, rest }) => withSign(w, rest, a));
export const remainder = division("remainder", (w, { a, b, rest }) => {
  const signed = w.let(withSign(w, rest, a));
  return w.choose(isOther(w, rest, b), w.op("f64x2.add", signed, b), signed);
});
export const floorDivide = division("floor_div", (w, { a, b, quotient, rest }) => {
  const one = w.op("v128.and", isOther(w, rest, b), w.double(1));
  const floor = w.let(w.op("f64x2.sub", quotient, one));
  const zero = withSign(w, floor, w.op("v128.xor", a, b));
  return w.choose(w.op("f64x2.eq", floor, w.double(0)), zero, floor);
});
