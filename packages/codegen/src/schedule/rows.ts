/**
 * @file Nests over the same rows as one kernel. A row belongs to one or several threads of a
 * workgroup, its lanes, which fold what each of them has in shared memory. What comes of it stays
 * in registers, and only elements that something reads are stored.
 */

import { PLACE, ROW, type RowGroup, type RowPart } from "../analysis/row-groups.js";
import { withSumGroups } from "../analysis/sum-groups.js";
import { extentOf } from "../ir/extents.js";
import { add, atom, axis, constant, fixedValue, scale } from "../ir/index-expr.js";
import { Rewriter } from "../ir/rewrite.js";
import { apply, FALSE, indexScalar, type Scalar, select, TRUE } from "../ir/scalar.js";
import type { ReduceScalar } from "../ir/terms.js";
import { indexLiteral, type Kernel, type KernelMemory, type KernelOperand } from "../kernel/kernel.js";
import { KernelFrame, type ScheduleContext } from "./frame.js";
import { combined } from "./reductions.js";
import { type Kept, keptOf } from "./row-kept.js";

/** How rows are spread over threads. */
export interface RowSpread {
  /** Threads of a row, a power of two: its lanes. */
  readonly lanes: number;
  /** Threads of a workgroup, a multiple of the lanes. */
  readonly width: number;
  /** Whether threads next to each other have rows next to each other, not lanes of one row. */
  readonly isAcross: boolean;
  /**
   * Whether what takes long to compute is kept in the output until it is needed again; of one lane
   * only.
   */
  readonly isKept: boolean;
}

/** Returns the kernel of a group; it writes the stored parts, in order. */
export function rowKernel(group: RowGroup, context: ScheduleContext, spread: RowSpread): Kernel {
  const frame = new KernelFrame(context);
  // Long sums walk the places of a row in groups, so that none has one element to keep something
  // in.
  const isLong = group.parts.some(({ reduce }) => reduce !== undefined && withSumGroups(reduce) !== reduce);
  const kept = spread.isKept && !isLong ? keptOf(group.parts, context.program) : undefined;
  const writer = new RowWriter(frame, group, spread, kept);
  const { lanes, width } = spread;
  if (lanes === 1)
    return frame.threads(
      group.rows,
      (row) => {
        writer.write(row, indexLiteral(0), undefined);
      },
      width,
    );
  const perGroup = width / lanes;
  const [inGroup, lane] = spread.isAcross
    ? [frame.modulo(frame.local, perGroup), frame.over(frame.local, perGroup)]
    : [frame.over(frame.local, lanes), frame.modulo(frame.local, lanes)];
  const place = frame.place(frame.workgroup, perGroup, inGroup);
  // A barrier has to be met by all threads of a workgroup: rows beyond the last are computed as the
  // last once more, without being stored.
  const rows = fixedValue(group.rows)!;
  const count = Math.ceil(rows / perGroup);
  const isWhole = count * perGroup === rows;
  const row = isWhole ? place : frame.op("min", "index", [place, indexLiteral(rows - 1)]);
  const isThere = isWhole ? undefined : frame.isBelow(place, rows);
  return frame.workgroups(count, width, () => writer.write(row, lane, isThere));
}

const LANE = "lane";

class RowWriter {
  readonly #frame: KernelFrame;
  readonly #parts: readonly RowPart[];
  readonly #spread: RowSpread;
  readonly #kept: Kept | undefined;
  readonly #outputs: ReadonlyMap<RowPart, KernelMemory>;
  /** What is computed already. */
  readonly #known: Scalar[] = [];

