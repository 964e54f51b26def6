/**
 * @file Groups nests over the same rows (the parts of a softmax or a normalization) for one kernel.
 * Each part is rewritten over a row and a place in it; later parts use row values of earlier parts
 * without memory.
 */
import { isFloatDType } from "@sconce/tensor";
import { elementsOf, extentsOf } from "../ir/extents.js";
import {
  atom,
  axis,
  coordinatesOf,
  divide,
  fixedValue,
  flatIndex,
  type Index,
  isZero,
  multiply,
  ONE,
  same,
  ZERO,
} from "../ir/index-expr.js";
import type { LoopNest, LoopProgram } from "../ir/loop-program.js";
import { Rewriter } from "../ir/rewrite.js";
import type { ReduceScalar, Scalar } from "../ir/scalar.js";
import { forEachScalar } from "../ir/traverse.js";
import { contractionOf, mainReductions, outerReductions } from "./contraction.js";
import { Readers } from "./readers.js";
import { rowAxesOf } from "./row-axes.js";

/** Names of the axes that parts are written over. */
export const ROW = "row";
/** The name of the axis of places within a row. */
export const PLACE = "place";

/** One nest of a group, rewritten. */
export interface RowPart {
  /** The nest. */
  readonly nest: LoopNest;
  /** Elements of a row that it reduces or gives. */
  readonly places: Index;
  /** Its reduction, over the one axis {@link PLACE}; undefined for a part that gives elements. */
  readonly reduce: ReduceScalar | undefined;
  /**
   * What it gives, over {@link ROW}, for elements also over {@link PLACE}; earlier parts stand in
   * it as their values.
   */
  readonly value: Scalar;
  /** Where in the output that is. */
  readonly at: Index;
  /** Whether anything but later parts reads it. */
  readonly isStored: boolean;
}
/** Nests over the same rows that one kernel runs, a row at a time. */
export interface RowGroup {
  /** The number of rows. */
  readonly rows: Index;
  /** The nests, in the order in which they run. */
  readonly parts: readonly RowPart[];
  /** The positions of its nests in the program: all may be computed where the last is. */
  readonly positions: readonly number[];
}

type OpenPart = Omit<RowPart, "isStored">;

const UNORDERED: ReadonlySet<string> = new Set(["sum", "prod", "max", "min", "any", "all"]);
/**
 * Returns whether the elements of a reduction may be combined in any order. A product of floats may
 * be infinite or zero in one order, and in another one not.
 */
export const isUnordered = ({ reduce, dtype }: Pick<ReduceScalar, "reduce" | "dtype">): boolean =>
  UNORDERED.has(reduce) && !(reduce === "prod" && isFloatDType(dtype));

/** Nests of one group: a kernel of more would be too large. */
const MOST_PARTS = 24;

/** Returns the groups among a program's nests; of each nest there is one at most. */
export function rowGroups(nests: readonly LoopNest[], program: LoopProgram): RowGroup[] {
  const readers = new Readers(nests);
  const results = new Set(program.outputs.flatMap((one) => (one.kind === "buffer" ? [one.buffer] : [])));
  const taken = new Set<number>();
  const groups: RowGroup[] = [];
  for (const start of nests.keys()) {
    const open = taken.has(start) ? [] : grown(start, nests, readers, taken);
    if (open.length < 2) continue;
    const positions = open.map(([at]) => at);
    const isElsewhere = (id: number): boolean =>
      results.has(id) || readers.of(id).some((at) => !positions.includes(at));
    const parts = open.map(([, part]) => ({
      ...part,
      isStored: part.reduce === undefined || isElsewhere(part.nest.output),
    }));
    // Parts without readers need no kernel.
    if (!parts.some(({ isStored }) => isStored)) continue;
    for (const at of positions) taken.add(at);
    groups.push({ rows: elementsOf(nests[start]!.axes), positions, parts });
  }
  return groups;
}

