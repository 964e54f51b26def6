/** @file Parts of a batch that `torch.vmap` computes one after another (`chunk_size`). */
import { describeValue } from "@sconce/errors";
import { flattenValue, unflattenTree } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { callOperator } from "../trace/dispatch.js";
import { badVmap } from "./errors.js";

/** A tensor with the dimension of its items, or what is the same for all items. */
export interface Leaf {
  readonly value: unknown;
  /** The dimension of the items; null where all share the value. */
  readonly dim: number | null;
}

/** Refuses numbers of items that are not whole, or not above 0. */
export function requireChunkSize(size: unknown): asserts size is number | null {
  if (size === null || (typeof size === "number" && Number.isInteger(size) && size > 0)) return;
  throw badVmap(
    `chunk_size should be None or greater than 0. (got ${typeof size === "number" ? size : describeValue(size)})`,
    "use a whole number above 0, or leave `chunkSize` out",
  );
}

interface Chunks {
  readonly leaves: readonly Leaf[];
  readonly count: number;
  readonly size: number;
}
/**
 * Runs parts of a batch, and joins their results along the dimensions of the items.
 *
 * @param run gives the results of a part with so many items
 * @param dimsOf gives the dimension of the items for each leaf of the results
 */
export function inChunks(
  { leaves, count, size }: Chunks,
  run: (leaves: Leaf[], count: number) => unknown,
  dimsOf: (result: unknown) => readonly (number | null)[],
): unknown {
  const ends: number[] = [];
  for (let end = size; end < count; end += size) ends.push(end);
  ends.push(count);
  const parts = leaves.map(({ value, dim }) =>
    dim === null
      ? undefined
      : (callOperator("aten.tensor_split.indices", [
          value as Tensor,
          ends,
          ...axis(dim),
        ]) as readonly Tensor[]),
  );
  const results = ends.map((end, i) => {
    const own = leaves.map(({ value, dim }, at): Leaf => ({ value: parts[at]?.[i] ?? value, dim }));
    return run(own, end - (ends[i - 1] ?? 0));
  });
  const made = results.map((result) => flattenValue(result));
  const { spec, leaves: first } = made[0]!;
  const dims = dimsOf(results[0]);
  const joined = first.map((_, at) => {
    const dim = dims[at]!;
    if (dim === null)
      throw badVmap(
        "cat(): argument 'dim' must be int, not NoneType",
        "use a dimension in `outDims`, or leave `chunkSize` out",
      );
    return callOperator("aten.cat.default", [made.map((part) => part.leaves[at] as Tensor), ...axis(dim)]);
  });
  return unflattenTree(joined, spec);
}

/** Returns a dimension as an argument, which is left out where it is the default. */
const axis = (dim: number): number[] => (dim === 0 ? [] : [dim]);
