import type { DType } from "@sconce/tensor";

/**
 * `c10::ScalarType` by number: dtypes in schema defaults (`dtype=4`), and what operators that give
 * a dtype return.
 */
const DTYPE_CODES: readonly DType[] = [
  "uint8",
  "int8",
  "int16",
  "int32",
  "int64",
  "float16",
  "float32",
  "float64",
  "complex32",
  "complex64",
  "complex128",
  "bool",
];

/** Those that came behind the quantized ones. */
const LATER_CODES: Readonly<Partial<Record<DType, number>>> = {
  bfloat16: 15,
  float8_e5m2: 23,
  float8_e4m3fn: 24,
  float8_e5m2fnuz: 25,
  float8_e4m3fnuz: 26,
  uint16: 27,
  uint32: 28,
  uint64: 29,
};

export const dtypeCode = (dtype: DType): number => LATER_CODES[dtype] ?? DTYPE_CODES.indexOf(dtype);

const DTYPES = new Map<number, DType>([
  ...DTYPE_CODES.map((dtype, code) => [code, dtype] as const),
  ...Object.entries(LATER_CODES).map(([dtype, code]) => [code, dtype as DType] as const),
]);

/** Returns the dtype of a number that an operator returns; undefined for numbers of no dtype. */
export const dtypeOfCode = (code: number): DType | undefined => DTYPES.get(code);