/** Returns the parts of the group that starts with a nest, each with its position. */
function grown(
  start: number,
  nests: readonly LoopNest[],
  readers: Readers,
  taken: ReadonlySet<number>,
): [number, OpenPart][] {
  const first = rowPart(nests[start]!, new Map());
  if (first === undefined) return [];
  const parts: [number, OpenPart][] = [[start, first]];
  const known = new Map([[first.nest.output, first.value]]);
  /** Outputs that the rest of the group could only read from memory, in which they are not yet. */
  const elements = new Set<number>();
  const nextReader = (ids: Iterable<number>, after: number): number =>
    Math.min(...[...ids].map((id) => readers.next(id, after) ?? Number.POSITIVE_INFINITY));
  for (
    let at = nextReader(known.keys(), start);
    parts.length < MOST_PARTS;
    at = nextReader(known.keys(), at)
  ) {
    // One that reads elements from memory ends the group.
    const isOfElements = nextReader(elements, parts.at(-1)![0]) <= at;
    if (!Number.isFinite(at) || isOfElements || taken.has(at)) break;
    for (const [other, part] of aside(at, nests, parts, readers, taken)) {
      parts.push([other, part]);
      known.set(part.nest.output, part.value);
    }
    const next = partOf(nests[at]!, elementsOf(first.nest.axes), known);
    // A nest outside of the group reads this part: no later part may join the group.
    if (next === undefined) break;
    parts.push([at, next]);
    if (next.reduce !== undefined) known.set(next.nest.output, next.value);
    else elements.add(next.nest.output);
  }
  return parts;
}

/**
 * Reductions beside a group, over the same rows of what it reads, whose one reader comes next in
 * the group: whether a row has any number but minus infinity, for a softmax of masked rows.
 */
function aside(
  at: number,
  nests: readonly LoopNest[],
  parts: readonly (readonly [number, OpenPart])[],
  readers: Readers,
  taken: ReadonlySet<number>,
): [number, OpenPart][] {
  const [start, first] = parts[0]!;
  const found: [number, OpenPart][] = [];
  for (const id of readers.reads[at]!) {
    const other = readers.writer(id);
    if (other === undefined || other <= start || other >= at || readers.of(id).length > 1) continue;
    const nest = nests[other]!;
    const isInside = taken.has(other) || parts.some(([member]) => member === other);
    if (isInside || !haveAsMany(nest, first.nest)) continue;
    const isOfSource = [...readers.reads[other]!].every((source) => readers.reads[start]!.has(source));
    const part = isOfSource ? rowPart(nest, new Map()) : undefined;
    if (part !== undefined) found.push([other, part]);
  }
  return found.sort(([a], [b]) => a - b);
}

const haveAsMany = (a: LoopNest, b: LoopNest): boolean => same(elementsOf(a.axes), elementsOf(b.axes));

/** Returns the nest as a part of a group of so many rows that has these values already. */
function partOf(nest: LoopNest, rows: Index, known: ReadonlyMap<number, Scalar>): OpenPart | undefined {
  const isOfRows = same(elementsOf(nest.axes), rows);
  if (outerReductions(nest.value).size > 0) return isOfRows ? rowPart(nest, known) : undefined;
  return isOfRows ? valuePart(nest, rows, known) : elementPart(nest, rows, known);
}

/**
 * Returns a nest that gives one value of each row: the mean, from its distance to the first
 * element. A single reduction has such work in its own nest.
 */
function valuePart(nest: LoopNest, rows: Index, known: ReadonlyMap<number, Scalar>): OpenPart | undefined {
  if (known.size < 2) return undefined;
  const row = rowAt(rows);
  const axes = new Map<string, Index>();
  coordinatesOf(row, extentsOf(nest.axes)).forEach((index, d) => {
    axes.set(nest.axes[d]!.name, index);
  });
  const scalars = loadsOf(nest, known, axes, row);
  if (scalars === undefined) return undefined;
  return {
    nest,
    places: ONE,
    reduce: undefined,
    value: new Rewriter({ axes, scalars }).scalar(nest.value),
    at: row,
  };
}

