/**
 * @file Assigns the values of steps to places in memory. A place is free again after the last use
 * of its value.
 */
import { deadAfter } from "@sconce/ir";
import type { Bindings } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import { sizeOf } from "../evaluate/evaluate.js";
import type { LoopBuffer, LoopProgram } from "../ir/loop-program.js";
import { readsOf } from "../ir/traverse.js";

/** What runs at once: a nest, or several that are one kernel. */
export interface MemoryStep {
  /** Buffers that it reads. */
  readonly reads: Iterable<number>;
  /** Buffers that it fills. Values that do not leave the step are not among them. */
  readonly writes: readonly number[];
}

/** Where a buffer lies. */
export interface Place {
  /** The piece of memory, by its position in {@link MemoryPlan.pieces}. */
  readonly piece: number;
  /** Bytes before it in the piece. */
  readonly offset: number;
  /** Bytes of its value, rounded up. */
  readonly bytes: number;
}

/** Where the buffers of steps lie, and when they are needed. */
export interface MemoryPlan {
  /** Places of the buffers that steps fill. */
  readonly places: ReadonlyMap<number, Place>;
  /** Bytes of each piece of memory: of the slots, or of the one arena. */
  readonly pieces: readonly number[];
  /** Bytes of all pieces. */
  readonly peakBytes: number;
  /** For each step the buffers that no later step uses, inputs too. Results are in none. */
  readonly dead: readonly (readonly number[])[];
  /** Bytes that are alive while each step runs, without inputs. */
  readonly alive: readonly number[];
  /** The most bytes that are alive at once: no plan needs less. */
  readonly liveBytes: number;
}

/** What a memory plan takes into account. */
export interface MemoryPlanOptions {
  /** The steps in their order; by default each nest is one. */
  readonly steps?: readonly MemoryStep[];
  /** Values of symbols in sizes. */
  readonly sizes?: Bindings;
  /**
   * `arena`, the default: values share one piece of memory, each at an offset. `slots`: a value has
   * a piece to itself while it lives, for devices whose kernels take whole buffers.
   */
  readonly layout?: "arena" | "slots";
  /** Bytes of values are rounded up to a multiple of it. Default: 64, a line of a cache. */
  readonly alignment?: number;
  /** Bytes of an element of any dtype. Default: as many as the dtype takes on the host. */
  readonly elementBytes?: number;
}

/** A value of the plan, from the step that fills it to the last that uses it, both included. */
interface Item {
  readonly buffer: number;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** Each nest as a step. */
const stepsOf = ({ nests }: LoopProgram): MemoryStep[] =>
  nests.map(({ output, value }) => ({ reads: readsOf(value), writes: [output] }));

/** Bytes of a buffer. */
export const bytesOf = (
  { dtype, shape }: LoopBuffer,
  sizes: Bindings = new Map(),
  elementBytes = dtypeInfo(dtype).itemSize,
): number => shape.reduce((total, extent) => total * sizeOf(extent, sizes), elementBytes);

/**
 * Gives each value a place, the largest first ("greedy by size" of Pisarchyk and Lee, Efficient
 * Memory Management for Deep Neural Net Inference, 2020). In an arena it is the lowest offset that
 * is free while the value lives, else the smallest free slot.
 */
export function planMemory(program: LoopProgram, options: MemoryPlanOptions = {}): MemoryPlan {
  const { steps = stepsOf(program), layout = "arena" } = options;
  const results = program.outputs.flatMap((one) => (one.kind === "buffer" ? [one.buffer] : []));
  const dead = deadAfter<number>(
    steps.length,
    (at, use) => {
      for (const id of steps[at]!.reads) use(id);
      for (const id of steps[at]!.writes) use(id);
    },
    results,
  );
  const items = itemsOf(program, steps, dead, options);
  const pieces: number[] = [];
  const placed: (Item & Place)[] = [];
  for (const item of [...items].sort((a, b) => b.bytes - a.bytes || a.from - b.from)) {
    const rivals = placed.filter((other) => other.from <= item.to && item.from <= other.to);
    const offset = layout === "arena" ? lowestGap(item.bytes, rivals) : 0;
    const piece = layout === "arena" ? 0 : smallestFree(pieces, rivals);
    pieces[piece] = Math.max(pieces[piece] ?? 0, offset + item.bytes);
    placed.push({ ...item, piece, offset });
  }
  const alive = aliveAt(items, steps.length);
  return {
    places: new Map(placed.map(({ buffer, piece, offset, bytes }) => [buffer, { piece, offset, bytes }])),
    pieces,
    peakBytes: pieces.reduce((total, bytes) => total + bytes, 0),
    dead,
    alive,
    liveBytes: alive.reduce((most, bytes) => Math.max(most, bytes), 0),
  };
}

function itemsOf(
  { buffers }: LoopProgram,
  steps: readonly MemoryStep[],
  dead: MemoryPlan["dead"],
  { sizes, alignment = 64, elementBytes }: MemoryPlanOptions,
): Item[] {
  const last = new Map(dead.flatMap((ids, at) => ids.map((id) => [id, at])));
  return steps.flatMap(({ writes }, from) =>
    writes.map((buffer) => ({
      buffer,
      from,
      // Results live on.
      to: last.get(buffer) ?? steps.length,
      bytes: Math.ceil(bytesOf(buffers[buffer]!, sizes, elementBytes) / alignment) * alignment,
    })),
  );
}

/** The lowest offset at which so many bytes lie beside the rivals. */
function lowestGap(bytes: number, rivals: readonly (Item & Place)[]): number {
  let lowest = 0;
  for (const rival of [...rivals].sort((a, b) => a.offset - b.offset)) {
    if (lowest + bytes <= rival.offset) break;
    lowest = Math.max(lowest, rival.offset + rival.bytes);
  }
  return lowest;
}

/** The smallest slot without a rival, or a new one. Slots become smaller: the first fits all. */
function smallestFree(slots: readonly number[], rivals: readonly Place[]): number {
  const taken = new Set(rivals.map(({ piece }) => piece));
  for (let at = slots.length - 1; at >= 0; at--) if (!taken.has(at)) return at;
  return slots.length;
}

/** Bytes of the values that are alive at each step. */
function aliveAt(items: readonly Item[], steps: number): number[] {
  const change = new Float64Array(steps + 2);
  for (const { from, to, bytes } of items) {
    change[from]! += bytes;
    change[to + 1]! -= bytes;
  }
  let alive = 0;
  return Array.from(change.subarray(0, steps), (bytes) => (alive += bytes));
}
