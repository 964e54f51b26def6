/**
 * @file Sorting: rows are sorted by (key, place) in shared memory, longer ones in blocks whose
 * elements are then counted by binary search. Element by element each element would be compared
 * with all others.
 */

import { isFloatDType } from "@sconce/tensor";
import { type Placing, placingOf, type Rank, rankOf } from "../analysis/order.js";
import { extentOf, volumeOf } from "../ir/extents.js";
import { add, atom, axis, constant, scale } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import { Rewriter } from "../ir/rewrite.js";
import type { Axis, Scalar } from "../ir/terms.js";
import { readsOf } from "../ir/traverse.js";
import {
  indexLiteral,
  type Kernel,
  type KernelMemory,
  type KernelOperand,
  literal,
} from "../kernel/kernel.js";
import type { Target } from "../kernel/target.js";
import { KernelFrame, type Schedule, type ScheduleContext, SHARED_THREADS } from "./frame.js";

/**
 * Elements that are sorted together, of two words each: half of the workgroup memory that WebGPU
 * guarantees, so that two groups fit.
 */
const BLOCK = 1024;
/** Rows up to this length are ranked element by element. */
const SHORT = 64;
/**
 * With the output and what the two passes share they make the eight buffers that WebGPU guarantees.
 */
const MOST_READS = 6;

/** The place of each row's elements in memory: `start + place * step`. */
interface Rows {
  readonly length: number;
  readonly count: number;
  readonly step: number;
  /** The axes that rows do not run along. */
  readonly others: readonly Axis[];
}
function rowsAlong({ axes }: LoopNest, along: Axis): Rows {
  const others = axes.filter((one) => one !== along);
  const step = volumeOf(axes.slice(axes.indexOf(along) + 1));
  return { length: extentOf(along), count: volumeOf(others), step, others };
}
/** Where a row starts in a tensor of rows of so many elements. */
function startOf(frame: KernelFrame, row: KernelOperand, length: number, step: number): KernelOperand {
  if (step === 1) return frame.place(row, length);
  return frame.place(frame.over(row, step), length * step, frame.modulo(row, step));
}
/** Returns the row of a flat place in a tensor of rows of so many elements. */
function rowOf(frame: KernelFrame, flat: KernelOperand, length: number, step: number): KernelOperand {
  const outer = frame.over(flat, length * step);
  return step === 1 ? outer : frame.place(outer, step, frame.modulo(flat, step));
}

/** Returns the least power of two that is not less. */
const powerFor = (length: number): number => 2 ** Math.ceil(Math.log2(length));

/**
 * Returns the kernels of a nest that sorts; undefined for others, and where element by element is
 * as good: for short rows, and to rank in software, where workgroup memory is slow and takes
 * seconds to compile.
 */
export function sortSchedule(nest: LoopNest, context: ScheduleContext): Schedule | undefined {
  const place = placeSchedule(nest, context);
  if (place !== undefined) return { kernel: place };
  const rank = rankOf(nest);
  if (rank === undefined || !isShared(rank, context.target)) return undefined;
  const rows = rowsAlong(nest, rank.axis);
  if (rows.length <= BLOCK) return { kernel: sortKernel(nest, context, rank, rows) };
  if (readsOf(nest.value).size > MOST_READS) return undefined;
  const blocks = Math.ceil(rows.length / BLOCK);
  return {
    kernel: countKernel(nest, context, rank, rows),
    first: sortKernel(nest, context, rank, rows, blocks),
  };
}
const isShared = (rank: Rank, { isHardware }: Target): boolean =>
  extentOf(rank.axis) > SHORT && isHardware === true;

/**
 * Steps of a sort that count as one iteration: the host takes over ten times as long to sort an
 * element (0.4 µs) as to scatter one, by which iterations are measured.
 */
const STEPS_OF_ITERATION = 8;

/** Returns the kernel of a nest that looks for the places of ranks; undefined for other nests. */
export function placeSchedule(nest: LoopNest, context: ScheduleContext): Kernel | undefined {
  const placing = placingOf(nest);
  return placing && placeKernel(nest, context, placing);
}

/** Iterations of loops of the kernels above; undefined where there is none. */
export function sortIterations(nest: LoopNest, target: Target): number | undefined {
  const placing = placingOf(nest);
  if (placing !== undefined) return (volumeOf(nest.axes) / extentOf(placing.axis)) * extentOf(placing.along);
  const rank = rankOf(nest);
  if (rank === undefined || !isShared(rank, target)) return undefined;
  const length = extentOf(rank.axis);
  const depth = Math.log2(powerFor(Math.min(length, BLOCK)));
  const sorting = (depth * (depth + 1)) / 2;
  const blocks = Math.ceil(length / BLOCK);
  const counting = blocks > 1 ? blocks * Math.log2(BLOCK) : 0;
  return (volumeOf(nest.axes) * (sorting + counting)) / STEPS_OF_ITERATION;
}

