/**
 * @file Regions of `vmap` in graphs that were not lowered: their calls compute one lane of a batch,
 * and run once for each lane.
 */
import type { Node } from "@sconce/ir";
import type { TensorAccess } from "./tensor-access.js";

const PREDISPATCH = "torch._functorch.predispatch.";
const BEGIN = `${PREDISPATCH}_vmap_increment_nesting`;
const END = `${PREDISPATCH}_vmap_decrement_nesting`;
/** Takes the lane of a batch that runs: `(batch, dimension, level)`. */
export const ADD_LANES = `${PREDISPATCH}_add_batch_dim`;
/** Puts the lanes behind each other: `(lane, level, count, dimension)`. */
export const REMOVE_LANES = `${PREDISPATCH}_remove_batch_dim`;

/** Returns whether a call belongs to `vmap`. */
export const isLaneCall = (target: string): boolean => target.startsWith(PREDISPATCH);

/** Returns whether a call opens a region; its first argument is the number of lanes. */
export const opensLanes = (target: string): boolean => target === BEGIN;

/** Returns the index of the call that closes the region opened at `start`; -1 without one. */
export function lanesEnd(count: number, start: number, targetOf: (at: number) => string): number {
  let depth = 0;
  for (let i = start; i < count; i++) {
    const target = targetOf(i);
    if (target === BEGIN) depth++;
    if (target === END && --depth === 0) return i;
  }
  return -1;
}

/**
 * Returns whether a call gives a result of a region; those of regions inside of it are of other
 * levels.
 *
 * @param level counts the open regions, this one included
 */
export const isLaneResult = ({ target, args }: Node, level: number): boolean =>
  target === REMOVE_LANES && args[1] === level;

/**
 * Runs a call inside of a region: a batch becomes its lane, and a lane stays as it is.
 *
 * @param lanes the lanes that run, those of outer regions first
 */
export function laneCall<T>(
  target: string,
  args: readonly unknown[],
  lanes: readonly number[],
  tensors: TensorAccess<T>,
): T | null {
  if (target === ADD_LANES) return tensors.select(args[0] as T, Number(args[1]), lanes[Number(args[2]) - 1]!);
  return target === REMOVE_LANES ? (args[0] as T) : null;
}
