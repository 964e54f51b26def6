/**
 * @file Sums of products with a block of results in the registers of each thread: an element of a
 * factor is loaded once for all results of the block that need it, four at once where they lie so.
 */

import type { Contraction, ContractionSide } from "../analysis/contraction.js";
import { sumGroups } from "../analysis/sum-groups.js";
import { extentOf, volumeOf } from "../ir/extents.js";
import {
  type Axis,
  add,
  atom,
  axis,
  constant,
  coordinatesOf,
  divide,
  flatIndex,
  type Index,
  scale,
} from "../ir/index-expr.js";
import type { LoopNest, LoopProgram } from "../ir/loop-program.js";
import { Rewriter } from "../ir/rewrite.js";
import type { LoadScalar, Scalar } from "../ir/terms.js";
import {
  indexLiteral,
  type Kernel,
  type KernelOperand,
  type KernelVariable,
  literal,
} from "../kernel/kernel.js";
import { KernelFrame, type ScheduleContext } from "./frame.js";

type AxisMap = ReadonlyMap<string, Index>;

/** Blocks of 64 elements from which on blocks may be as large. */
const ENOUGH_BLOCKS = 8192;

/** How one side's elements are spread over blocks. */
interface Spread {
  readonly side: ContractionSide;
  /** Elements of one block. */
  readonly width: number;
  readonly blocks: number;
  /** Whether every block is full, with elements next to each other in the last axis. */
  readonly isWhole: boolean;
  readonly total: number;
}

/** Widths by how well they divide an extent: small enough for registers, four before others. */
const WIDTHS = [4, 8, 7, 6, 5, 3, 2];
function spreadOf(side: ContractionSide, isLarge: boolean): Spread {
  const total = volumeOf(side.axes);
  const last = side.axes.at(-1);
  const widths = isLarge ? [8, ...WIDTHS] : WIDTHS;
  const width = last === undefined ? 1 : widths.find((one) => extentOf(last) % one === 0);
  if (width !== undefined && (width > 3 || total <= 3))
    return { side, width, blocks: total / width, isWhole: true, total };
  const some = Math.min(4, total);
  return { side, width: some, blocks: Math.ceil(total / some), isWhole: false, total };
}

/**
 * Returns the kernel; undefined where blocks would hold one element or next to nothing is summed.
 */
export function blockedContraction(
  nest: LoopNest,
  contraction: Contraction,
  context: ScheduleContext,
): Kernel | undefined {
  const { reduce, inner, batch } = contraction;
  // Larger blocks load less for each product, as long as there are enough of them to keep a GPU
  // busy.
  const isLarge = context.target.isHardware === true && volumeOf(nest.axes) >= ENOUGH_BLOCKS * 64;
  const [rows, columns] = [spreadOf(contraction.rows, isLarge), spreadOf(contraction.columns, isLarge)];
  if (reduce.dtype !== "float32" || rows.width * columns.width < 4 || volumeOf(inner) < 4) return undefined;
  const plan = loadPlan(contraction, columns, context.program);
  const frame = new KernelFrame(context, plan.fours);
  return frame.threads(rows.blocks * columns.blocks * volumeOf(batch), (flat) => {
    const places = placesOf(frame, rows.blocks, columns.blocks, flat);
    frame.defineCoordinates(batch, places.outer);
    const elements = {
      rows: defineSide(frame, rows, ROW_BLOCK, places.row),
      columns: defineSide(frame, columns, COLUMN_BLOCK, places.column),
    };
    const products = new ProductWriter(frame, contraction, elements, plan);
    const sums = writeLoops(frame, inner, plan.unroll, elements, (at, sum) => products.write(at, sum));
    writeResults(frame, nest, contraction, { rows, columns }, sums);
  });
}

const [ROW_BLOCK, COLUMN_BLOCK] = ["block of rows", "block of columns"];

/** Where a thread's block is; made when it is needed, at the start of the kernel. */
interface BlockPlaces {
  readonly row: () => KernelOperand;
  readonly column: () => KernelOperand;
  readonly outer: () => KernelOperand;
}
/**
 * Returns which block a thread has. The threads of a workgroup have 8 by 8 blocks next to each
 * other where that comes out even, so that they share what they load.
 */
