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
type Item = { -readonly [key in keyof Place]: Place[key] } & { readonly from: number; to: number };

/** Bytes of a buffer. */
export const bytesOf = (
  { dtype, shape }: LoopBuffer,
  sizes: Bindings = new Map(),
  elementBytes = dtypeInfo(dtype).itemSize,
): number => shape.reduce((total, extent) => total * sizeOf(extent, sizes), elementBytes);

/** Returns each nest as a step. */
const stepsOf = ({ nests }: LoopProgram): MemoryStep[] =>
  nests.map(({ output, value }) => ({ reads: readsOf(value), writes: [output] }));

/** Values that are compared with those of other lifetimes, for each value of a program. */
const MOST_RIVALS = 128;

/**
 * Gives each value a place, the largest first ("greedy by size" of Pisarchyk and Lee, Efficient
 * Memory Management for Deep Neural Net Inference, 2020). In an arena it is the lowest offset that
 * is free while the value lives, else the smallest free slot. Where a great many values live at
 * once, the smallest of them take the places of values of the same size, so that a plan does not
 * take time in the square of its values.
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
  const { items, alive } = itemsOf(program, steps, dead, options);
  const pieces: number[] = [];
  const placed = new PlacedItems(steps.length);
  const sorted = [...items.values()].sort((a, b) => b.bytes - a.bytes || a.from - b.from);
  let left = sorted.length * MOST_RIVALS;
  for (const [at, item] of sorted.entries()) {
    if (left < 0) {
      placeByTime(sorted.slice(at), layout, pieces);
      break;
    }
    const rivals = placed.rivalsOf(item);
    left -= rivals.length + (pieces.length >> 4);
    if (layout === "arena") item.offset = lowestGap(item.bytes, rivals);
    else item.piece = smallestFree(pieces, rivals);
    pieces[item.piece] = Math.max(pieces[item.piece] ?? 0, item.offset + item.bytes);
    placed.add(item);
  }
  const peakBytes = pieces.reduce((total, bytes) => total + bytes, 0);
  const liveBytes = alive.reduce((most, bytes) => Math.max(most, bytes), 0);
  return { places: items, pieces, peakBytes, dead, alive, liveBytes };
}

/** Gives values places behind all others, by the time at which they are made. */
function placeByTime(items: readonly Item[], layout: "arena" | "slots", pieces: number[]): void {
  const free = new Map<number, Item[]>();
  const ending = [...items].sort((a, b) => a.to - b.to);
  let ended = 0;
  for (const item of [...items].sort((a, b) => a.from - b.from)) {
    for (; ending[ended]!.to < item.from; ended++) {
      const one = ending[ended]!;
      const known = free.get(one.bytes);
      if (known === undefined) free.set(one.bytes, [one]);
      else known.push(one);
    }
    const before = free.get(item.bytes)?.pop();
    if (before !== undefined) [item.piece, item.offset] = [before.piece, before.offset];
    else if (layout === "arena") item.offset = pieces[0] ?? 0;
    else item.piece = pieces.length;
    pieces[item.piece] = Math.max(pieces[item.piece] ?? 0, item.offset + item.bytes);
  }
}

/**
 * Returns the values that steps fill, without places yet, and the bytes that are alive at each
 * step.
 */
function itemsOf(
  { buffers }: LoopProgram,
  steps: readonly MemoryStep[],
  dead: MemoryPlan["dead"],
  { sizes, alignment = 64, elementBytes }: MemoryPlanOptions,
): { readonly items: Map<number, Item>; readonly alive: number[] } {
  const items = new Map<number, Item>();
  let now = 0;
  const alive = steps.map(({ writes }, from) => {
    for (const buffer of writes) {
      const bytes = Math.ceil(bytesOf(buffers[buffer]!, sizes, elementBytes) / alignment) * alignment;
      // Results live on.
      items.set(buffer, { from, to: steps.length, bytes, piece: 0, offset: 0 });
      now += bytes;
    }
    const most = now;
    for (const item of dead[from]!.flatMap((id) => items.get(id) ?? [])) {
      item.to = from;
      now -= item.bytes;
    }
    return most;
  });
  return { items, alive };
}

/** Steps of one window, under which the values that live in it are listed. */
const WINDOW = 64;

/** Values that have their places, found by the steps in which they live. */
class PlacedItems {
  readonly #byStart: readonly Item[][];
  readonly #byWindow: readonly Item[][];

  constructor(steps: number) {
    const lists = (count: number): Item[][] => Array.from({ length: count }, () => []);
    this.#byStart = lists(steps + 1);
    this.#byWindow = lists(steps / WINDOW + 1);
  }

  add(item: Item): void {
    this.#byStart[item.from]!.push(item);
    for (let at = Math.floor(item.from / WINDOW); at <= item.to / WINDOW; at++)
      this.#byWindow[at]!.push(item);
  }

  /**
   * Returns the values whose lifetimes overlap with one: alive where it starts, or started later.
   */
  rivalsOf({ from, to }: Item): Item[] {
    const there = this.#byWindow[Math.floor(from / WINDOW)]!;
    const rivals = there.filter((other) => other.from <= from && from <= other.to);
    for (let at = from + 1; at <= to; at++) rivals.push(...this.#byStart[at]!);
    return rivals;
  }
}

/** Returns the lowest offset at which so many bytes lie beside the rivals. */
function lowestGap(bytes: number, rivals: Item[]): number {
  let lowest = 0;
  for (const rival of rivals.sort((a, b) => a.offset - b.offset)) {
    if (lowest + bytes <= rival.offset) break;
    lowest = Math.max(lowest, rival.offset + rival.bytes);
  }
  return lowest;
}

/**
 * Returns the smallest slot without a rival, or a new one. Slots become smaller: the first fits
 * all.
 */
function smallestFree(slots: readonly number[], rivals: readonly Item[]): number {
  const isTaken = new Uint8Array(slots.length);
  for (const { piece } of rivals) isTaken[piece] = 1;
  const free = isTaken.lastIndexOf(0);
  return free < 0 ? slots.length : free;
}
