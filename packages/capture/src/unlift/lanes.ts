/**
 * @file Runs the regions of `vmap` in graphs, which a generic `associativeScan` records: their
 * calls compute one item of a batch, and run once for each item.
 */
import type { Node } from "@sconce/ir";
import { HOST_TENSORS, isLaneResult, laneCall } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";

/** The items that run, those of outer regions first. */
const lanes: number[] = [];

/**
 * Runs a region for each item, and gives the values that leave it, by the names of their nodes.
 *
 * @param run computes the values of all calls of the region
 */
export function runLanes(
  region: readonly Node[],
  count: number,
  run: () => ReadonlyMap<string, unknown>,
): (readonly [name: string, value: Tensor])[] {
  const level = lanes.length + 1;
  const results = region
    .filter((node) => isLaneResult(node, level))
    .map((node) => ({ node, items: [] as Tensor[] }));
  for (let lane = 0; lane < count; lane++) {
    lanes.push(lane);
    try {
      const values = run();
      for (const { node, items } of results) items.push(values.get(node.name) as Tensor);
    } finally {
      lanes.pop();
    }
  }
  return results.map(({ node: { name, args, meta }, items }) => {
    const dim = Number(args[3]);
    return [name, items.length > 0 ? HOST_TENSORS.stack(items, dim) : HOST_TENSORS.empty(meta.val, dim)];
  });
}

/** Runs a call inside of a region: a batch becomes its item, and an item stays as it is. */
export const itemCall = (target: string, args: readonly unknown[]): unknown =>
  laneCall(target, args, lanes, HOST_TENSORS);
