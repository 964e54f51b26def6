/** @file float16 and bfloat16: their bits as float32 and back. */
import type { FunctionBuilder } from "@sconce/wasm";
import type { SharedFunctions } from "./core/shared-functions.js";

/** Decodes the bits of a half on the stack to a float32. */
export function decodeHalf(f: FunctionBuilder, helpers: SharedFunctions, type: "float16" | "bfloat16"): void {
  if (type === "bfloat16") f.i32(16).op("i32.shl", "f32.reinterpret_i32");
  else f.call(helpers.helper("decode_float16"));
}
/** Encodes a float32 on the stack as the bits of the nearest half. */
export const encodeHalf = (
  f: FunctionBuilder,
  helpers: SharedFunctions,
  type: "float16" | "bfloat16",
): unknown => f.call(helpers.helper(`encode_${type}`));

/** Rounds a float32 on the stack to what a half can hold. */
export function roundHalf(f: FunctionBuilder, helpers: SharedFunctions, type: "float16" | "bfloat16"): void {
  encodeHalf(f, helpers, type);
  decodeHalf(f, helpers, type);
}
