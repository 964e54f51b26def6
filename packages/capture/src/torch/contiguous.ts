/** @file Whether the elements of a tensor lie in the order of a memory format. */
import type { Tensor } from "@sconce/tensor";
import type { Size } from "../trace/sym-int.js";
import { knownEqual, productOf, sizesOf, stridesOf } from "./sizes.js";

/** Dimensions from the innermost one on. */
function innermostFirst(ndim: number, format: string): readonly number[] | undefined {
  const dims = Array.from({ length: ndim }, (_, i) => ndim - 1 - i);
  if (format === "contiguous_format") return dims;
  const isChannelsLast =
    (format === "channels_last" && ndim === 4) || (format === "channels_last_3d" && ndim === 5);
  return isChannelsLast ? [1, ...dims.filter((dim) => dim !== 1)] : undefined;
}

/**
 * Whether a tensor is contiguous in a memory format, so that `contiguous()` gives the tensor itself
 * (`c10::_compute_contiguous`).
 */
export function isContiguousAs(tensor: Tensor, format: string): boolean {
  const sizes = sizesOf(tensor);
  const strides = stridesOf(tensor);
  const order = innermostFirst(sizes.length, format);
  if (order === undefined) return false;
  if (sizes.some((size) => size === 0)) return true;
  let expected: Size = 1;
  for (const dim of order) {
    const size = sizes[dim]!;
    if (size === 1) continue;
    if (!knownEqual(strides[dim]!, expected)) return false;
    expected = productOf(expected, size);
  }
  return true;
}
