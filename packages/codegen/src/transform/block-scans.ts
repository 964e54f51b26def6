/**
 * @file Long scans in blocks: totals of blocks, a scan of those, and elements that reduce only
 * their own block. The cost drops from the square of a row's length to little more than the
 * length, in plain nests.
 */
import type { Bindings } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { type Scan, scanOf } from "../analysis/scan.js";
import { bindNest, hasSizes } from "../ir/bind.js";
import {
  add,
  atom,
  axis as axisOf,
  constant,
  divide,
  fixedValue,
  flatIndex,
  type Index,
  ONE,
  remainder,
  scale,
  subtract,
} from "../ir/index-expr.js";
import type { LoopBuffer, LoopNest, LoopProgram } from "../ir/loop-program.js";
import { Rewriter } from "../ir/rewrite.js";
import {
  apply,
  both,
  constantScalar,
  indexScalar,
  load,
  type ReduceScalar,
  type Scalar,
  select,
  TRUE,
} from "../ir/scalar.js";

/**
 * Rows up to this length stay as they are, and so do scans of fewer steps in all: blocks would cost
 * more nests than they save.
 */
const SHORT = 32;
const FEW = 2 ** 17;

/**
 * Elements of a block, which is how many steps an element takes. A power of two: division by it is
 * fast.
 */
const BLOCK = 16;

/**
 * Returns the program with scans of long rows in blocks. Results are the same, but sums of floats
 * are rounded in another order. Scans of unknown sizes stay as they are.
 */
export function blockScans(program: LoopProgram, sizes: Bindings = new Map()): LoopProgram {
  const buffers = [...program.buffers];
  const nests: LoopNest[] = [];
  const put = (nest: LoopNest, isPart = false): void => {
    const blocked = blocksOf(nest, buffers);
    // The rest of a scan in a part is too short for a hint.
    if (blocked === undefined)
      nests.push({ ...nest, id: nests.length, hint: isPart ? undefined : nest.hint });
    else for (const part of blocked) put(part, true);
  };
  for (const nest of program.nests) {
    const isOpen = nest.hint?.kind !== "scan" || (hasSizes(nest) && sizes.size === 0);
    if (isOpen) nests.push({ ...nest, id: nests.length });
    else put(bindNest(nest, sizes));
  }
  return nests.length === program.nests.length ? program : { ...program, buffers, nests };
}

/**
 * Returns the nests of a long scan, of which the second is a scan again; their buffers are added.
 */
function blocksOf(nest: LoopNest, buffers: LoopBuffer[]): readonly LoopNest[] | undefined {
  const scan = scanOf(nest);
  const start = scan && startOf(scan.reduce);
  const length = scan && fixedValue(scan.axis.extent);
  if (scan === undefined || start === undefined || length === undefined) return undefined;
  const steps = nest.axes.reduce((total, { extent }) => total * fixedValue(extent)!, length);
  if (length <= SHORT || steps <= FEW) return undefined;
  // No block after a partial last one needs its total.
  const extent = constant(Math.floor(length / BLOCK));
  const axes = nest.axes.map((one) => (one === scan.axis ? axisOf(one.name, extent) : one));
  const shape = axes.map((one) => one.extent);
  const made = (value: Scalar, hint?: LoopNest["hint"]): LoopNest => {
    const { node } = buffers[nest.output]!;
    const output = buffers.length;
    buffers.push({ id: output, dtype: value.dtype, shape, kind: "value", node });
    return { ...nest, output, axes, value, hint };
  };
  const totals = made(totalOf(scan));
  const sums = made(totalsUpTo(scan, totals), nest.hint);
  const elements = new Rewriter({ scalars: new Map([[scan.reduce, ownBlock(scan, sums, start)]]) });
  return [totals, sums, { ...nest, value: elements.scalar(nest.value), hint: undefined }];
}

/**
 * Returns the value of a reduction of no elements; undefined if there is none, and for products of
 * floats: the product of a block may overflow where the product up to it does not, and infinity
 * times zero is NaN.
 */
function startOf({ reduce, dtype, initial }: ReduceScalar): Scalar | undefined {
  if (reduce === "prod" && isFloatDType(dtype)) return undefined;
  if (initial !== undefined) return initial;
  return reduce === "sum" || reduce === "prod" ? constantScalar(reduce === "sum" ? 0 : 1, dtype) : undefined;
}
const IDEMPOTENT: ReadonlySet<string> = new Set(["max", "min", "any", "all"]);

const rest = (when: readonly Scalar[]): Scalar => when.reduce(both, TRUE);
const guard = (when: Scalar): Scalar | undefined => (when.kind === "constant" ? undefined : when);

/** Returns what is reduced at a place of a block. */
function inBlock(scan: Scan, block: Index): { readonly body: Scalar; readonly when: Scalar } {
  const place = atom(axisOf(scan.along.name, constant(BLOCK)));
  const rewriter = new Rewriter({ axes: new Map([[scan.along.name, add(scale(block, BLOCK), place)]]) });
  return { body: rewriter.scalar(scan.reduce.body), when: rewriter.scalar(rest(scan.when)) };
}

/**
 * Returns the elements of one block. Extremes start from the same value in each block; a sum starts
 * once.
 */
function totalOf(scan: Scan): Scalar {
  const { reduce, along, axis } = scan;
  const block = axisOf(axis.name, constant(Math.floor(fixedValue(axis.extent)! / BLOCK)));
  const { body, when } = inBlock(scan, atom(block));
  const initial = IDEMPOTENT.has(reduce.reduce) ? reduce.initial : undefined;
  return { ...reduce, axes: [axisOf(along.name, constant(BLOCK))], body, when: guard(when), initial };
}

/** Returns all elements up to the end of a block. */
function totalsUpTo({ reduce, along, axis }: Scan, totals: LoopNest): Scalar {
  const own = totals.axes.find(({ name }) => name === axis.name)!;
  const other = axisOf(along.name, own.extent);
  const at = totals.axes.map((one) => atom(one === own ? other : one));
  return {
    ...reduce,
    axes: [other],
    body: load(totals.output, flatOf(at, totals), reduce.dtype),
    when: apply("le", indexScalar(atom(other)), indexScalar(atom(own))),
  };
}
const flatOf = (at: readonly Index[], { axes }: LoopNest): Index =>
  flatIndex(
    at,
    axes.map(({ extent }) => extent),
  );

/** Returns an element: those of its block up to it, after all blocks before. */
function ownBlock(scan: Scan, sums: LoopNest, start: Scalar): Scalar {
  const { reduce, along, axis } = scan;
  const place = axisOf(along.name, constant(BLOCK));
  const block = divide(atom(axis), constant(BLOCK));
  const { body, when } = inBlock(scan, block);
  const upTo = apply("le", indexScalar(atom(place)), indexScalar(remainder(atom(axis), constant(BLOCK))));
  const at = sums.axes.map((one) => (one.name === axis.name ? subtract(block, ONE) : atom(one)));
  const before = load(sums.output, flatOf(at, sums), reduce.dtype);
  const isFirst = apply("eq", indexScalar(block), constantScalar(0, "int64"));
  return { ...reduce, axes: [place], body, when: both(upTo, when), initial: select(isFirst, start, before) };
}
