/** @file Tensors whose elements differ. */
import { Tensor } from "@sconce/tensor";

/** Returns a float32 tensor of the values 1, 2, 3, ... */
export const counted = (shape: readonly number[]): Tensor =>
  Tensor.from(
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i + 1),
    shape,
    "float32",
  );
