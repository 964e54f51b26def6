/** @file Functions that convert float16 and bfloat16. Results are rounded to even. */
import type { FunctionBuilder, Local } from "@sconce/wasm";

/**
 * Moves the exponent by a product, which is exact for subnormal numbers too. Infinities and NaN
 * keep the greatest exponent.
 */
export function decodeFloat16(f: FunctionBuilder, [bits]: readonly Local[]): void {
  const magnitude = f.local("i32");
  f.get(bits!).i32(0x7fff).op("i32.and").i32(13).op("i32.shl").set(magnitude);
  // 2^112 makes up for the smaller bias.
  f.get(magnitude)
    .op("f32.reinterpret_i32")
    .f32(2 ** 112)
    .op("f32.mul", "i32.reinterpret_f32");
  f.get(magnitude).i32(0x7f800000).op("i32.or");
  f.get(magnitude)
    .i32(0x7c00 << 13)
    .op("i32.lt_u", "select");
  f.get(bits!).i32(0x8000).op("i32.and").i32(16).op("i32.shl", "i32.or", "f32.reinterpret_i32");
}

/** As `numberToFloat16` of `@sconce/tensor`; a sum rounds subnormal numbers. */
export function encodeFloat16(f: FunctionBuilder, [value]: readonly Local[]): void {
  const [bits, magnitude] = f.locals("i32", 2) as readonly [Local<"i32">, Local<"i32">];
  f.get(value!).op("i32.reinterpret_f32").tee(bits).i32(0x7fffffff).op("i32.and").set(magnitude);
  f.get(bits).i32(16).op("i32.shr_u").i32(0x8000).op("i32.and");
  f.get(magnitude).i32(0x47800000).op("i32.ge_u");
  f.if(
    () => {
      f.i32(0x7e00).i32(0x7c00).get(magnitude).i32(0x7f800000).op("i32.gt_u", "select");
    },
    () => {
      f.get(magnitude).i32(0x38800000).op("i32.ge_u");
      f.if(
        () => {
          f.get(magnitude)
            .i32(0x38000000 - 0xfff)
            .op("i32.sub");
          f.get(magnitude).i32(13).op("i32.shr_u").i32(1).op("i32.and", "i32.add");
          f.i32(13).op("i32.shr_u");
        },
        // Adding 0.5 leaves the bits of a subnormal half, rounded to even, at the end.
        () => {
          f.get(magnitude).op("f32.reinterpret_i32").f32(0.5).op("f32.add", "i32.reinterpret_f32");
          f.i32(0x3f000000).op("i32.sub");
        },
        "i32",
      );
    },
    "i32",
  );
  f.op("i32.or");
}

export function encodeBfloat16(f: FunctionBuilder, [value]: readonly Local[]): void {
  const bits = f.local("i32");
  f.i32(0x7fc0);
  f.get(value!).op("i32.reinterpret_f32").tee(bits).i32(0x7fff).op("i32.add");
  f.get(bits).i32(16).op("i32.shr_u").i32(1).op("i32.and", "i32.add").i32(16).op("i32.shr_u");
  f.get(value!).get(value!).op("f32.ne", "select");
}
