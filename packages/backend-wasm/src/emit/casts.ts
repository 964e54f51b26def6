/** @file Conversions between element types, as PyTorch's `to` does them. */
import type { Instruction } from "@sconce/wasm";
import { bitsOf, isHalf, isUnsigned, numberType } from "./core/types.js";
import { isFloatType, pushFloat } from "./floats.js";
import { roundHalf } from "./halves.js";
import { pushNumber, wrapInteger } from "./integers.js";
import type { Operation } from "./operation.js";

/** Writes the conversion of the first operand. */
export function castOperation(operation: Operation): void {
  const { f, type, number, out, push, helpers } = operation;
  if (out === "bool") {
    push(0);
    if (isFloatType(type)) pushFloat(f, number, 0);
    else pushNumber(f, number, 0);
    f.op(`${number}.ne` as Instruction);
    return;
  }
  if (isFloatType(out)) toFloat(operation);
  else if (isFloatType(type)) (out === "uint64" ? toUint64 : toInteger)(operation);
  else {
    push(0);
    betweenIntegers(operation);
  }
  const isWider = isHalf(out) && type !== out;
  if (isWider) roundHalf(f, helpers, out);
}

function toFloat({ f, type, number, out, push }: Operation): void {
  push(0);
  const to = numberType(out);
  if (number === to) return;
  if (number === "f64") f.op("f32.demote_f64");
  else if (number === "f32") f.op("f64.promote_f32");
  else f.op(`${to}.convert_${number}_${isUnsigned(type) ? "u" : "s"}` as Instruction);
}

/** What does not fit gives the least integer; narrow types keep the low bits. */
function toInteger(operation: Operation): void {
  const { f, number, out, push } = operation;
  const isLong = numberType(out) === "i64";
  const byLong = isLong || out === "uint32" || out === "uint8";
  const to = byLong ? "i64" : "i32";
  const limit = byLong ? 2 ** 63 : 2 ** 31;
  push(0);
  f.op(`${to}.trunc_sat_${number}_s` as Instruction);
  if (byLong) f.i64(-(2n ** 63n));
  else f.i32(-(2 ** 31));
  // Above, conversions saturate; below the least they give the least anyhow, and NaN gives zero.
  push(0);
  pushFloat(f, number, limit).op(`${number}.lt` as Instruction, "select");
  if (byLong && !isLong) f.op("i32.wrap_i64");
  wrapInteger(f, out);
}
function toUint64({ f, number, push }: Operation): void {
  const test = (name: string, limit: number): unknown => {
    push(0);
    return pushFloat(f, number, limit).op(`${number}.${name}` as Instruction);
  };
  const least = (): unknown => f.i64(-(2n ** 63n));
  test("ge", 2 ** 63);
  f.if(
    () => {
      push(0);
      f.op(`i64.trunc_sat_${number}_u` as Instruction).i64(0n);
      test("lt", 2 ** 64);
      f.op("select");
    },
    () => {
      push(0);
      f.op(`i64.trunc_sat_${number}_s` as Instruction);
      least();
      test("ge", -(2 ** 63));
      f.op("select");
    },
    "i64",
  );
}

function betweenIntegers({ f, type, number, out }: Operation): void {
  const to = numberType(out);
  if (number === "i64" && to === "i32") f.op("i32.wrap_i64");
  else if (number === "i32" && to === "i64") f.op(isUnsigned(type) ? "i64.extend_i32_u" : "i64.extend_i32_s");
  // Only a wider type without a new sign holds all values as they are.
  const isWider = bitsOf(out) > bitsOf(type) && (isUnsigned(type) || !isUnsigned(out));
  if (type !== out && !isWider) wrapInteger(f, out);
}
