/**
 * @file Whether loads of windows and joined tensors lie inside of their operands, at sizes of a
 * run.
 */
import { type GuardedLoad, IndexRanges, isLoadInside } from "@sconce/codegen";

/** A load whose sizes are positions in a list of numbers. */
export interface PlannedLoad extends GuardedLoad {
  readonly limit: GuardedLoad["index"];
}

/** Returns whether a load is inside. */
export function inside({ limit, ...load }: PlannedLoad, sizes: readonly number[]): boolean {
  const ranges = new IndexRanges({ size: (expr) => sizes[Number(expr)] ?? Number.NaN });
  return isLoadInside(load, ranges.exact(limit), ranges);
}
