/** @file Walks over scalars. */
import { forEachAtom, type Index } from "./index-expr.js";
import { partsOf, type Scalar } from "./scalar.js";

/**
 * Calls `visit` once for each distinct scalar below and including this one, parts first; indices
 * read from tensors too.
 */
export function forEachScalar(root: Scalar, visit: (scalar: Scalar) => void): void {
  const seen = new Set<Scalar>();
  const walk = (scalar: Scalar): void => {
    if (seen.has(scalar)) return;
    seen.add(scalar);
    for (const part of partsOf(scalar)) walk(part);
    for (const index of indicesOf(scalar))
      forEachAtom(index, (item) => {
        if (item.kind === "value") walk(item.scalar);
      });
    visit(scalar);
  };
  walk(root);
}

/** Returns the buffers that a scalar reads, in the order in which they are met. */
export function readsOf(root: Scalar): ReadonlySet<number> {
  const reads = new Set<number>();
  forEachScalar(root, (scalar) => {
    if (scalar.kind === "load") reads.add(scalar.buffer);
  });
  return reads;
}

/** Returns the indices that a scalar itself holds. */
export const indicesOf = (scalar: Scalar): readonly Index[] =>
  scalar.kind === "load" || scalar.kind === "index" ? [scalar.index] : [];

/** Returns whether there is a reduction below or at this scalar. */
export function hasReduction(root: Scalar): boolean {
  let found = false;
  forEachScalar(root, ({ kind }) => {
    found ||= kind === "reduce";
  });
  return found;
}
