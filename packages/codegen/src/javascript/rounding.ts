import {
  bfloat16ToNumber,
  type DType,
  float16ToNumber,
  numberToBfloat16,
  numberToFloat16,
} from "@sconce/tensor";

/** Rounds a number to what a float type can hold. */
export function roundingOf(dtype: DType): (value: number) => number {
  if (dtype === "float32") return Math.fround;
  if (dtype === "float16") return (value) => float16ToNumber(numberToFloat16(value));
  if (dtype === "bfloat16") return (value) => bfloat16ToNumber(numberToBfloat16(value));
  return (value) => value;
}