  constructor(frame: KernelFrame, { parts }: RowGroup, spread: RowSpread, kept: Kept | undefined) {
    this.#frame = frame;
    this.#parts = parts;
    this.#spread = spread;
    this.#kept = kept;
    const stored = parts.filter(({ isStored }) => isStored);
    this.#outputs = new Map(
      stored.map((part) => [
        part,
        frame.output(part.nest.output, part === kept?.part ? "read_write" : "write"),
      ]),
    );
  }

  /** @param isThere whether the thread's row is one; always when left out */
  write(row: KernelOperand, lane: KernelOperand, isThere: KernelOperand | undefined): void {
    const frame = this.#frame;
    frame.defineAxis(ROW, () => row);
    frame.defineAxis(LANE, () => lane);
    if (this.#kept !== undefined) this.#keep(this.#kept);
    for (const [at, part] of this.#parts.entries()) {
      if (part.reduce === undefined) this.#where(isThere, () => this.#elements(part, lane));
      else this.#statistic(part, part.reduce, at, { row, lane, isThere });
    }
  }

  /** What a part has of each row, in every thread of the row. */
  #statistic(part: RowPart, reduce: ReduceScalar, at: number, { row, lane, isThere }: Place): void {
    const frame = this.#frame;
    const { lanes } = this.#spread;
    if (lanes > 1) this.#fold(reduce, at, lane);
    else this.#foldAlone(reduce);
    const value = frame.scalar(withSumGroups(part.value, [reduce, ...this.#known]));
    frame.known(part.value, value);
    this.#known.push(part.value);
    const output = this.#outputs.get(part);
    if (output === undefined) return;
    const isFirst = lanes === 1 ? undefined : frame.op("eq", "bool", [lane, indexLiteral(0)]);
    const isOwn =
      isFirst === undefined || isThere === undefined
        ? (isFirst ?? isThere)
        : frame.op("and", "bool", [isFirst, isThere]);
    this.#where(isOwn, () => frame.store(output, row, value));
  }

  /** The only lane of a row folds all of it. */
  #foldAlone(reduce: ReduceScalar): void {
    const grouped = withSumGroups(reduce, this.#known);
    if (grouped !== reduce) this.#frame.known(reduce, this.#frame.scalar(grouped));
  }

  /** Lanes fold every so manieth element, then what they have. */
  #fold(reduce: ReduceScalar, at: number, lane: KernelOperand): void {
    const frame = this.#frame;
    const { lanes, width, isAcross } = this.#spread;
    const parts = frame.shared(`parts${at}`, reduce.dtype, width);
    const own = withSumGroups(ownPart(reduce, at, lanes, this.#known), this.#known, lanes);
    frame.store(parts, frame.local, frame.scalar(own));
    frame.barrier();
    const stride = isAcross ? width / lanes : 1;
    frame.foldLanes(reduce, parts, lane, lanes, stride);
    const first = isAcross
      ? frame.modulo(frame.local, stride)
      : frame.place(frame.over(frame.local, lanes), lanes);
    const all = frame.load(parts, first);
    const { initial } = reduce;
    frame.known(reduce, initial === undefined ? all : combined(reduce, frame.scalar(initial), all, frame));
  }

  /** The elements of a row that a part gives. */
  #elements(part: RowPart, lane: KernelOperand): void {
    const frame = this.#frame;
    const output = this.#outputs.get(part)!;
    const range = { axis: PLACE, start: lane, end: frame.index(part.places), step: this.#spread.lanes };
    frame.loop(range, () => {
      const at = frame.index(part.at);
      if (this.#kept !== undefined) frame.known(this.#kept.inElements, frame.load(output, at));
      frame.store(output, at, frame.scalar(part.value));
    });
  }

  /** Has a value of a reduction stored where the element will be that needs it again. */
  #keep({ inReduction, part }: Kept): void {
    const output = this.#outputs.get(part)!;
    this.#frame.after(inReduction, (value) => this.#frame.store(output, this.#frame.index(part.at), value));
  }

  #where(test: KernelOperand | undefined, write: () => void): void {
    if (test === undefined) write();
    else this.#frame.when(test, write);
  }
}
/** Where a thread is. */
interface Place {
  readonly row: KernelOperand;
  readonly lane: KernelOperand;
  readonly isThere: KernelOperand | undefined;
}

/**
 * Returns what one lane folds by itself: every element that is as many lanes after another one of
 * its. `known` are values that rows have.
 */
function ownPart(reduce: ReduceScalar, at: number, lanes: number, known: readonly Scalar[]): ReduceScalar {
  const count = extentOf(reduce.axes[0]!);
  const step = axis(`step ${at}`, constant(Math.ceil(count / lanes)));
  const place = add(scale(atom(step), lanes), atom(axis(LANE, constant(lanes))));
  const rewriter = new Rewriter({
    axes: new Map([[PLACE, place]]),
    scalars: new Map(known.map((value) => [value, value])),
  });
  const isElement = apply("lt", indexScalar(place), indexScalar(constant(count)));
  const isTaken = reduce.when === undefined ? TRUE : rewriter.scalar(reduce.when);
  const test = count % lanes === 0 ? isTaken : select(isElement, isTaken, FALSE);
  const when = test === TRUE ? undefined : test;
  return { ...reduce, axes: [step], body: rewriter.scalar(reduce.body), when, initial: undefined };
}
