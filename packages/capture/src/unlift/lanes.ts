/**
 * @file Regions of `vmap` in graphs, which a generic `associativeScan` records: their calls compute
 * one item of a batch, and run once for each item.
 */
import type { Node } from "@sconce/ir";
import { HOST_TENSORS } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";

const LANES = "torch._functorch.predispatch.";
const BEGIN = `${LANES}_vmap_increment_nesting`;
const END = `${LANES}_vmap_decrement_nesting`;

/** Takes one item of a batch: `(batch, dimension, level)`. */
export const ADD_LANES = `${LANES}_add_batch_dim`;
/** Puts the items behind each other: `(item, level, count, dimension)`. */
const REMOVE_LANES = `${LANES}_remove_batch_dim`;

/** Whether a call belongs to `vmap`. */
export const isLaneCall = (target: string): boolean => target.startsWith(LANES);

/** Whether a call opens a region; its first argument is the number of items. */
export const opensLanes = ({ target }: Node): boolean => target === BEGIN;

/** The index of the call that closes the region that is opened at `start`; -1 without one. */
export function lanesEnd(nodes: readonly Node[], start: number): number {
  let depth = 0;
  for (let i = start; i < nodes.length; i++) {
    const { target } = nodes[i]!;
    if (target === BEGIN) depth++;
    if (target === END && --depth === 0) return i;
  }
  return -1;
}

/** The calls of a region that give its results; those of regions inside of it are others. */
export const lanesResults = (region: readonly Node[], level: number): readonly Node[] =>
  region.filter(({ target, args }) => target === REMOVE_LANES && args[1] === level);

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
  const results = lanesResults(region, lanes.length + 1).map((node) => ({ node, items: [] as Tensor[] }));
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

/** A call inside of a region: a batch becomes its item, and an item stays as it is. */
export function laneCall(target: string, args: readonly unknown[]): unknown {
  if (target === ADD_LANES)
    return HOST_TENSORS.select(args[0] as Tensor, Number(args[1]), lanes[Number(args[2]) - 1]!);
  return target === REMOVE_LANES ? args[0] : null;
}
