/** @file What numbers a dtype can hold. */
import { complex, float, type ScalarLiteral } from "@sconce/ir";
import { type DType, dtypeInfo, isBigIntDType, type Tensor } from "@sconce/tensor";
import { readBigInts, readComplex, readNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { complexOf } from "./pointwise-loop.js";

/** The largest number of a float dtype. */
export const LARGEST_FINITE: Readonly<Partial<Record<DType, number>>> = {
  float64: Number.MAX_VALUE,
  float32: 3.4028234663852886e38,
  complex128: Number.MAX_VALUE,
  complex64: 3.4028234663852886e38,
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
  complex64: "c10::complex<float>",
  complex128: "c10::complex<double>",
};

/**
 * Refuses a number that a dtype cannot hold. Unsigned types wrap negative ones (`c10::overflows`).
 *
 * @throws SconceError `INVALID_ARGUMENT`
 */
export function checkInRange(value: ScalarLiteral, dtype: DType): void {
  if (isInRange(value, dtype)) return;
  throw invalidArgument(`value cannot be converted to type ${TYPE_NAMES[dtype] ?? dtype} without overflow`);
}

function isInRange(value: ScalarLiteral, dtype: DType): boolean {
  const { kind, itemSize } = dtypeInfo(dtype);
  if (kind === "bool") return true;
  const { re, im } = complexOf(value);
  if (kind === "complex") return isFloatInRange(re, dtype) && isFloatInRange(im, dtype);
  if (im !== 0) return false;
  if (kind === "float") return isFloatInRange(re, dtype);
  if (typeof value === "bigint" && dtype === "int64") return BigInt.asIntN(64, value) === value;
  const unsigned = dtype.startsWith("u");
  const limit = 2 ** (8 * itemSize - (unsigned ? 0 : 1));
  const whole = Math.trunc(re);
  return whole < limit && whole >= (unsigned ? 1 - limit : -limit);
}

const isFloatInRange = (value: number, dtype: DType): boolean =>
  !Number.isFinite(value) || Math.abs(value) <= (LARGEST_FINITE[dtype] ?? Number.MAX_VALUE);

/** The number in a tensor of one element. */
export function itemOf(tensor: Tensor): ScalarLiteral {
  if (isBigIntDType(tensor.dtype)) return readBigInts(tensor)[0]!;
  if (dtypeInfo(tensor.dtype).lanes === 1) return float(readNumbers(tensor)[0]!);
  const [re, im] = readComplex(tensor) as unknown as [number, number];
  return complex(re, im);
}
