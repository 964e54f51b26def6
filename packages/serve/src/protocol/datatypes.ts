/** @file The element types of the protocol. */
import type { DType } from "@sconce/tensor";

/** Names of the protocol by dtype. `BF16` is that of Triton and of KServe's binary clients. */
const DATATYPES: Readonly<Partial<Record<DType, string>>> = {
  bool: "BOOL",
  uint8: "UINT8",
  uint16: "UINT16",
  uint32: "UINT32",
  uint64: "UINT64",
  int8: "INT8",
  int16: "INT16",
  int32: "INT32",
  int64: "INT64",
  float16: "FP16",
  bfloat16: "BF16",
  float32: "FP32",
  float64: "FP64",
};

/** Text in the protocol; programs return it, and take none. */
export const TEXT = "BYTES";

/** Returns the protocol's name of a dtype; undefined for complex numbers and floats of 8 bits. */
export const datatypeOf = (dtype: DType): string | undefined => DATATYPES[dtype];