function placesOf(frame: KernelFrame, rows: number, columns: number, flat: KernelOperand): BlockPlaces {
  const outer = (): KernelOperand => frame.over(flat, columns * rows);
  if (rows % 8 !== 0 || columns % 8 !== 0)
    return {
      outer,
      column: () => frame.modulo(flat, columns),
      row: () => frame.modulo(frame.over(flat, columns), rows),
    };
  const across = columns / 8;
  return {
    outer,
    column: () => frame.place(frame.modulo(frame.workgroup, across), 8, frame.modulo(frame.local, 8)),
    row: () =>
      frame.place(frame.modulo(frame.over(frame.workgroup, across), rows / 8), 8, frame.over(frame.local, 8)),
  };
}

/**
 * Returns what the side's axes are at each element of a block. Elements beyond the last are the
 * last once more.
 */
function defineSide(
  frame: KernelFrame,
  { side, width, isWhole, total }: Spread,
  name: string,
  block: () => KernelOperand,
): AxisMap[] {
  const { axes } = side;
  const last = axes.at(-1);
  frame.defineAxis(name, block);
  const numbers = Array.from({ length: width }, (_, i) => i);
  if (last === undefined) return [new Map()];
  if (isWhole) {
    const step = axis(`${last.name} by ${width}`, constant(extentOf(last) / width));
    frame.defineCoordinates([...axes.slice(0, -1), step], block);
    return numbers.map((i) => new Map([[last.name, add(scale(atom(step), width), constant(i))]]));
  }
  return numbers.map((i) => {
    const last = indexLiteral(total - 1);
    const flat = (): KernelOperand =>
      frame.op("min", "index", [frame.place(block(), width, indexLiteral(i)), last]);
    const own = axes.map((one) => axis(`${one.name} at ${i}`, one.extent));
    frame.defineCoordinates(own, flat);
    return new Map(axes.map((one, d) => [one.name, atom(own[d]!)]));
  });
}

/** Which factors are loaded four elements at a time. */
interface LoadPlan {
  readonly fours: ReadonlySet<number>;
  /** Inner elements of one iteration of the innermost loop. */
  readonly unroll: 1 | 4;
  readonly rows: "one" | "inner";
  readonly columns: "one" | "inner" | "across";
}

/**
 * Returns whether elements that are next to each other along an axis are in memory, in aligned
 * fours.
 */
function isFourAlong(value: Scalar, along: Axis | undefined, program: LoopProgram): value is LoadScalar {
  if (along === undefined || value.kind !== "load" || extentOf(along) % 4 !== 0) return false;
  if (program.buffers[value.buffer]!.dtype !== "float32") return false;
  const isUnit = ({ coefficient, atoms }: Index["terms"][number]): boolean =>
    coefficient === 1 && atoms.length === 1 && atoms[0]!.kind === "axis" && atoms[0]!.name === along.name;
  if (!value.index.terms.some(isUnit)) return false;
  const rest = value.index.terms.filter((term) => !isUnit(term));
  const mentions = rest.some(({ atoms }) =>
    atoms.some((item) => item.kind !== "axis" || item.name === along.name),
  );
  return (
    !mentions && value.index.constant % 4 === 0 && rest.every(({ coefficient }) => coefficient % 4 === 0)
  );
}

function loadPlan(
  { rows, columns, inner }: Contraction,
  { width, isWhole }: Spread,
  program: LoopProgram,
): LoadPlan {
  const depth = inner.at(-1);
  const isDeep = (side: ContractionSide): boolean =>
    side.when === undefined && isFourAlong(side.value, depth, program);
  const isAcross =
    isWhole &&
    width % 4 === 0 &&
    columns.when === undefined &&
    isFourAlong(columns.value, columns.axes.at(-1), program);
  const buffers = (...values: readonly Scalar[]): ReadonlySet<number> =>
    new Set(values.map((value) => (value as LoadScalar).buffer));
  if (isAcross)
    return isDeep(rows)
      ? { fours: buffers(rows.value, columns.value), unroll: 4, rows: "inner", columns: "across" }
      : { fours: buffers(columns.value), unroll: 1, rows: "one", columns: "across" };
  if (isDeep(rows) && isDeep(columns))
    return { fours: buffers(rows.value, columns.value), unroll: 4, rows: "inner", columns: "inner" };
  return { fours: new Set(), unroll: 1, rows: "one", columns: "one" };
}

