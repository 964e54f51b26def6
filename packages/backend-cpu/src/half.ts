/** @file Floats stored as bit patterns (16 and 8 bits), in bulk. */
import { type DType, patternEncoder, valueTable } from "@sconce/tensor";
import { noComplexKernel } from "./errors.js";

/** The value of each bit pattern. */
export function decodeTable(dtype: DType): Float32Array {
  const table = valueTable(dtype);
  if (table === undefined) throw noComplexKernel(dtype);
  return table;
}

/** The function that rounds a number to a bit pattern. */
export function encodeFloat(dtype: DType): (value: number) => number {
  const encode = patternEncoder(dtype);
  if (encode === undefined) throw noComplexKernel(dtype);
  return encode;
}

/** Rounds to a float dtype, as each step of a computation in that dtype does. */
export function rounderTo(dtype: DType): (value: number) => number {
  if (dtype === "float64") return (value) => value;
  if (dtype === "float32") return Math.fround;
  const [encode, table] = [encodeFloat(dtype), decodeTable(dtype)];
  return (value) => table[encode(value)]!;
}
