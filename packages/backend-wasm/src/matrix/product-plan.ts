/**
 * @file Reads a contraction as matrix products: which axes are rows, columns and inner places, and
 * where the operands' elements lie.
 */
import {
  type Axis,
  add,
  atom,
  axis,
  type Contraction,
  type ContractionSide,
  constant,
  contractionOf,
  elementsOf,
  extentOf,
  fixedValue,
  forEachAtom,
  forEachScalar,
  type Index,
  indicesOf,
  type LoopNest,
  type ReduceScalar,
  Rewriter,
  type Scalar,
  scale,
} from "@sconce/codegen";
import { type ExpandedOperand, expandedOperand } from "./expanded-operand.js";
import { isEmittable } from "./index-code.js";
import { bytesOfFactor, type FactorType, FLOAT32, FLOAT64, type Numbers } from "./numbers.js";
import { type Padding, paddingOf } from "./padding.js";
import { axesIn, separate } from "./separate.js";

/** Bytes of a float32. */
export const ELEMENT = 4;

/** Where the elements of a factor lie: byte offsets that are added. */
export interface Operand {
  readonly buffer: number;
  /** What it holds. */
  readonly type: FactorType;
  /** By the axes outside of the product, with the constant part. */
  readonly outer: Index;
  /** By the rows, or by the columns. */
  readonly lanes: Index;
  /** By the axes that are summed over. */
  readonly inner: Index;
  /** Axes outside of the product that the factor depends on. */
  readonly outerAxes: readonly Axis[];
  /** The factor is read from a copy with zeros around it. */
  readonly padding?: Padding | undefined;
  /** The factor is computed from the buffer, whose places are those of its integers. */
  readonly expanded?: ExpandedOperand | undefined;
}

/** Products of matrices: one for each place of the outer axes. */
export interface MatrixPlan {
  /** The nest, with the axes of groups split. */
  readonly nest: LoopNest;
  /** What the sums are computed in. */
  readonly numbers: Numbers;
  /** Where a result lies in the output. Default: row-major over the axes of the nest. */
  readonly place?: Index | undefined;
  readonly reduce: ReduceScalar;
  readonly outer: readonly Axis[];
  /** Consecutive axes of the output. */
  readonly rows: readonly Axis[];
  /** The last axes of the output. */
  readonly columns: readonly Axis[];
  readonly inner: readonly Axis[];
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly a: Operand;
  readonly b: Operand;
}

/** Products with fewer multiplications are left to ordinary kernels. */
const LEAST_WORK = 2048;
/** Sums of fewer products are left to ordinary kernels. */
const LEAST_DEPTH = 4;

/**
 * Reads a nest; undefined if it is not a product of matrices. Counts that are not known are
 * guesses.
 */
export function matrixPlan(given: LoopNest, at?: Index): MatrixPlan | undefined {
  const { nest, place } = withoutGroups(given, at);
  const contraction = contractionOf(nest);
  if (contraction === undefined || numbersOf(contraction) === undefined) return undefined;
  const axes = axesOfProduct(nest, contraction);
  const plan = planOf(nest, contraction, axes) ?? planOf(nest, contraction, withOpenOutside(nest, axes));
  if (plan === undefined) return undefined;
  const { m, n, k, outer } = plan;
  const isSmall = n < 2 || k < LEAST_DEPTH || m * n * k * countOf(outer) < LEAST_WORK;
  return isSmall ? undefined : { ...plan, place };
}

/** What is taken for a number of places that is not known. */
const GUESS = 512;
/** Returns how many places axes have; a guess where that is known when a kernel runs. */
export const countOf = (axes: readonly Axis[]): number => fixedValue(elementsOf(axes)) ?? GUESS;

/**
 * Returns what the sums of a product are computed in; undefined if there are no microkernels for
 * it.
 */
function numbersOf({ reduce: { dtype } }: Contraction): Numbers | undefined {
  if (dtype === "float32") return FLOAT32;
  return dtype === "float64" ? FLOAT64 : undefined;
}

/**
 * Returns the product over such rows and columns; undefined if its factors are not of such a form.
 */
export function planOf(
  nest: LoopNest,
  contraction: Contraction,
  { rows, columns, outer }: Pick<MatrixPlan, "rows" | "columns" | "outer">,
): MatrixPlan | undefined {
  const { inner, reduce } = contraction;
  const [m, n, k] = [countOf(rows), countOf(columns), countOf(inner)];
  const numbers = numbersOf(contraction);
  const a = numbers && operandOf(contraction.rows, outer, rows, inner, numbers);
  const b =
    numbers &&
    (operandOf(contraction.columns, outer, columns, inner, numbers) ??
      computedOperand(contraction.columns, outer, columns, inner));
  if (numbers === undefined || a === undefined || b === undefined) return undefined;
  return { nest, numbers, reduce, outer, rows, columns, inner, m, n, k, a, b };
}

/**
 * Columns are the last axes of the output that only one factor has, rows the nearest run of axes
 * that only the other has. A product for each place of all other axes.
 */
