/** @file Names in Python that files of `torch.save` hold. Reader and writer share them. */
import type { DType } from "@sconce/tensor";

/** The attribute in which PyTorch keeps the dimensions that `mark_dynamic` marked. */
export const MARKS = "_specialize_on";

/** The classes of typed storages. Newer dtypes have none: their storages are untyped. */
export const STORAGE_CLASSES: ReadonlyMap<DType, string> = new Map<DType, string>([
  ["float64", "DoubleStorage"],
  ["float32", "FloatStorage"],
  ["float16", "HalfStorage"],
  ["bfloat16", "BFloat16Storage"],
  ["int64", "LongStorage"],
  ["int32", "IntStorage"],
  ["int16", "ShortStorage"],
  ["int8", "CharStorage"],
  ["uint8", "ByteStorage"],
  ["bool", "BoolStorage"],
  ["complex128", "ComplexDoubleStorage"],
  ["complex64", "ComplexFloatStorage"],
]);
