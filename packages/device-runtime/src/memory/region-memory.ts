/** @file The memory that the kernels of a region take, before any of them is made. */
import { type LoopProgram, type MemoryPlan, type MemoryStep, planMemory } from "@sconce/codegen";
import { type Graph, nodePlace } from "@sconce/ir";
import { atNode, overLimit } from "@sconce/ops";
import type { Bindings } from "@sconce/symbolic";
import type { Device, RegionStep } from "../device/device.js";

/** What bounds the memory of a region. */
export interface RegionMemory {
  /** Most bytes that the values of a run may take together. */
  readonly maxBytes: number;
  /** The graph that the region is a part of: errors name its nodes. */
  readonly graph: Graph;
}

/** Plans the memory of a region for one set of sizes. */
export const planRegion = (
  loops: LoopProgram,
  steps: readonly MemoryStep[],
  sizes: Bindings,
  device: Device,
): MemoryPlan =>
  planMemory(loops, {
    steps,
    sizes,
    ...(device.elementBytes !== undefined && { elementBytes: device.elementBytes }),
    ...("compileRegion" in device ? { layout: "arena" } : { layout: "slots", alignment: 16 }),
  });

/**
 * Refuses a region whose values do not fit.
 *
 * @param inUse bytes that other values of the run take
 * @throws SconceError `OUT_OF_MEMORY` with the node
 */
export function requireMemory(
  { alive, places }: MemoryPlan,
  steps: readonly RegionStep[],
  { maxBytes, graph }: RegionMemory,
  inUse: number,
): void {
  const at = alive.findIndex((bytes) => inUse + bytes > maxBytes);
  if (at < 0) return;
  const { writes, nests } = steps[at]!;
  const bytes = writes.reduce((total, id) => total + places.get(id)!.bytes, 0);
  const name = nests.at(-1)!.nodes.at(-1) ?? "";
  throw overLimit(bytes, maxBytes - inUse - alive[at]! + bytes, "on the device", nodePlace(graph.node(name)));
}

/**
 * Returns what a function gives that allocates memory.
 *
 * @param where the value that is made
 * @throws SconceError `OUT_OF_MEMORY`
 */
export function inMemory<T>(where: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof RangeError ? atNode(error, where) : error;
  }
}
