/** @file Indexing by tensors: `x[i, :, j]`. */
import { type Index, ONE, same } from "../../ir/index-expr.js";
import { cannot, type LoweringCall } from "../core/call.js";
import { broadcastTo, type LazyTensor } from "../core/lazy.js";

/**
 * Which dimensions tensors index, and where the dimensions of the index tensors are in the result.
 */
export interface Indexing {
  /** By dimension; null for one that is taken whole. */
  readonly indices: readonly (LazyTensor | null)[];
  /** The shape that the index tensors are broadcast to. */
  readonly shape: readonly Index[];
  /** Position in the result of the first of those dimensions. */
  readonly at: number;
}

/** @throws CannotLower for masks, whose results have data-dependent shapes */
export function indexingOf(
  call: LoweringCall,
  self: LazyTensor,
  given: readonly (LazyTensor | null)[],
): Indexing {
  const indices = self.shape.map((_, d) => given[d] ?? null);
  const present = indices.filter((index) => index !== null);
  if (given.some((index) => index !== null && (index.dtype === "bool" || index.dtype === "uint8")))
    return cannot("indexing by a mask returns a data-dependent shape");
  if (present.length === 0) return cannot("it has no index");
  const shape = broadcastShape(present.map((index) => index.shape));
  const first = indices.findIndex((index) => index !== null);
  const isTogether = indices.slice(first, first + present.length).every((index) => index !== null);
  const wide = indices.map((index) =>
    index === null ? null : call.context.many(broadcastTo(index, call, shape), 2),
  );
  return { indices: wide, shape, at: isTogether ? first : 0 };
}
/** Extents of 1 give way to others. */
function broadcastShape(shapes: readonly (readonly Index[])[]): Index[] {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, d) => {
    const extents = shapes.map((shape) => shape[d - rank + shape.length] ?? ONE);
    return extents.find((extent) => !same(extent, ONE)) ?? ONE;
  });
}
/**
 * Coordinates of the result from those of the index tensors and the dimensions that are taken
 * whole.
 */
export const resultAt = ({ at }: Indexing, source: readonly Index[], rest: readonly Index[]): Index[] => [
  ...rest.slice(0, at),
  ...source,
  ...rest.slice(at),
];
