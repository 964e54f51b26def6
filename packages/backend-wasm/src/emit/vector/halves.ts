/** @file Four float16 or bfloat16: their bits, one in each lane, as float32 and back. */
import type { Vector, VectorWriter } from "./lines.js";

/** Decodes the bits on the stack. */
export function decodeHalves(w: VectorWriter, type: "float16" | "bfloat16"): void {
  const bits = fromStack(w);
  if (type === "bfloat16") {
    w.shift("shl", bits, 16)();
    return;
  }
  const magnitude = w.let(w.shift("shl", w.op("v128.and", bits, w.whole(0x7fff)), 13));
  // 2^112 makes up for the smaller bias; infinities and NaN keep the greatest exponent.
  const finite = w.mul(magnitude, w.number(2 ** 112));
  const special = w.op("v128.or", magnitude, w.whole(0x7f800000));
  const isNumber = w.op("i32x4.lt_u", magnitude, w.whole(0x7c00 << 13));
  const sign = w.shift("shl", w.op("v128.and", bits, w.whole(0x8000)), 16);
  w.op("v128.or", w.choose(isNumber, finite, special), sign)();
}

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
  const magnitude = w.let(w.op("v128.and", bits, w.whole(0x7fffffff)));
  const shifted = w.op("i32x4.sub", magnitude, w.whole(0x38000000 - 0xfff));
  const normal = w.shift("shr_u", w.op("i32x4.add", shifted, odd(magnitude, 13)), 13);
  const small = w.op("i32x4.sub", w.add(magnitude, w.number(0.5)), w.whole(0x3f000000));
  const isNormal = w.op("i32x4.ge_s", magnitude, w.whole(0x38800000));
  const finite = w.let(w.choose(isNormal, normal, small));
  const isNan = w.op("i32x4.gt_s", magnitude, w.whole(0x7f800000));
  const special = w.choose(isNan, w.whole(0x7e00), w.whole(0x7c00));
  const isSpecial = w.op("i32x4.ge_s", magnitude, w.whole(0x47800000));
  const sign = w.op("v128.and", w.shift("shr_u", bits, 16), w.whole(0x8000));
  w.op("v128.or", w.choose(isSpecial, special, finite), sign)();
}

/** The vector on the stack, to be read several times. */
const fromStack = (w: VectorWriter): Vector => w.let(() => {});
