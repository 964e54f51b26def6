/** @file Ranks of targets that run units: each row is sorted by merging, with its places. */
import { isFloatDType } from "@sconce/tensor";
import { type Rank, rankOf } from "../analysis/order.js";
import { extentOf, extentsOf, volumeOf } from "../ir/extents.js";
import { atom, flatIndex } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import {
  indexLiteral,
  type Kernel,
  type KernelMemory,
  type KernelOperand,
  type KernelVariable,
} from "../kernel/kernel.js";
import type { Target } from "../kernel/target.js";
import { KernelFrame, type ScheduleContext } from "./frame.js";

/**
 * Rows of which up to so many first elements are read insert each element among them, which is
 * cheap where few come before the last one.
 */
const MOST_SELECTED = 64;

/**
 * Returns whether a target finds the first elements of a nest's rows in one pass, without sorting
 * the rows.
 */
export function selectsFirst(nest: LoopNest, { threads }: Pick<Target, "threads">): boolean {
  const rank = threads === "units" ? rankOf(nest) : undefined;
  return rank !== undefined && firstOf(rank) !== undefined;
}
/** Returns how many elements of a row are selected; undefined where the row is sorted. */
const firstOf = ({ axis, first }: Rank): number | undefined =>
  first !== undefined && first > 0 && first <= MOST_SELECTED && first < extentOf(axis) ? first : undefined;

/** Returns the kernel of a nest that ranks the elements of rows; undefined for other nests. */
export function unitSort(nest: LoopNest, context: ScheduleContext): Kernel | undefined {
  const rank = rankOf(nest);
  if (rank === undefined) return undefined;
  const { axis, value, descending } = rank;
  const length = extentOf(axis);
  const limit = firstOf(rank);
  const frame = new KernelFrame(context);
  const output = frame.output(nest.output);
  const others = nest.axes.filter((one) => one !== axis);
  const own = { space: "private", access: "read_write", length: limit ?? 2 * length } as const;
  const entries: Entries = {
    keys: frame.memory({ ...own, name: "keys", type: value.dtype }),
    places: frame.memory({ ...own, name: "places", type: "index" }),
    isFloat: isFloatDType(value.dtype),
    descending,
  };
  const place = flatIndex(nest.axes.map(atom), extentsOf(nest.axes));
  return frame.units(volumeOf(others), (unit) => {
    frame.defineCoordinates(others, () => unit);
    const write = (at: KernelOperand, rank: KernelOperand): void =>
      frame.loop({ axis: axis.name, start: at, end: frame.op("add", "index", [at, indexLiteral(1)]) }, () =>
        frame.store(output, frame.index(place), frame.op("cast", output.type, [rank])),
      );
    if (limit !== undefined) {
      frame.loop({ axis: axis.name, end: indexLiteral(length) }, () =>
        frame.store(output, frame.index(place), frame.op("cast", output.type, [indexLiteral(limit)])),
      );
      const count = frame.variable("index", indexLiteral(0));
      frame.loop({ axis: axis.name, end: indexLiteral(length) }, (at) =>
        writeChoice(frame, entries, { limit, count, key: frame.scalar(value), at }),
      );
      frame.loop({ end: indexLiteral(limit) }, (rank) =>
        write(frame.variable("index", frame.load(entries.places, rank)), rank),
      );
      return;
    }
    frame.loop({ axis: axis.name, end: indexLiteral(length) }, (at) => {
      frame.store(entries.keys, at, frame.scalar(value));
      frame.store(entries.places, at, at);
    });
    const sorted = writeMerges(frame, entries, length);
    frame.loop({ end: indexLiteral(length) }, (rank) => {
      const from = frame.load(entries.places, frame.op("add", "index", [sorted, rank]));
      write(frame.variable("index", from), rank);
    });
  });
}

