/** @file The memory that the kernels of a region take, before any of them is made. */
import { bytesOf, type LoopNest, type LoopProgram, lifetimesOf } from "@sconce/codegen";
import { type Graph, nodePlace } from "@sconce/ir";
import { overLimit } from "@sconce/ops";
import type { Bindings } from "@sconce/symbolic";

/** What bounds the memory of a region. */
export interface RegionMemory {
  /** Most bytes that the values of a run may take together. */
  readonly maxBytes: number;
  /** The graph that the region is a part of: errors name its nodes. */
  readonly graph: Graph;
}

/**
 * Refuses a region whose values do not fit: each takes its bytes from the kernel that computes it
 * to the last that reads it.
 *
 * @param inUse bytes that other values of the run take
 * @returns the most bytes that are taken at once
 * @throws SconceError `OUT_OF_MEMORY` with the node
 */
export function requireMemory(
  loops: LoopProgram,
  sizes: Bindings,
  { maxBytes, graph }: RegionMemory,
  inUse: number,
): number {
  const lifetimes = lifetimesOf(loops);
  const ending = new Map<number, number>();
  let [live, most] = [inUse, inUse];
  lifetimes.forEach(({ buffer, to }, at) => {
    const bytes = bytesOf(loops.buffers[buffer]!, sizes);
    if (live + bytes > maxBytes)
      throw overLimit(bytes, maxBytes - live, "on the device", placeOf(loops.nests[at]!, graph));
    live += bytes;
    most = Math.max(most, live);
    ending.set(to, (ending.get(to) ?? 0) + bytes);
    live -= ending.get(at) ?? 0;
  });
  return most;
}

const placeOf = ({ nodes }: LoopNest, graph: Graph): string => {
  const node = graph.find(nodes.at(-1) ?? "");
  return node === undefined ? `nodes ${nodes.join(", ")}` : nodePlace(node);
};
