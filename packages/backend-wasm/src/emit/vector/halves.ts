/** @file Four float16 or bfloat16: their bits, one in each lane, as float32 and back. */
import type { Vector, VectorWriter } from "./lines.js";

/**
 * Decodes the bits on the stack.
 *
 * @param isExtended whether the sign fills the upper half of each lane, where zeros do else
 */
export function decodeHalves(w: VectorWriter, type: "float16" | "bfloat16", isExtended = false): void {
  const bits = fromStack(w);
  if (type === "bfloat16") {
    w.shift("shl", bits, 16)();
    return;
  }
  // The sign is copied to the bits before the exponent, which the mask takes away again.
  const wide = isExtended ? w.shift("shl", bits, 13) : w.shift("shr_s", w.shift("shl", bits, 16), 3);
  // 2^112 makes up for the smaller bias; infinities and NaN get the greatest exponent.
  const value = w.let(w.mul(w.op("v128.and", wide, w.whole(SIGN | 0x0fffe000)), w.number(2 ** 112)));
  const isSpecial = w.op("f32x4.ge", w.op("f32x4.abs", value), w.number(2 ** 16));
  w.op("v128.or", value, w.op("v128.and", isSpecial, w.whole(0x7f800000)))();
}
const SIGN = -0x80000000;

/** Encodes the float32 on the stack, rounded to even. */
export function encodeHalves(w: VectorWriter, type: "float16" | "bfloat16"): void {
  const bits = fromStack(w);
  const odd = (value: Vector, by: number): Vector =>
    w.op("v128.and", w.shift("shr_u", value, by), w.whole(1));
  if (type === "bfloat16") {
    const rounded = w.op("i32x4.add", w.op("i32x4.add", bits, w.whole(0x7fff)), odd(bits, 16));
    const isNan = w.op("f32x4.ne", bits, bits);
    w.choose(isNan, w.whole(0x7fc0), w.shift("shr_u", rounded, 16))();
    return;
  }
  // What is beyond the greatest half becomes infinite, and then as small as it was.
  const size = w.op("f32x4.abs", bits);
  const large = w.mul(size, w.number(2 ** 112));
  // Adding a power of two leaves the bits of a half, rounded to even, at the end.
  const doubled = w.let(w.shift("shl", bits, 1));
  const exponent = w.op("i32x4.max_u", w.op("v128.and", doubled, w.whole(-0x1000000)), w.whole(0x71000000));
  const power = w.op("i32x4.add", w.shift("shr_u", exponent, 1), w.whole(0x07800000));
  const sum = w.let(w.madd(large, w.number(2 ** -110), power));
  const high = w.op("v128.and", w.shift("shr_u", sum, 13), w.whole(0x7c00));
  const finite = w.op("i32x4.add", high, w.op("v128.and", sum, w.whole(0xfff)));
  const sign = w.op("v128.and", w.shift("shr_u", bits, 16), w.whole(0x8000));
  const isNumber = w.op("f32x4.eq", bits, bits);
  w.op("v128.or", w.choose(isNumber, finite, w.whole(0x7e00)), sign)();
}

/** Returns the vector on the stack, to be read several times. */
const fromStack = (w: VectorWriter): Vector => w.let(() => {});
