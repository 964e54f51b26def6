/** @file What conversions between dtypes keep. */
import { type DType, dtypeInfo, isComplexDType, isFloatDType } from "@sconce/tensor";

/** Bits of the significand: integers up to 2^bits are exact. */
const SIGNIFICAND: Partial<Record<DType, number>> = { float16: 11, bfloat16: 8, float32: 24, float64: 53 };

const isFloat = (dtype: DType): boolean => SIGNIFICAND[dtype] !== undefined;
const isInteger = (dtype: DType): boolean => !isFloatDType(dtype) && !isComplexDType(dtype);
const isUnsigned = (dtype: DType): boolean => dtype === "bool" || dtype.startsWith("uint");
/** Bits of the largest value of an integral dtype. */
const valueBits = (dtype: DType): number =>
  dtype === "bool" ? 1 : dtypeInfo(dtype).itemSize * 8 - (isUnsigned(dtype) ? 0 : 1);

/** True when every value of one dtype is a value of the other. */
export function isLossless(from: DType, to: DType): boolean {
  if (from === to) return true;
  if (isFloat(to)) {
    if (isFloat(from)) return SIGNIFICAND[from]! < SIGNIFICAND[to]! && to !== "float16";
    return isInteger(from) && valueBits(from) <= SIGNIFICAND[to]!;
  }
  if (!isInteger(from) || !isInteger(to) || to === "bool") return false;
  return (!isUnsigned(to) || isUnsigned(from)) && valueBits(from) <= valueBits(to);
}

/**
 * True when a conversion over a dtype in between gives the same as the direct one, for all values.
 * Floats that are converted to integers may overflow, which processors answer differently for each
 * float dtype: those stay.
 */
export function isDirect(from: DType, between: DType, to: DType): boolean {
  if (!isLossless(from, between) || [from, between, to].some(isComplexDType)) return false;
  if (to === from || to === "bool") return true;
  return isFloat(to) || (isInteger(from) && isInteger(between) && isInteger(to));
}
