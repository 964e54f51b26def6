/**
 * @file Reductions of whole elements of a batch, as functorch does them: over all dimensions but
 * that of the batch, or over one after each element is laid out in a row.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { mul } from "@sconce/symbolic";

type Kwargs = Readonly<Record<string, EmitArg>>;

/** A batch that is reduced; calls see tensors whose first dimension is that of the batch. */
export interface ReducedBatch {
  /** Calls an operator on whole batches. */
  readonly call: (target: string, args: readonly EmitArg[], kwargs?: Kwargs) => EmitArg;
  readonly value: FakeTensor;
  /** The rank of an element. */
  readonly ndim: number;
}

/** Reductions over given dimensions, with the place of these; without them, over all. */
const OVER_DIMS: ReadonlyMap<string, number> = new Map([
  ...(
    "sum.dim_IntList mean.dim amax.default amin.default var.correction std.correction var_mean.correction " +
    "std_mean.correction nansum.default count_nonzero.dim_IntList"
  )
    .split(" ")
    .map((name) => [`aten.${name}`, 1] as const),
  ["aten.linalg_vector_norm.default", 2],
]);

/** The order of a norm that names none. */
const EUCLIDEAN = 2;

/** Reductions of everything, as reductions over given dimensions. */
const EVERYTHING: Readonly<Record<string, string>> = {
  "aten.sum.default": "aten.sum.dim_IntList",
  "aten.mean.default": "aten.mean.dim",
  "aten.count_nonzero.default": "aten.count_nonzero.dim_IntList",
};

/** Reductions of everything, as reductions of rows. */
const OF_ROWS: Readonly<Record<string, string>> = {
  "aten.argmax.default": "aten.argmax.default",
  "aten.argmin.default": "aten.argmin.default",
  "aten.prod.default": "aten.prod.dim_int",
  "aten.max.default": "aten.max.dim",
  "aten.min.default": "aten.min.dim",
  "aten.any.default": "aten.any.dim",
  "aten.all.default": "aten.all.dim",
  "aten.median.default": "aten.median.dim",
  "aten.nanmedian.default": "aten.nanmedian.dim",
};

/**
 * Returns the reduction of each element; undefined for calls that are none, or that name
 * dimensions.
 */
export function reducedElements(
  batch: ReducedBatch,
  target: string,
  [, ...rest]: readonly EmitArg[],
  kwargs: Kwargs,
): EmitArg | undefined {
  const { call, ndim } = batch;
  const all = EVERYTHING[target];
  const isNamed = rest.some((arg) => arg !== null && arg !== undefined);
  if (all !== undefined && !isNamed) return call(all, [inOneDim(batch), dimsOf(ndim)], kwargs);
  const place = OVER_DIMS.get(target);
  if (place !== undefined) {
    const given = rest[place - 1] ?? [];
    if (!Array.isArray(given) || given.length > 0) return undefined;
    const before = Array.from({ length: place - 1 }, (_, i) => rest[i] ?? EUCLIDEAN);
    return call(target, [inOneDim(batch), ...before, dimsOf(ndim), ...rest.slice(place)], kwargs);
  }
  const ofRows = OF_ROWS[target];
  if (ofRows === undefined || isNamed) return undefined;
  const rows = /^aten\.arg/.test(target) && ndim === 0 ? inOneDim(batch) : inRows(batch);
  const result = call(ofRows, [rows, 1], kwargs);
  return Array.isArray(result) ? (result as readonly EmitArg[])[0] : result;
}

const dimsOf = (ndim: number): readonly number[] =>
  Array.from({ length: Math.max(1, ndim) }, (_, d) => d + 1);

const inOneDim = ({ call, value, ndim }: ReducedBatch): EmitArg =>
  ndim > 0 ? value : call("aten.unsqueeze.default", [value, -1]);

/** Returns each element laid out in a row. */
export function inRows({ call, value, ndim }: ReducedBatch): EmitArg {
  if (ndim === 1) return value;
  const [count, ...sizes] = value.shape;
  const size = sizes.reduce<IntLike>((a, b) => mul(a, b), 1);
  return call("aten.view.default", [value, [count!, size]]);
}
