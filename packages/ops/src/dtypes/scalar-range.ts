/** @file What numbers a dtype can hold. */
import { complex, float, type ScalarLiteral, toNumber } from "@sconce/ir";
import { type DType, dtypeInfo } from "@sconce/tensor";
import { scalarKind } from "../rules/promote.js";

/** The largest number of a float dtype. */
export const LARGEST_FINITE: Readonly<Partial<Record<DType, number>>> = {
  float64: Number.MAX_VALUE,
  float32: 3.4028234663852886e38,
  complex128: Number.MAX_VALUE,
  complex64: 3.4028234663852886e38,
  complex32: 65504,
  float16: 65504,
  bfloat16: 3.3895313892515355e38,
};

/** C++ names of dtypes in PyTorch's refusals. */
const TYPE_NAMES: Readonly<Partial<Record<DType, string>>> = {
  int64: "int64_t",
  int32: "int",
  int16: "int16_t",
  int8: "int8_t",
  uint8: "uint8_t",
  uint16: "uint16_t",
  uint32: "uint32_t",
  uint64: "uint64_t",
  float16: "c10::Half",
  bfloat16: "c10::BFloat16",
  float32: "float",
  float64: "double",
  complex32: "c10::complex<c10::Half>",
  complex64: "c10::complex<float>",
  complex128: "c10::complex<double>",
};

/** PyTorch's refusal of a number that a dtype cannot hold. */
export const overflowMessage = (dtype: DType): string =>
  `value cannot be converted to type ${TYPE_NAMES[dtype] ?? dtype} without overflow`;

/**
 * Returns whether a dtype can hold a number (`c10::overflows`). Unsigned types wrap negative
 * integers, and refuse negative floats.
 */
export function isInRange(value: ScalarLiteral, dtype: DType): boolean {
  const { kind, itemSize } = dtypeInfo(dtype);
  if (kind === "bool") return true;
  const isComplex = typeof value === "object" && value.kind === "complex";
  const { re, im } = isComplex ? value : { re: toNumber(value), im: 0 };
  if (kind === "complex") return isFloatInRange(re, dtype) && isFloatInRange(im, dtype);
  if (im !== 0) return false;
  if (kind === "float") return isFloatInRange(re, dtype);
  if (typeof value === "bigint" && dtype === "int64") return BigInt.asIntN(64, value) === value;
  const unsigned = dtype.startsWith("u");
  const limit = 2 ** (8 * itemSize - (unsigned ? 0 : 1));
  if (unsigned && re < 0 && scalarKind(value) === "float") return false;
  const whole = Math.trunc(re);
  return whole < limit && whole >= (unsigned ? 1 - limit : -limit);
}

const isFloatInRange = (value: number, dtype: DType): boolean =>
  !Number.isFinite(value) || Math.abs(value) <= (LARGEST_FINITE[dtype] ?? Number.MAX_VALUE);

/** Returns whether a dtype can hold all numbers of another. */
export const holdsAll = (into: DType, from: DType): boolean =>
  into === from || endsOf(from).every((end) => isInRange(end, into));

function endsOf(dtype: DType): readonly ScalarLiteral[] {
  const { kind, itemSize } = dtypeInfo(dtype);
  if (kind === "bool") return [0, 1];
  const largest = LARGEST_FINITE[dtype] ?? Number.MAX_VALUE;
  if (kind === "complex") return [complex(-largest, largest)];
  if (kind === "float") return [float(-largest), float(largest), float(Number.NaN)];
  const bits = BigInt(8 * itemSize);
  return dtype.startsWith("u") ? [0, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}
