/** @file The elements that the scripts of higher-order operators give their tensors. */
import { type DType, Tensor } from "@sconce/tensor";

/** Returns the values of the scripts for a shape: eighths, in an order that `step` gives. */
export function values(shape: readonly number[], step = 7, dtype: DType = "float32"): Tensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const flat = Array.from({ length: count }, (_, i) => (((i * step) % 19) - 9) / 8);
  return Tensor.from(flat, shape, dtype);
}
