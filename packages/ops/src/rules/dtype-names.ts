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
  bool: "bool",
};

/** How most of PyTorch's refusals name a dtype (`c10::ScalarType`): `Long`. */
export const scalarTypeName = (dtype: DType): string => SCALAR_TYPES[dtype] ?? dtype;

/** How PyTorch's refusals name a dtype by its C++ type: `long int`. */
export const cppTypeName = (dtype: DType): string => CPP_TYPES[dtype] ?? dtype;
