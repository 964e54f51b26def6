import { FakeTensor } from "@sconce/ir";
import { mul, type SymInt } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";

/** A row-major tensor on the device of another. */
export function dense(like: FakeTensor, shape: readonly SymInt[], dtype: DType = like.dtype): FakeTensor {
  const strides: SymInt[] = [];
  let step: SymInt = 1;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    strides.unshift(step);
    const size = shape[dim]!;
    step = mul(step, size === 0 ? 1 : size);
  }
  return new FakeTensor({ dtype, shape, strides, device: like.device });
}
