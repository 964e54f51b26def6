/**
 * @file The order of a tensor's dimensions in memory, which the edge dialect has in place of memory
 * formats.
 */
import { type IntLike, le } from "@sconce/symbolic";

/** Where the elements of a tensor lie: sizes, and strides in elements. */
interface Geometry {
  readonly shape: readonly IntLike[];
  readonly strides: readonly IntLike[];
}

/** Dimensions from the outermost in memory to the innermost: `[0, 2, 3, 1]` is channels last. */
export type DimOrder = readonly number[];

/**
 * Returns the dimension order of a tensor: by strides, the largest first; equal ones keep their
 * order.
 */
export function dimOrderOf({ strides }: Pick<Geometry, "strides">): DimOrder {
  const order = strides.map((_, d) => d);
  // Insertion sort is stable and total under comparisons that symbols leave open; ranks are small.
  for (let i = 1; i < order.length; i++) {
    const dim = order[i]!;
    let at = i;
    while (at > 0 && isSmaller(strides[order[at - 1]!]!, strides[dim]!)) {
      order[at] = order[at - 1]!;
      at--;
    }
    order[at] = dim;
  }
  return order;
}

/** Returns whether `a < b` for all values of the symbols. */
const isSmaller = (a: IntLike, b: IntLike): boolean =>
  typeof a === "number" && typeof b === "number" ? a < b : le(b, a) === false;

/** Returns whether a value is an order of this many dimensions. */
export function isDimOrder(value: unknown, ndim: number): value is DimOrder {
  if (!Array.isArray(value) || value.length !== ndim) return false;
  const dims = new Set(value);
  return dims.size === ndim && value.every((dim) => Number.isInteger(dim) && dim >= 0 && dim < ndim);
}

/**
 * Returns whether strides never grow along the order; dimensions of a single element lie anywhere.
 */
export function dimOrderFits(order: DimOrder, { shape, strides }: Geometry): boolean {
  const dims = order.filter((dim) => shape[dim] !== 1);
  return dims.every((dim, i) => i === 0 || !isSmaller(strides[dims[i - 1]!]!, strides[dim]!));
}
