/** @file Whether the elements of a tensor lie in the order of a memory format. */
import type { Tensor } from "@sconce/tensor";
import { isSym, type Size } from "../trace/sym-int.js";
import { discard, knownEqual, numelOf, productOf, sizesOf, stridesOf } from "./sizes.js";

/** Dimensions from the innermost one on. */
function innermostFirst(ndim: number, format: string): readonly number[] | undefined {
  const dims = Array.from({ length: ndim }, (_, i) => ndim - 1 - i);
  if (format === "contiguous_format") return dims;
  const isChannelsLast =
    (format === "channels_last" && ndim === 4) || (format === "channels_last_3d" && ndim === 5);
  return isChannelsLast ? [1, ...dims.filter((dim) => dim !== 1)] : undefined;
}

/** Sizes and strides, from the innermost dimension on. */
type Layout = readonly (readonly [size: Size, stride: Size])[];

/**
 * Returns whether a tensor is contiguous in a memory format, so that `contiguous()` gives the
 * tensor itself (`c10::_compute_contiguous_sym`).
 */
export function isContiguousAs(tensor: Tensor, format: string): boolean {
  const sizes = sizesOf(tensor);
  const strides = stridesOf(tensor);
  const order = innermostFirst(sizes.length, format);
  if (order === undefined) return false;
  if (sizes.some((size) => size === 0)) return true;
  const layout = order.map((dim) => [sizes[dim]!, strides[dim]!] as const);
  const isPlain = format === "contiguous_format";
  if (isPlain) discard(["eq"], [numelOf(tensor)]);
  if (isInOrder(layout, isPlain)) return true;
  discardCondition(layout);
  if (isPlain) discard(["eq", "or_", "eq"], [numelOf(tensor)]);
  isInOrder(layout, false);
  return false;
}

/** @param hasLeast whether PyTorch computes the strides of sizes that are at least 1, too */
function isInOrder(layout: Layout, hasLeast: boolean): boolean {
  let expected: Size = 1;
  let least: Size = 1;
  for (const [size, stride] of layout) {
    discard(["eq"], [size]);
    if (size === 1) continue;
    discard(["ne"], [stride], [expected]);
    if (!knownEqual(stride, expected)) {
      if (hasLeast) discard(["ne"], [stride], [least]);
      return false;
    }
    if (hasLeast) {
      discard(["sym_max"], [size]);
      least = discardedProduct(least, size);
    }
    expected = discardedProduct(expected, size);
  }
  return true;
}

/** The condition of a layout that may be contiguous for some sizes, which PyTorch computes. */
function discardCondition(layout: Layout): void {
  let expected: Size = 1;
  let isDynamic = false;
  for (const [size, stride] of layout) {
    discard(["eq"], [size]);
    discard(["eq"], [stride], [expected]);
    discard(["or_"], [], [size, stride, expected]);
    isDynamic ||= [size, stride, expected].some(isSym);
    if (isDynamic) discard(["and_"], [], layout.flat());
    expected = discardedProduct(expected, size);
  }
}

function discardedProduct(a: Size, b: Size): Size {
  if (a !== 1 && b !== 1) discard(["mul"], [], [a, b]);
  return productOf(a, b);
}
