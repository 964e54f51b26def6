/** @file Complex numbers of two float32: in an i64, as they lie in memory. */
import type { FunctionBuilder } from "@sconce/wasm";

/** Makes a complex number of the two floats on the stack, or takes a part of the one there. */
export function complexOperation(f: FunctionBuilder, op: "complex" | "real" | "imag"): void {
  if (op === "complex") {
    const high = f.local("i64");
    f.op("i32.reinterpret_f32", "i64.extend_i32_u").i64(32n).op("i64.shl").set(high);
    f.op("i32.reinterpret_f32", "i64.extend_i32_u").get(high).op("i64.or");
    return;
  }
  if (op === "imag") f.i64(32n).op("i64.shr_u");
  f.op("i32.wrap_i64", "f32.reinterpret_i32");
}