function axesOfProduct(
  { axes }: LoopNest,
  contraction: Contraction,
): Pick<MatrixPlan, "rows" | "columns" | "outer"> {
  const isColumn = (one: Axis): boolean => contraction.columns.axes.includes(one);
  const isRow = (one: Axis): boolean => contraction.rows.axes.includes(one);
  const isUnit = (one: Axis): boolean => fixedValue(one.extent) === 1;
  let start = axes.length;
  while (start > 0 && (isColumn(axes[start - 1]!) || isUnit(axes[start - 1]!))) start--;
  const last = axes.findLastIndex((one, i) => i < start && isRow(one) && !isUnit(one));
  let first = last;
  while (first > 0 && (isRow(axes[first - 1]!) || isUnit(axes[first - 1]!))) first--;
  const rows = last < 0 ? [] : axes.slice(first, last + 1);
  const columns = axes.slice(start);
  const outer = axes.filter((one) => !rows.includes(one) && !columns.includes(one));
  return { rows, columns, outer };
}

/** Rows of any number have separate products: a copy with zeros around it has a known size. */
function withOpenOutside(
  { axes }: LoopNest,
  { rows, columns }: Pick<MatrixPlan, "rows" | "columns">,
): Pick<MatrixPlan, "rows" | "columns" | "outer"> {
  const known = rows.filter(({ extent }) => fixedValue(extent) !== undefined);
  const outer = axes.filter((one) => !known.includes(one) && !columns.includes(one));
  return { rows: known, columns, outer };
}

/** Returns what a factor reads, and its type there: that of the sums, or a half. */
function loadOf(
  value: Scalar,
  { type }: Numbers,
): readonly [Extract<Scalar, { kind: "load" }>, FactorType] | undefined {
  const load = value.kind === "cast" ? value.value : value;
  if (load.kind !== "load" || value.dtype !== type) return undefined;
  if (load === value) return [load, type];
  const isHalf = load.dtype === "float16" || load.dtype === "bfloat16";
  return isHalf && type === "float32" ? [load, load.dtype] : undefined;
}

function operandOf(
  side: ContractionSide,
  outer: readonly Axis[],
  lanes: readonly Axis[],
  inner: readonly Axis[],
  numbers: Numbers,
): Operand | undefined {
  const { value, when } = side;
  const load = loadOf(value, numbers);
  if (load === undefined) return undefined;
  const [{ index: at, buffer }, type] = load;
  const names = (axes: readonly Axis[]): Set<string> => new Set(axes.map(({ name }) => name));
  const padding = when === undefined ? undefined : paddingOf(at, when, names(outer));
  if (when !== undefined && padding === undefined) return undefined;
  const index = scale(padding?.index ?? at, bytesOfFactor(type));
  const parts = separate(index, [names(outer), names(lanes), names(inner)]);
  if (parts === undefined || !parts.every(isEmittable)) return undefined;
  const [ofOuter, ofLanes, ofInner] = parts as [Index, Index, Index];
  return {
    buffer,
    type,
    outer: ofOuter,
    lanes: ofLanes,
    inner: ofInner,
    outerAxes: axesIn(outer, ofOuter, ...(padding === undefined ? [] : [padding.from])),
    padding,
  };
}

/** Returns a factor that is computed from narrow integers. */
function computedOperand(
  { value, when }: ContractionSide,
  outer: readonly Axis[],
  lanes: readonly Axis[],
  inner: readonly Axis[],
): Operand | undefined {
  const expanded =
    when === undefined && inner.length === 1 ? expandedOperand(value, inner[0]!, outer, lanes) : undefined;
  return expanded && { ...expanded.narrow, type: "float32", expanded };
}

/** Splits axes that the sum divides into groups: `o` into `g * d + o'` where it reads `o / d`. */
function withoutGroups(nest: LoopNest, at?: Index): Pick<MatrixPlan, "nest" | "place"> {
  const groups = new Map<string, number>();
  forEachScalar(nest.value, (scalar) => {
    for (const index of indicesOf(scalar))
      forEachAtom(index, (item) => {
        if (item.kind !== "quotient") return;
        const by = fixedValue(item.denominator);
        const split = nest.axes.find((one) => item.numerator.text === one.name);
        const extent = split && fixedValue(split.extent);
        if (by !== undefined && extent !== undefined && extent % by === 0) groups.set(split!.name, by);
      });
  });
  if (groups.size === 0) return { nest, place: at };
  const replaced = new Map<string, Index>();
  const axes = nest.axes.flatMap((one) => {
    const by = groups.get(one.name);
    if (by === undefined) return [one];
    const group = axis(`${one.name}g`, constant(extentOf(one) / by));
    const place = axis(`${one.name}p`, constant(by));
    replaced.set(one.name, add(scale(atom(group), by), atom(place)));
    return [group, place];
  });
  const rewriter = new Rewriter({ axes: replaced });
  return {
    nest: { ...nest, axes, value: rewriter.scalar(nest.value) },
    place: at && rewriter.index(at),
  };
}