/** An element that may be one of the first. */
interface Choice {
  readonly limit: number;
  readonly count: KernelVariable;
  readonly key: KernelOperand;
  readonly at: KernelOperand;
}
/** Inserts an element among the first ones, where it comes before the last of them. */
function writeChoice(frame: KernelFrame, entries: Entries, { limit, count, key, at }: Choice): void {
  const { keys, places } = entries;
  const [one, last] = [indexLiteral(1), indexLiteral(limit - 1)];
  const before = (index: KernelOperand): KernelOperand => frame.op("sub", "index", [index, one]);
  const hasRoom = frame.isBelow(count, limit);
  const comes = comesBefore(frame, entries, key, frame.load(keys, last));
  frame.when(frame.op("or", "bool", [hasRoom, comes]), () => {
    const slot = frame.variable("index", frame.op("min", "index", [count, last]));
    frame.forever(() => {
      frame.breakIf(frame.op("eq", "bool", [slot, indexLiteral(0)]));
      const other = frame.load(keys, before(slot));
      frame.breakIf(frame.op("not", "bool", [comesBefore(frame, entries, key, other)]));
      frame.store(keys, slot, other);
      frame.store(places, slot, frame.load(places, before(slot)));
      frame.assign(slot, before(slot));
    });
    frame.store(keys, slot, key);
    frame.store(places, slot, at);
    frame.assign(
      count,
      frame.op("min", "index", [frame.op("add", "index", [count, one]), indexLiteral(limit)]),
    );
  });
}

/** Two halves: one is merged into the other. */
interface Entries {
  readonly keys: KernelMemory;
  readonly places: KernelMemory;
  readonly isFloat: boolean;
  readonly descending: boolean;
}

/** Merges runs of one, two, four and so on; returns where the half with the result starts. */
function writeMerges(frame: KernelFrame, entries: Entries, length: number): KernelOperand {
  const end = indexLiteral(length);
  const from = frame.variable("index", indexLiteral(0));
  const width = frame.variable("index", indexLiteral(1));
  frame.forever(() => {
    frame.breakIf(frame.op("ge", "bool", [width, end]));
    const to = frame.op("sub", "index", [end, from]);
    const low = frame.variable("index", indexLiteral(0));
    frame.forever(() => {
      frame.breakIf(frame.op("ge", "bool", [low, end]));
      const middle = frame.op("min", "index", [frame.op("add", "index", [low, width]), end]);
      const high = frame.op("min", "index", [frame.op("add", "index", [middle, width]), end]);
      writeMerge(frame, entries, { from, to, low, middle, high });
      frame.assign(low, high);
    });
    frame.assign(from, to);
    frame.assign(width, frame.op("add", "index", [width, width]));
  });
  return from;
}

interface Runs {
  readonly from: KernelOperand;
  readonly to: KernelOperand;
  readonly low: KernelOperand;
  readonly middle: KernelOperand;
  readonly high: KernelOperand;
}
/** Merges two runs next to each other. Of equals those of the first come first. */
function writeMerge(frame: KernelFrame, entries: Entries, { from, to, low, middle, high }: Runs): void {
  const { keys, places } = entries;
  const add = (a: KernelOperand, b: KernelOperand): KernelOperand => frame.op("add", "index", [a, b]);
  const [a, b] = [frame.variable("index", low), frame.variable("index", middle)];
  frame.loop({ start: low, end: high }, (at) => {
    // The second run may be at its end, where what lies behind it is read and not taken.
    const [first, second] = [frame.load(keys, add(from, a)), frame.load(keys, add(from, b))];
    const isLeft = frame.isBelow(a, middle);
    const isRight = frame.isBelow(b, high);
    const isGone = frame.op("not", "bool", [isLeft]);
    const comes = frame.op("or", "bool", [isGone, comesBefore(frame, entries, second, first)]);
    const isSecond = frame.op("and", "bool", [isRight, comes]);
    const source = frame.op("select", "index", [isSecond, b, a]);
    const [here, there] = [add(from, source), add(to, at)];
    frame.store(keys, there, frame.op("select", keys.type, [isSecond, second, first]));
    frame.store(places, there, frame.load(places, here));
    const one = indexLiteral(1);
    frame.assign(b, add(b, frame.op("select", "index", [isSecond, one, indexLiteral(0)])));
    frame.assign(a, add(a, frame.op("select", "index", [isSecond, indexLiteral(0), one])));
  });
}
/** Returns whether a key comes before another one: NaN counts as the greatest. */
function comesBefore(
  frame: KernelFrame,
  { isFloat, descending }: Entries,
  key: KernelOperand,
  other: KernelOperand,
): KernelOperand {
  const plain = frame.op(descending ? "gt" : "lt", "bool", [key, other]);
  if (!isFloat) return plain;
  const [greatest, rest] = descending ? [key, other] : [other, key];
  const isNumber = frame.op("not", "bool", [frame.op("isnan", "bool", [rest])]);
  const isGreatest = frame.op("and", "bool", [frame.op("isnan", "bool", [greatest]), isNumber]);
  return frame.op("or", "bool", [plain, isGreatest]);
}