/** The places along the inner axes of so manieth element of an iteration. */
type Step = (element: number) => AxisMap;
/** The running sum of each element of the block, by rows. */
type Sums = readonly (readonly KernelVariable[])[];

interface BlockElements {
  readonly rows: readonly AxisMap[];
  readonly columns: readonly AxisMap[];
}

/** Loops over the inner axes; long sums in groups, each with its own block of sums. */
function writeLoops(
  frame: KernelFrame,
  inner: readonly Axis[],
  unroll: number,
  elements: BlockElements,
  write: (at: Step, sums: Sums) => void,
): Sums {
  const last = inner.at(-1)!;
  const iteration =
    unroll === 1 ? last : axis(`${last.name} by ${unroll}`, constant(extentOf(last) / unroll));
  const steps = [...inner.slice(0, -1), iteration];
  const { groups, places, when } = sumGroups(steps, unroll) ?? { groups: [steps], places: new Map() };
  const placeOf = (one: Axis): Index => places.get(one.name) ?? atom(one);
  const at: Step = (element) =>
    new Map(
      inner.map((one, d) => [
        one.name,
        d < inner.length - 1 ? placeOf(one) : add(scale(placeOf(iteration), unroll), constant(element)),
      ]),
    );
  const walk = (level: number): Sums => {
    const zero = literal(0, "float32");
    const sums = elements.rows.map(() => elements.columns.map(() => frame.variable("float32", zero)));
    nestedLoops(frame, groups[level]!, () => {
      if (level < groups.length - 1) {
        const parts = walk(level + 1);
        for (const [i, row] of sums.entries())
          for (const [j, sum] of row.entries())
            frame.assign(sum, frame.op("add", "float32", [sum, parts[i]![j]!]));
      } else if (when === undefined) write(at, sums);
      else frame.when(frame.scalar(when), () => write(at, sums));
    });
    return sums;
  };
  return walk(0);
}
function nestedLoops(frame: KernelFrame, axes: readonly Axis[], write: () => void): void {
  const [first, ...rest] = axes;
  if (first === undefined) write();
  else
    frame.loop({ axis: first.name, end: indexLiteral(extentOf(first)) }, () =>
      nestedLoops(frame, rest, write),
    );
}

/** Where factors are inside their tensor; undefined for those that always are. */
type Guards = readonly (KernelOperand | undefined)[];

/** Returns the condition without which a product is left out. */
const leftOut = (
  { isPadded }: ContractionSide,
  guard: KernelOperand | undefined,
): KernelOperand | undefined => (isPadded === true ? undefined : guard);

/** Writes the products of one iteration: for each inner element, all rows with all columns. */
class ProductWriter {
  readonly #frame: KernelFrame;
  readonly #contraction: Contraction;
  readonly #elements: BlockElements;
  readonly #plan: LoadPlan;

  constructor(frame: KernelFrame, contraction: Contraction, elements: BlockElements, plan: LoadPlan) {
    this.#frame = frame;
    this.#contraction = contraction;
    this.#elements = elements;
    this.#plan = plan;
  }

