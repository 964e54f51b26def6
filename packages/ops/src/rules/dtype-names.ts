import type { DType } from "@sconce/tensor";

const SCALAR_TYPES: Partial<Record<DType, string>> = {
  float16: "Half",
  bfloat16: "BFloat16",
  float32: "Float",
  float64: "Double",
  int64: "Long",
  int32: "Int",
  int16: "Short",
  int8: "Char",
  uint8: "Byte",
  uint16: "UInt16",
  uint32: "UInt32",
  uint64: "UInt64",
  bool: "Bool",
  complex32: "ComplexHalf",
  complex64: "ComplexFloat",
  complex128: "ComplexDouble",
  float8_e4m3fn: "Float8_e4m3fn",
  float8_e5m2: "Float8_e5m2",
  float8_e4m3fnuz: "Float8_e4m3fnuz",
  float8_e5m2fnuz: "Float8_e5m2fnuz",
  float8_e8m0fnu: "Float8_e8m0fnu",
};

const CPP_TYPES: Partial<Record<DType, string>> = {
  float16: "c10::Half",
  bfloat16: "c10::BFloat16",
  float32: "float",
  float64: "double",
  int64: "long int",
  int32: "int",
  int16: "short int",
  int8: "signed char",
  uint8: "unsigned char",
  uint16: "short unsigned int",
  uint32: "unsigned int",
  uint64: "long unsigned int",
  bool: "bool",
  complex32: "c10::complex<c10::Half>",
  complex64: "c10::complex<float>",
  complex128: "c10::complex<double>",
};

/** Integers whose C++ types have a shorter name. */
const SHORT_CPP_TYPES: Partial<Record<DType, string>> = {
  int64: "long",
  int16: "short",
  uint16: "unsigned short",
  uint64: "unsigned long",
};

/** Dtypes whose tensors had a type of their own in Python. */
const TENSOR_TYPES: ReadonlySet<DType> = new Set([
  ...(["float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8"] as const),
]);

/** Returns how most of PyTorch's refusals name a dtype (`c10::ScalarType`): `Long`. */
export const scalarTypeName = (dtype: DType): string => SCALAR_TYPES[dtype] ?? dtype;

/** Returns how PyTorch's refusals name a dtype by its C++ type: `long int`. */
export const cppTypeName = (dtype: DType): string => CPP_TYPES[dtype] ?? `c10::${scalarTypeName(dtype)}`;

/** As {@link cppTypeName}, as the messages of matrix products spell it: `long`. */
export const shortCppTypeName = (dtype: DType): string => SHORT_CPP_TYPES[dtype] ?? cppTypeName(dtype);

/** Returns how PyTorch's refusals name a tensor of a dtype: `torch.LongTensor`, `CPUBoolType`. */
export const tensorTypeName = (dtype: DType): string =>
  TENSOR_TYPES.has(dtype) ? `torch.${scalarTypeName(dtype)}Tensor` : `CPU${scalarTypeName(dtype)}Type`;
