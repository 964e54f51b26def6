import type { IntLike } from "@sconce/symbolic";

/**
 * Returns whether two elements of a tensor may be one place in memory: false only where sizes and
 * strides are known and each stride steps over all that the smaller ones reach.
 */
export function mayOverlap(shape: readonly IntLike[], strides: readonly IntLike[]): boolean {
  if (shape.includes(0)) return false;
  const dims = shape.map((size, d) => [size, strides[d]!] as const).filter(([size]) => size !== 1);
  if (dims.some((dim) => dim.some((value) => typeof value !== "number"))) return true;
  let reach = 0;
  for (const [size, stride] of (dims as (readonly [number, number])[]).sort((a, b) => a[1] - b[1])) {
    if (stride <= reach) return true;
    reach += (size - 1) * stride;
  }
  return false;
}
