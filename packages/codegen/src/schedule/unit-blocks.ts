/**
 * @file Sums of products on targets that run units and add up in float64: a block of results is in
 * local variables, so that an element of a factor is loaded once for several of them.
 */
import { type Contraction, type ContractionSide, contractionOf } from "../analysis/contraction.js";
import { elementsOf } from "../ir/extents.js";
import {
  type Axis,
  add,
  atom,
  axis,
  constant,
  fixedValue,
  flatIndex,
  type Index,
  scale,
} from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import { Rewriter } from "../ir/rewrite.js";
import type { Scalar } from "../ir/terms.js";
import { forEachScalar } from "../ir/traverse.js";
import { type Kernel, type KernelOperand, type KernelVariable, literal } from "../kernel/kernel.js";
import { KernelFrame, type ScheduleContext } from "./frame.js";

/** Results of a block: the sums of more do not stay in registers. */
const MOST = 12;
/** Products of a sum from which on blocks pay. */
const LEAST_INNER = 4;

/** A block along one axis of a side. */
interface Block {
  readonly side: ContractionSide;
  /** The axis, and the one that counts its blocks; undefined for blocks of one element. */
  readonly along: { readonly one: Axis; readonly step: Axis } | undefined;
  /** What the axis is at each element of the block. */
  readonly places: readonly ReadonlyMap<string, Index>[];
}

/**
 * Returns the kernel; undefined where blocks would hold one result, or next to nothing is summed.
 */
export function unitBlocks(nest: LoopNest, context: ScheduleContext): Kernel | undefined {
  if (context.target.sumsIn !== "float64") return undefined;
  const contraction = contractionOf(nest);
  if (contraction === undefined || contraction.reduce.dtype !== "float32") return undefined;
  const products = fixedValue(elementsOf(contraction.inner));
  if (products !== undefined && products < LEAST_INNER) return undefined;
  const [rows, columns] = blocksOf(contraction);
  if (rows.places.length * columns.places.length === 1) return undefined;
  const frame = new KernelFrame(context);
  const output = frame.output(nest.output);
  const place = flatIndex(
    nest.axes.map((one) => atom(one)),
    nest.axes.map(({ extent }) => extent),
  );
  const { units, loops } = orderOf(nest, contraction, [rows, columns]);
  return frame.units(elementsOf(units), (unit) => {
    frame.defineCoordinates(units, () => unit);
    inLoops(frame, loops, () => {
      const sums = writeSums(frame, contraction, rows, columns);
      for (const [i, ofRow] of rows.places.entries())
        for (const [j, ofColumn] of columns.places.entries()) {
          const axes = new Map([...ofRow, ...ofColumn]);
          const own = { ...contraction.reduce };
          const rewriter = new Rewriter({ axes, scalars: new Map([[contraction.reduce, own]]) });
          frame.known(own, frame.op("cast", "float32", [sums[i]![j]!]));
          const value = frame.scalar(rewriter.scalar(nest.value));
          frame.store(output, frame.index(rewriter.index(place)), value);
        }
    });
  });
}

/**
 * Returns blocks that load the fewest elements for each product. Their sides divide axes: no
 * element is left over.
 */
function blocksOf({ rows, columns }: Contraction): readonly [Block, Block] {
  let best: readonly [number, number] = [1, 1];
  const cost = ([i, j]: readonly [number, number]): number => (i + j) / (i * j);
  const [ofRows, ofColumns] = [rows, columns].map((side) => longest(side));
  for (let i = 1; i <= MOST; i++)
    for (let j = 1; i * j <= MOST; j++)
      if (divides(i, ofRows) && divides(j, ofColumns) && cost([i, j]) < cost(best)) best = [i, j];
  return [blockOf(rows, ofRows, best[0]), blockOf(columns, ofColumns, best[1])];
}
const divides = (width: number, one: Axis | undefined): boolean =>
  width === 1 || (one !== undefined && fixedValue(one.extent)! % width === 0);

/** Returns the last axis of known extent. */
const longest = ({ axes }: ContractionSide): Axis | undefined =>
  axes.findLast(({ extent }) => (fixedValue(extent) ?? 1) > 1);

function blockOf(side: ContractionSide, one: Axis | undefined, width: number): Block {
  if (one === undefined || width === 1) return { side, along: undefined, places: [new Map()] };
  const step = axis(`${one.name} by ${width}`, constant(fixedValue(one.extent)! / width));
  const places = Array.from(
    { length: width },
    (_, i) => new Map([[one.name, add(scale(atom(step), width), constant(i))]]),
  );
  return { side, along: { one, step }, places };
}

/**
 * Returns the axes of units and those of loops in them. Blocks of columns come first: the weights
 * of one stay in the cache for all rows.
 */
