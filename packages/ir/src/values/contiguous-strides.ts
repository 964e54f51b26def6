import { type IntLike, mul } from "@sconce/symbolic";

/** Row-major strides of a possibly symbolic shape; a size of 0 counts as 1. */
export function symContiguousStrides(shape: readonly IntLike[]): IntLike[] {
  const strides = new Array<IntLike>(shape.length);
  let step: IntLike = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    if (shape[d] !== 0) step = mul(step, shape[d]!);
  }
  return strides;
}
