import { numel, wrapDimension } from "@sconce/tensor";

/**
 * A row-major array seen around one dimension: element `(o, i, n)` is at
 * `(o * size + i) * inner + n`.
 */
export interface Axis {
  readonly outer: number;
  readonly size: number;
  readonly inner: number;
}

/**
 * Returns the view of a shape around a dimension (negative counts from the end); a scalar has one
 * element.
 */
export function axisOf(shape: readonly number[], dim: number): Axis {
  if (shape.length === 0) return { outer: 1, size: 1, inner: 1 };
  const d = wrapDimension(dim, shape.length);
  return { outer: numel(shape.slice(0, d)), size: shape[d]!, inner: numel(shape.slice(d + 1)) };
}