function orderOf(
  { axes }: LoopNest,
  { batch, columns }: Contraction,
  blocks: readonly Block[],
): { readonly units: readonly Axis[]; readonly loops: readonly Axis[] } {
  const firstOther = axes.findIndex((one) => !batch.includes(one));
  const leading = axes.slice(0, firstOther < 0 ? axes.length : firstOther);
  const first = [...leading, ...columns.axes];
  const units = first.length > 0 ? first : axes.slice(0, 1);
  const steps = new Map(
    blocks.flatMap(({ along }) => (along === undefined ? [] : [[along.one, along.step]])),
  );
  const stepOf = (one: Axis): Axis => steps.get(one) ?? one;
  return { units: units.map(stepOf), loops: axes.filter((one) => !units.includes(one)).map(stepOf) };
}

function inLoops(frame: KernelFrame, axes: readonly Axis[], write: () => void): void {
  const [first, ...rest] = axes;
  if (first === undefined) write();
  else frame.loop({ axis: first.name, end: frame.index(first.extent) }, () => inLoops(frame, rest, write));
}

/** Writes the loops of the sums of one block. */
function writeSums(
  frame: KernelFrame,
  { inner }: Contraction,
  rows: Block,
  columns: Block,
): readonly (readonly KernelVariable[])[] {
  const zero = literal(0, "float64");
  const sums = rows.places.map(() => columns.places.map(() => frame.variable("float64", zero)));
  const guarded = [rows, columns].find(({ side }) => side.when !== undefined);
  const names = guarded === undefined ? new Set<string>() : frame.axesOf(guarded.side.when!);
  // What the condition does not depend on comes last, and of that what runs through memory.
  const [outside, inside] = [true, false].map((isOutside) =>
    inner.filter(({ name }) => names.has(name) === isOutside),
  );
  const along = inside!.filter(
    (one) => runsAlong(rows.side.value, one) || runsAlong(columns.side.value, one),
  );
  const ordered = [...inside!.filter((one) => one !== along[0]), ...along.slice(0, 1)];
  inLoops(frame, outside!, () => {
    if (guarded === undefined) {
      inLoops(frame, ordered, () => addProducts(frame, sums, [rows, columns], undefined));
      return;
    }
    const guards = guarded.places.map((axes) => frame.scalar(rewritten(guarded.side.when!, axes)));
    const all = guards.reduce((a, b) => frame.op("and", "bool", [a, b]));
    frame.when(
      all,
      () => inLoops(frame, ordered, () => addProducts(frame, sums, [rows, columns], undefined)),
      () => inLoops(frame, ordered, () => addProducts(frame, sums, [rows, columns], { guarded, guards })),
    );
  });
  return sums;
}

/** Returns whether the elements of a factor are next to each other along an axis. */
function runsAlong(value: Scalar, { name }: Axis): boolean {
  let isAlong = false;
  forEachScalar(value, (scalar) => {
    if (scalar.kind !== "load") return;
    for (const { coefficient, atoms } of scalar.index.terms)
      isAlong ||=
        coefficient === 1 && atoms.length === 1 && atoms[0]!.kind === "axis" && atoms[0]!.name === name;
  });
  return isAlong;
}

interface Guards {
  readonly guarded: Block;
  readonly guards: readonly KernelOperand[];
}

/** Adds a product to each sum. Zeros of a padding are factors as others are. */
function addProducts(
  frame: KernelFrame,
  sums: readonly (readonly KernelVariable[])[],
  blocks: readonly [Block, Block],
  partly: Guards | undefined,
): void {
  const zero = literal(0, "float64");
  const [left, right] = blocks.map((block) =>
    block.places.map((axes, at) => {
      const load = (): KernelOperand =>
        frame.op("cast", "float64", [frame.scalar(rewritten(block.side.value, axes))]);
      if (partly?.guarded !== block) return load();
      const value = frame.variable("float64", zero);
      frame.when(partly.guards[at]!, () => frame.assign(value, load()));
      return value;
    }),
  );
  for (const [i, a] of left!.entries())
    for (const [j, b] of right!.entries()) {
      const sum = sums[i]![j]!;
      const write = (): void =>
        frame.assign(sum, frame.op("add", "float64", [sum, frame.op("mul", "float64", [a, b])]));
      const isLeftOut = partly !== undefined && partly.guarded.side.isPadded !== true;
      if (isLeftOut) frame.when(partly.guards[partly.guarded === blocks[0] ? i : j]!, write);
      else write();
    }
}
const rewritten = (value: Scalar, axes: ReadonlyMap<string, Index>): Scalar =>
  new Rewriter({ axes }).scalar(value);
