/** @file Numbers that activations compare elements with. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { type DType, dtypeInfo, isIntegralDType } from "@sconce/tensor";
import { roundTo, stepOf } from "../kernel/half.js";

const isFloat = (dtype: DType): boolean => dtypeInfo(dtype).kind === "float";

/** Returns the number as an element of the dtype: `lambd.to<scalar_t>()`. */
export const limitIn = (dtype: DType, value: ScalarLiteral): number =>
  isFloat(dtype) ? roundTo(dtype)(toNumber(value)) : toNumber(value);

/**
 * Returns the number as an element: integers are cut, and wrap below zero where the dtype has no
 * sign.
 */
export function elementLimit(dtype: DType, value: ScalarLiteral): number {
  if (!isIntegralDType(dtype)) return computedLimit(dtype, value);
  const [whole, { signed, itemSize }] = [Math.trunc(toNumber(value)), dtypeInfo(dtype)];
  return whole < 0 && !signed ? whole + 2 ** (8 * itemSize) : whole;
}

/** Returns the number in the type that elements are computed in, which is float32 for halves. */
export const computedLimit = (dtype: DType, value: ScalarLiteral): number =>
  isFloat(dtype) ? stepOf(dtype)(toNumber(value)) : toNumber(value);
