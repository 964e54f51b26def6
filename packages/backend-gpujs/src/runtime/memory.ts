/** @file The memory that the kernels of a region take, before any of them is made. */
import { bytesOf, type LoopNest, type LoopProgram, lifetimesOf } from "@sconce/codegen";
import { type Graph, nodePlace } from "@sconce/ir";
import { outOfMemory } from "@sconce/ops";
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
 * @throws SconceError `OUT_OF_MEMORY` with the node
 */
export function requireMemory(
  loops: LoopProgram,
  sizes: Bindings,
  { maxBytes, graph }: RegionMemory,
  inUse: number,
): void {
  const lifetimes = lifetimesOf(loops);
  const ending = new Map<number, number>();
  let live = inUse;
  lifetimes.forEach(({ buffer, to }, at) => {
    const bytes = bytesOf(loops.buffers[buffer]!, sizes);
    if (live + bytes > maxBytes) throw tooLarge(loops.nests[at]!, bytes, live, maxBytes, graph);
    live += bytes;
    ending.set(to, (ending.get(to) ?? 0) + bytes);
    live -= ending.get(at) ?? 0;
  });
}

const tooLarge = (nest: LoopNest, bytes: number, live: number, maxBytes: number, graph: Graph) => {
  const node = graph.find(nest.nodes.at(-1) ?? "");
  return outOfMemory(
    `cannot allocate ${bytes} bytes on the device: ${bytes} bytes are more than the ${maxBytes - live} bytes that are left of maxBytes`,
    node === undefined ? `nodes ${nest.nodes.join(", ")}` : nodePlace(node),
  );
};