/** Returns a nest with one reduction for each row. */
function rowPart(nest: LoopNest, known: ReadonlyMap<number, Scalar>): OpenPart | undefined {
  const reduce = rowReduction(nest);
  if (reduce === undefined) return undefined;
  const [rows, places] = [elementsOf(nest.axes), elementsOf(reduce.axes)];
  const [row, place] = [rowAt(rows), axis(PLACE, places)];
  const axes = new Map<string, Index>();
  for (const [flat, from] of [[row, nest.axes] as const, [atom(place), reduce.axes] as const])
    coordinatesOf(flat, extentsOf(from)).forEach((index, d) => {
      axes.set(from[d]!.name, index);
    });
  const scalars = loadsOf(nest, known, axes, row);
  if (scalars === undefined) return undefined;
  const inside = new Rewriter({ axes, scalars });
  const over: ReduceScalar = {
    ...reduce,
    axes: [place],
    body: inside.scalar(reduce.body),
    when: reduce.when && inside.scalar(reduce.when),
    initial: reduce.initial && inside.scalar(reduce.initial),
  };
  const value = new Rewriter({ axes, scalars: new Map([...scalars, [reduce, over]]) }).scalar(nest.value);
  return { nest, places, reduce: over, value, at: row };
}

/**
 * Returns the only reduction of a nest, if it has several elements and its kind allows any order.
 * One that a choice may leave out is not a part of the row, but of what is made of it.
 */
function rowReduction(nest: LoopNest): ReduceScalar | undefined {
  const [reduce, ...more] = mainReductions(nest.value);
  if (reduce === undefined || more.length > 0 || !isUnordered(reduce) || nest.hint?.kind === "scan")
    return undefined;
  const contraction = contractionOf(nest);
  // A factor that many elements share is worth a kernel that loads it once for all of them.
  if (contraction !== undefined && contraction.rows.axes.length + contraction.columns.axes.length > 0)
    return undefined;
  const isNested = [reduce.body, reduce.when, reduce.initial].some(
    (part) => part !== undefined && outerReductions(part).size > 0,
  );
  const places = fixedValue(elementsOf(reduce.axes));
  const isShort = places !== undefined && places < 2;
  return isNested || isShort || isZero(elementsOf(nest.axes)) ? undefined : reduce;
}

/** Returns a nest that gives elements of each row. */
function elementPart(nest: LoopNest, rows: Index, known: ReadonlyMap<number, Scalar>): OpenPart | undefined {
  const elements = elementsOf(nest.axes);
  const index = memberLoads(nest, known)[0]?.index;
  if (index === undefined || isZero(rows)) return undefined;
  const places = divide(elements, rows);
  if (isZero(places) || !same(multiply(places, rows), elements)) return undefined;
  const row = rowAt(rows);
  const axes = rowAxesOf(nest.axes, index, {
    row,
    rows,
    place: atom(axis(PLACE, places)),
  });
  const scalars = axes && loadsOf(nest, known, axes, row);
  if (axes === undefined || scalars === undefined) return undefined;
  const rewriter = new Rewriter({ axes, scalars });
  const at = rewriter.index(
    flatIndex(
      nest.axes.map((one) => atom(one)),
      extentsOf(nest.axes),
    ),
  );
  return { nest, places, reduce: undefined, value: rewriter.scalar(nest.value), at };
}

/** Returns the row; the only one is always at its first. */
const rowAt = (rows: Index): Index => (fixedValue(rows) === 1 ? ZERO : atom(axis(ROW, rows)));

type Load = Extract<Scalar, { kind: "load" }>;
function memberLoads({ value }: LoopNest, known: ReadonlyMap<number, Scalar>): Load[] {
  const loads: Load[] = [];
  forEachScalar(value, (scalar) => {
    if (scalar.kind === "load" && known.has(scalar.buffer)) loads.push(scalar);
  });
  return loads;
}
/**
 * Returns what loads of earlier parts become; undefined where one reads another row than its own.
 */
function loadsOf(
  nest: LoopNest,
  known: ReadonlyMap<number, Scalar>,
  axes: ReadonlyMap<string, Index>,
  row: Index,
): Map<Scalar, Scalar> | undefined {
  const rewriter = new Rewriter({ axes });
  const scalars = new Map<Scalar, Scalar>();
  for (const load of memberLoads(nest, known)) {
    if (rewriter.index(load.index).text !== row.text) return undefined;
    scalars.set(load, known.get(load.buffer)!);
  }
  return scalars;
}
