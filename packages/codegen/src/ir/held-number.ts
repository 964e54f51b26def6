/** @file Constants as their dtypes hold them. */
import {
  bfloat16ToNumber,
  type DType,
  float16ToNumber,
  numberToBfloat16,
  numberToFloat16,
} from "@sconce/tensor";
import type { ConstantScalar } from "./terms.js";

type ConstantValue = ConstantScalar["value"];

/**
 * Returns a constant as an element of the dtype holds it. Values of halves are computed in float32
 * everywhere, so that nothing rounds a constant after this.
 */
export function heldNumber(value: ConstantValue, dtype: DType | "index"): ConstantValue {
  if (dtype === "float16") return float16ToNumber(numberToFloat16(Number(value)));
  return dtype === "bfloat16" ? bfloat16ToNumber(numberToBfloat16(Number(value))) : value;
}
