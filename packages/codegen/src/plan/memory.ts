/**
 * @file Assigns values to places in one piece of memory. A place is free again after the last
 * reader of its value.
 */
import type { Bindings } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import { sizeOf } from "../evaluate/evaluate.js";
import type { LoopBuffer, LoopProgram } from "../ir/loop-program.js";
import { readsOf } from "../ir/traverse.js";

/** From the nest that writes a buffer to the last that reads it, both included. */
export interface Lifetime {
  /** The buffer, by its position. */
  readonly buffer: number;
  /** The position of the nest that writes it. */
  readonly from: number;
  /** The number of nests for results of the program. */
  readonly to: number;
}

/** Where each buffer lies in the memory that buffers share. */
export interface MemoryPlan {
  /** Byte offsets of the buffers that nests write. */
  readonly offsets: ReadonlyMap<number, number>;
  /** Bytes of the whole piece. */
  readonly peakBytes: number;
  /** The most bytes that are alive at once: no plan needs less. */
  readonly liveBytes: number;
}

/** What a memory plan takes into account. */
export interface MemoryPlanOptions {
  /** Values of symbols in sizes. */
  readonly sizes?: Bindings;
  /** Offsets are multiples of it; 64 when left out, a line of a cache. */
  readonly alignment?: number;
}

/** When each buffer that a nest writes is needed, in the order in which they are written. */
export function lifetimesOf(program: LoopProgram): Lifetime[] {
  const last = new Map<number, number>();
  program.nests.forEach((nest, at) => {
    last.set(nest.output, at);
    for (const read of readsOf(nest.value)) last.set(read, at);
  });
  for (const output of program.outputs)
    if (output.kind === "buffer") last.set(output.buffer, program.nests.length);
  return program.nests.map(({ output }, from) => ({ buffer: output, from, to: last.get(output)! }));
}

/** Bytes of a buffer. */
export function bytesOf({ dtype, shape }: LoopBuffer, sizes: Bindings = new Map()): number {
  return shape.reduce((total, extent) => total * sizeOf(extent, sizes), dtypeInfo(dtype).itemSize);
}

/**
 * Gives each value a place, the largest first, each at the lowest offset that is free while it
 * lives ("greedy by size" of Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net
 * Inference, 2020).
 */
export function planMemory(
  program: LoopProgram,
  { sizes = new Map(), alignment = 64 }: MemoryPlanOptions = {},
): MemoryPlan {
  const items = lifetimesOf(program).map((lifetime) => ({
    ...lifetime,
    bytes: Math.ceil(bytesOf(program.buffers[lifetime.buffer]!, sizes) / alignment) * alignment,
  }));
  const placed: ((typeof items)[number] & { readonly offset: number })[] = [];
  for (const item of [...items].sort((a, b) => b.bytes - a.bytes || a.from - b.from)) {
    const rivals = placed.filter((other) => other.from <= item.to && item.from <= other.to);
    let offset = 0;
    for (const rival of rivals.sort((a, b) => a.offset - b.offset)) {
      if (offset + item.bytes <= rival.offset) break;
      offset = Math.max(offset, rival.offset + rival.bytes);
    }
    placed.push({ ...item, offset });
  }
  return {
    offsets: new Map(placed.map(({ buffer, offset }) => [buffer, offset])),
    peakBytes: placed.reduce((peak, { offset, bytes }) => Math.max(peak, offset + bytes), 0),
    liveBytes: mostAlive(items, program.nests.length),
  };
}

function mostAlive(
  items: readonly { readonly from: number; readonly to: number; readonly bytes: number }[],
  nests: number,
): number {
  const change = new Float64Array(nests + 2);
  for (const { from, to, bytes } of items) {
    change[from]! += bytes;
    change[to + 1]! -= bytes;
  }
  let [alive, most] = [0, 0];
  for (const bytes of change) {
    alive += bytes;
    most = Math.max(most, alive);
  }
  return most;
}
