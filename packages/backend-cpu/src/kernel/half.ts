/** @file Floats stored as bit patterns (16 and 8 bits), in bulk. */
import { type DType, patternEncoder, valueTable } from "@sconce/tensor";
import { noComplexKernel } from "./errors.js";

/** Returns the value of each bit pattern. */
export function decodeTable(dtype: DType): Float32Array {
  const table = valueTable(dtype);
  if (table === undefined) throw noComplexKernel(dtype);
  return table;
}

/** Returns the function that rounds a number to a bit pattern. */
export function encodeFloat(dtype: DType): (value: number) => number {
  const encode = patternEncoder(dtype);
  if (encode === undefined) throw noComplexKernel(dtype);
  return encode;
}

/** Rounds a number to a float dtype, halves included. */
export function roundTo(dtype: DType): (x: number) => number {
  if (dtype !== "float16" && dtype !== "bfloat16") return stepOf(dtype);
  const encode = encodeFloat(dtype);
  const table = decodeTable(dtype);
  return (x) => table[encode(x)]!;
}

/** Returns how each step of a float computation rounds: halves are computed in float32. */
export const stepOf = (dtype: DType): ((x: number) => number) =>
  dtype === "float64" ? (x) => x : Math.fround;

/** Returns whether a dtype is one of the two halves. */
export const isHalf = (dtype: DType): dtype is "float16" | "bfloat16" =>
  dtype === "float16" || dtype === "bfloat16";
