/** @file Functions that convert float16 and bfloat16. Results are rounded to even. */
import { type FunctionBuilder, i32, type Local } from "@sconce/wasm";

/**
 * Moves the exponent by a product, which is exact for subnormal numbers too. Infinities and NaN
 * keep the greatest exponent.
 */
export function decodeFloat16(f: FunctionBuilder, params: readonly Local[]): void {
  const [bits] = params as readonly Local<"i32">[];
  const magnitude = f.let(i32(bits!).and(0x7fff).shl(13));
  // 2^112 makes up for the smaller bias.
  f.get(magnitude)
    .op("f32.reinterpret_i32")
    .f32(2 ** 112)
    .op("f32.mul", "i32.reinterpret_f32");
  f.put(i32(magnitude).or(0x7f800000), i32(magnitude).is("lt_u", 0x7c00 << 13)).op("select");
  f.put(i32(bits!).and(0x8000).shl(16)).op("i32.or", "f32.reinterpret_i32");
}

/** As `numberToFloat16` of `@sconce/tensor`; a sum rounds subnormal numbers. */
export function encodeFloat16(f: FunctionBuilder, [value]: readonly Local[]): void {
  const bits = f.local("i32");
  f.get(value!).op("i32.reinterpret_f32").set(bits);
  const magnitude = f.let(i32(bits).and(0x7fffffff));
  f.put(i32(bits).shr(16).and(0x8000));
  const tooLarge = i32(magnitude).is("gt_u", 0x7f800000).choose(0x7e00, 0x7c00);
  const normal = i32(magnitude)
    .minus(0x38000000 - 0xfff)
    .plus(i32(magnitude).shr(13).and(1))
    .shr(13);
  f.put(i32(magnitude).is("ge_u", 0x47800000)).if(
    () => f.put(tooLarge),
    () => {
      f.put(i32(magnitude).is("ge_u", 0x38800000)).if(
        () => f.put(normal),
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
  f.get(value!).op("i32.reinterpret_f32").set(bits);
  const rounded = i32(bits).plus(0x7fff).plus(i32(bits).shr(16).and(1)).shr(16);
  f.put(0x7fc0, rounded).get(value!, value!).op("f32.ne", "select");
}
