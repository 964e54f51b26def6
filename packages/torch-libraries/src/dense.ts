import { FakeTensor } from "@sconce/ir";
import { type IntLike, mul } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";

/** Returns a row-major tensor on the device of another. */
export function dense(like: FakeTensor, shape: readonly IntLike[], dtype: DType = like.dtype): FakeTensor {
  const strides: IntLike[] = [];
  let step: IntLike = 1;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    strides.unshift(step);
    const size = shape[dim]!;
    step = mul(step, size === 0 ? 1 : size);
  }
  return new FakeTensor({ dtype, shape, strides, device: like.device });
}