  write(at: Step, sums: Sums): void {
    const frame = this.#frame;
    const { rows, columns } = this.#contraction;
    const elements = this.#elements;
    const rowGuards = this.#guards(rows, elements.rows, at);
    const columnGuards = this.#guards(columns, elements.columns, at);
    for (let element = 0; element < this.#plan.unroll; element++) {
      const left = this.#padded(
        rows,
        rowGuards,
        this.#factors(rows, elements.rows, this.#plan.rows, at, element),
      );
      const right = this.#padded(
        columns,
        columnGuards,
        this.#factors(columns, elements.columns, this.#plan.columns, at, element),
      );
      for (const [i, a] of left.entries())
        for (const [j, b] of right.entries()) {
          const sum = sums[i]![j]!;
          const guard = leftOut(rows, rowGuards[i]) ?? leftOut(columns, columnGuards[j]);
          const more = frame.op("add", "float32", [sum, frame.op("mul", "float32", [a, b])]);
          frame.assign(sum, guard === undefined ? more : frame.op("select", "float32", [guard, more, sum]));
        }
    }
  }

  /** Zeros of the padding are factors as others are. */
  #padded(
    { isPadded }: ContractionSide,
    guards: Guards,
    factors: readonly KernelOperand[],
  ): readonly KernelOperand[] {
    if (isPadded !== true) return factors;
    const zero = literal(0, "float32");
    return factors.map((factor, i) => this.#frame.op("select", "float32", [guards[i]!, factor, zero]));
  }

  #guards({ when }: ContractionSide, own: readonly AxisMap[], at: Step): Guards {
    if (when === undefined) return [];
    return own.map((axes) => this.#frame.scalar(rewritten(when, [...at(0), ...axes])));
  }

  /** Returns a side's factors for one inner element. */
  #factors(
    { value }: ContractionSide,
    own: readonly AxisMap[],
    how: LoadPlan["columns"],
    at: Step,
    element: number,
  ): readonly KernelOperand[] {
    switch (how) {
      case "inner":
        return own.map((one) => this.#lane(value, [...at(0), ...one], element));
      case "across":
        return own.map((_, j) => this.#lane(value, [...at(element), ...own[j - (j % 4)]!], j % 4));
      default:
        return own.map((one) => this.#frame.scalar(rewritten(value, [...at(element), ...one])));
    }
  }
  /** One of four elements that are loaded at once; the first is at the place that is given. */
  #lane(value: Scalar, axes: Iterable<[string, Index]>, lane: number): KernelOperand {
    const { buffer, index } = rewritten(value, axes) as LoadScalar;
    const four = this.#frame.load(this.#frame.buffer(buffer), this.#frame.index(divide(index, constant(4))));
    return this.#frame.op("lane", "float32", [four], lane);
  }
}
const rewritten = (value: Scalar, axes: Iterable<[string, Index]>): Scalar =>
  new Rewriter({ axes: new Map(axes) }).scalar(value);

/** What becomes of each sum, and its place in the output: written once, in loops over the block. */
function writeResults(
  frame: KernelFrame,
  nest: LoopNest,
  { reduce }: Contraction,
  { rows, columns }: { readonly rows: Spread; readonly columns: Spread },
  sums: Sums,
): void {
  const output = frame.output(nest.output);
  const length = rows.width * columns.width;
  const all = frame.memory({ name: "sums", space: "private", access: "read_write", type: "float32", length });
  sums.flat().forEach((sum, at) => {
    frame.store(all, indexLiteral(at), sum);
  });
  const place = flatIndex(
    nest.axes.map((one) => atom(one)),
    nest.axes.map(({ extent }) => extent),
  );
  elementLoop(frame, rows, ROW_BLOCK, (i, ofRows) => {
    elementLoop(frame, columns, COLUMN_BLOCK, (j, ofColumns) => {
      const axes = new Map([...ofRows, ...ofColumns]);
      const rewriter = new Rewriter({ axes, scalars: new Map([[reduce, reduce]]) });
      frame.known(reduce, frame.load(all, frame.place(i, columns.width, j)));
      frame.store(output, frame.index(rewriter.index(place)), frame.scalar(rewriter.scalar(nest.value)));
    });
  });
}

/** A loop over the elements of a side's block that are there. */
function elementLoop(
  frame: KernelFrame,
  { side, width, blocks, isWhole, total }: Spread,
  block: string,
  write: (counter: KernelOperand, axes: AxisMap) => void,
): void {
  const along = axis(`element of ${block}`, constant(width));
  const flat = add(scale(atom(axis(block, constant(blocks))), width), atom(along));
  const coordinates = coordinatesOf(
    flat,
    side.axes.map(({ extent }) => extent),
  );
  const axes = new Map(side.axes.map(({ name }, d) => [name, coordinates[d]!]));
  frame.loop({ axis: along.name, end: indexLiteral(width) }, (counter) => {
    if (!isWhole) frame.breakIf(frame.op("ge", "bool", [frame.index(flat), indexLiteral(total)]));
    write(counter, axes);
  });
}