/** An element that is ordered: by its key, then by its place. */
interface Entry {
  readonly key: KernelOperand;
  readonly place: KernelOperand;
}
function comesBefore(frame: KernelFrame, a: Entry, b: Entry): KernelOperand {
  const [less, same] = [frame.op("lt", "bool", [a.key, b.key]), frame.op("eq", "bool", [a.key, b.key])];
  const isEarlier = frame.op("and", "bool", [same, frame.op("lt", "bool", [a.place, b.place])]);
  return frame.op("or", "bool", [less, isEarlier]);
}

/** Returns the order of a value as an integer. */
function keyOf(frame: KernelFrame, value: Scalar, descending: boolean): KernelOperand {
  const own = frame.scalar(value);
  const key = frame.op(isFloatDType(value.dtype) ? "order" : "cast", "index", [own]);
  return descending ? frame.op("bitwise_not", "index", [key]) : key;
}

/** Memory that both passes share: each element of a block in order as its key and its place. */
const scratchOf = (frame: KernelFrame, { count, length }: Rows): KernelMemory =>
  frame.memory({
    name: "blocks",
    space: "global",
    access: "read_write",
    type: "index",
    length: 2 * count * Math.ceil(length / BLOCK) * BLOCK,
  });
/** Reads come in one order in both passes. */
function frameOf(nest: LoopNest, context: ScheduleContext): KernelFrame {
  const frame = new KernelFrame(context);
  for (const id of readsOf(nest.value)) frame.buffer(id);
  return frame;
}

/**
 * Returns a kernel with a workgroup for each block: its elements are put in order, and each gets
 * its rank, or goes to memory that passes share.
 */
function sortKernel(nest: LoopNest, context: ScheduleContext, rank: Rank, rows: Rows, blocks = 1): Kernel {
  const { length, count, step, others } = rows;
  const size = powerFor(Math.min(length, BLOCK));
  const width = Math.min(SHARED_THREADS, size / 2);
  const frame = frameOf(nest, context);
  const output = frame.output(nest.output);
  const scratch = blocks > 1 ? scratchOf(frame, rows) : undefined;
  const block: Entries = {
    keys: frame.shared("keys", "index", size),
    places: frame.shared("places", "index", size),
  };
  const [number, counter] = [axis("block", constant(blocks)), axis("element", constant(size))];
  const place = add(scale(atom(number), BLOCK), atom(counter));
  const value = new Rewriter({ axes: new Map([[rank.axis.name, place]]) }).scalar(rank.value);
  return frame.workgroups(count * blocks, width, (group) => {
    frame.defineAxis(number.name, () => frame.modulo(group, blocks));
    frame.defineCoordinates(others, () => frame.over(group, blocks));
    const each = { start: frame.local, end: indexLiteral(size), step: width };
    frame.loop({ ...each, axis: counter.name }, (q) => {
      const at = frame.index(place);
      frame.store(block.places, q, at);
      frame.store(block.keys, q, literal(Number.POSITIVE_INFINITY, "index"));
      frame.when(frame.isBelow(at, length), () =>
        frame.store(block.keys, q, keyOf(frame, value, rank.descending)),
      );
    });
    frame.barrier();
    writeSort(frame, block, size, width);
    const start = startOf(frame, frame.over(group, blocks), length, step);
    frame.loop(each, (q) => {
      const place = frame.load(block.places, q);
      if (scratch === undefined)
        frame.when(frame.isBelow(place, length), () => {
          const at = frame.op("add", "index", [start, frame.place(place, step)]);
          frame.store(output, at, frame.op("cast", output.type, [q]));
        });
      else {
        const at = frame.place(frame.place(group, BLOCK, q), 2);
        frame.store(scratch, at, frame.load(block.keys, q));
        frame.store(scratch, frame.op("add", "index", [at, indexLiteral(1)]), place);
      }
    });
  });
}

/** Keys and places of a block. */
interface Entries {
  readonly keys: KernelMemory;
  readonly places: KernelMemory;
}
function entryAt(frame: KernelFrame, { keys, places }: Entries, at: KernelOperand): Entry {
  return { key: frame.load(keys, at), place: frame.load(places, at) };
}

/**
 * Bitonic: pairs are put in order, rising and falling alternately, until one rising row is left (K.
 * Batcher, 1968).
 */
function writeSort(frame: KernelFrame, block: Entries, size: number, width: number): void {
  const put = (at: KernelOperand, { key, place }: Entry): void => {
    frame.store(block.keys, at, key);
    frame.store(block.places, at, place);
  };
  const span = frame.variable("index", indexLiteral(2));
  frame.forever(() => {
    frame.breakIf(frame.op("gt", "bool", [span, indexLiteral(size)]));
    frame.halving(frame.over(span, 2), (half) => {
      const mask = frame.op("sub", "index", [half, indexLiteral(1)]);
      frame.loop({ start: frame.local, end: indexLiteral(size / 2), step: width }, (pair) => {
        const low = frame.op("sub", "index", [
          frame.place(pair, 2),
          frame.op("bitwise_and", "index", [pair, mask]),
        ]);
        const high = frame.op("add", "index", [low, half]);
        const [a, b] = [entryAt(frame, block, low), entryAt(frame, block, high)];
        const falls = frame.op("bitwise_and", "index", [low, span]);
        const isRising = frame.op("eq", "bool", [falls, indexLiteral(0)]);
        frame.when(frame.op("eq", "bool", [comesBefore(frame, b, a), isRising]), () => {
          put(low, b);
          put(high, a);
        });
      });
    });
    frame.assign(span, frame.place(span, 2));
  });
}

/**
 * Returns a kernel with a thread for each element, which counts how many come before it, from each
 * block of its row in order.
 */
function countKernel(nest: LoopNest, context: ScheduleContext, rank: Rank, rows: Rows): Kernel {
  const { length, step } = rows;
  const blocks = Math.ceil(length / BLOCK);
  const frame = frameOf(nest, context);
  const output = frame.output(nest.output);
  const scratch = scratchOf(frame, rows);
  return frame.threads(volumeOf(nest.axes), (flat) => {
    frame.defineCoordinates(nest.axes, () => flat);
    const own = {
      key: keyOf(frame, rank.value, rank.descending),
      place: frame.modulo(frame.over(flat, step), length),
    };
    const first = frame.place(rowOf(frame, flat, length, step), blocks);
    const count = frame.variable("index", indexLiteral(0));
    frame.loop({ end: indexLiteral(blocks) }, (at) => {
      const base = frame.place(frame.op("add", "index", [first, at]), BLOCK);
      const left = frame.op("sub", "index", [indexLiteral(length), frame.place(at, BLOCK)]);
      const low = frame.variable("index", indexLiteral(0));
      const high = frame.variable("index", frame.op("min", "index", [indexLiteral(BLOCK), left]));
      frame.forever(() => {
        frame.breakIf(frame.op("ge", "bool", [low, high]));
        const middle = frame.over(frame.op("add", "index", [low, high]), 2);
        const at = frame.place(frame.op("add", "index", [base, middle]), 2);
        const place = frame.load(scratch, frame.op("add", "index", [at, indexLiteral(1)]));
        const other = { key: frame.load(scratch, at), place };
        frame.when(
          comesBefore(frame, other, own),
          () => frame.assign(low, frame.op("add", "index", [middle, indexLiteral(1)])),
          () => frame.assign(high, middle),
        );
      });
      frame.assign(count, frame.op("add", "index", [count, low]));
    });
    frame.store(output, flat, frame.op("cast", output.type, [count]));
  });
}

/**
 * Returns a kernel with a thread for each place, which it puts where its rank is: ranks are there
 * once, so that no two meet.
 */
function placeKernel(nest: LoopNest, context: ScheduleContext, placing: Placing): Kernel {
  const { along, reduce, rank } = placing;
  const { length, step } = rowsAlong(nest, placing.axis);
  const axes = nest.axes.map((one) => (one === placing.axis ? along : one));
  const frame = new KernelFrame(context);
  const output = frame.output(nest.output);
  return frame.threads(volumeOf(axes), (flat) => {
    frame.defineCoordinates(axes, () => flat);
    const place = frame.op("cast", "index", [frame.scalar(rank)]);
    const isThere = frame.op("and", "bool", [
      frame.op("ge", "bool", [place, indexLiteral(0)]),
      frame.isBelow(place, length),
    ]);
    frame.when(isThere, () => {
      frame.known(reduce, frame.scalar(reduce.body));
      const start = startOf(frame, rowOf(frame, flat, extentOf(along), step), length, step);
      const at = frame.op("add", "index", [start, frame.place(place, step)]);
      frame.store(output, at, frame.scalar(nest.value));
    });
  });
}
