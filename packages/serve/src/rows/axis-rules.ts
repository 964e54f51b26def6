/**
 * @file Where the rows are in the results of operators. A rule exists only where each row of the
 * result is computed from the same row of the operands; everything else stops the proof.
 */
import type { BoundArgs } from "@sconce/ops";
import { type IntLike, sameSize } from "@sconce/symbolic";
import { wrapDimension } from "@sconce/tensor";
import { type Axis, hasRows, innerOf, mixed, product, type RowCount, type Tracked } from "./axis.js";

/** The axis of all results, or a list where they differ. */
export type Axes = Axis | undefined | readonly (Axis | undefined)[];

/**
 * Returns the axis of each result.
 *
 * @param shape sizes of the first result
 */
type AxisRule = (args: BoundArgs, shape: readonly IntLike[], rows: RowCount) => Axes;

const tensor = (value: unknown): Tracked => value as Tracked;
const axisOf = (value: unknown): Axis | undefined => (value as Tracked | null)?.axis;

/** Refuses an operand that depends on the requests. */
function requireFixed(...operands: readonly unknown[]): void {
  if (operands.some((one) => axisOf(one) !== undefined))
    mixed("an operand that all rows share depends on the rows");
}

/** Returns the dimension that an argument names, from 0. */
const position = (dim: unknown, ndim: number): number => wrapDimension(dim as number, ndim);

/** Returns the axis where an operator combines elements along some dimensions only. */
function keptAside(operand: Tracked, dims: unknown): Axis | undefined {
  const { axis, shape } = operand;
  if (axis === undefined) return undefined;
  const list = dims === null || dims === undefined ? [] : [dims].flat();
  if (list.length === 0) mixed("it combines elements of all dimensions");
  if (list.some((dim) => position(dim, shape.length) === axis.dim))
    mixed("it combines elements along the rows");
  return axis;
}

/**
 * Operators that keep the number of dimensions and combine elements along those of an argument. All
 * results have the same axis.
 */
const along =
  (name: string): AxisRule =>
  (args) =>
    keptAside(tensor(args["self"]), args[name]);

/** Reductions over the dimensions of an argument. */
const reduced =
  (name: string): AxisRule =>
  (args) => {
    const self = tensor(args["self"]);
    const axis = keptAside(self, args[name]);
    if (axis === undefined) return undefined;
    const gone = new Set([args[name]].flat().map((dim) => position(dim, self.shape.length)));
    const before = args["keepdim"] === true ? 0 : [...gone].filter((dim) => dim < axis.dim).length;
    return { ...axis, dim: axis.dim - before };
  };

/** Operators whose last dimensions are one element each: images of a pool. */
const leading =
  (count: number, name = "self"): AxisRule =>
  (args) => {
    const { axis, shape } = tensor(args[name]);
    if (axis !== undefined && axis.dim >= shape.length - count) mixed("it combines elements along the rows");
    return axis;
  };

const samePlace: AxisRule = (args) => axisOf(args["self"]);

/** Returns the axis of an elementwise operator: operands broadcast from the last dimension. */
export function broadcastAxis(operands: readonly Tracked[], ndim: number): Axis | undefined {
  let found: Axis | undefined;
  for (const { axis, shape } of operands) {
    if (axis === undefined) continue;
    const dim = axis.dim + ndim - shape.length;
    if (found !== undefined && (found.dim !== dim || !sameSize(found.inner, axis.inner)))
      mixed("its operands have the rows in different dimensions");
    found = { dim, inner: axis.inner };
  }
  if (found === undefined) return undefined;
  for (const { axis, shape } of operands) {
    const at = found.dim - (ndim - shape.length);
    if (axis === undefined && at >= 0 && shape[at] !== 1)
      mixed("an operand that all rows share has several rows");
  }
  return found;
}

const matrices: AxisRule = ({ self, mat2 }) => {
  const [a, b] = [axisOf(self), axisOf(mat2)];
  if (a === undefined && b === undefined) return undefined;
  const isBatched = tensor(self).shape.length === 3;
  if (isBatched && a?.dim === 0 && b?.dim === 0 && sameSize(a.inner, b.inner)) return a;
  const last = tensor(self).shape.length - 1;
  if (a?.dim === last - 1 && b === undefined) return a;
  if (b?.dim === last && a === undefined) return b;
  return mixed("it multiplies rows with each other");
};

/** Adds a value to a product of matrices. */
const addedProduct =
  (left: string, right: string): AxisRule =>
  (args, shape, rows) => {
    const axis = matrices({ self: args[left], mat2: args[right] }, shape, rows) as Axis | undefined;
    const added = tensor(args["self"]);
    return broadcastAxis([added, { shape, dtype: "", axis }], shape.length);
  };

/** A tensor in another shape: the elements before the rows have to stay before them. */
const reshaped: AxisRule = ({ self }, shape, rows) => {
  const { axis, shape: from } = tensor(self);
  if (axis === undefined) return undefined;
  const before = product(from.slice(0, axis.dim));
  for (let dim = 0; dim < shape.length; dim++) {
    if (!sameSize(product(shape.slice(0, dim)), before)) continue;
    const inner = hasRows(shape[dim], rows) ? innerOf(shape[dim]!, rows) : undefined;
    if (inner !== undefined) return { dim, inner };
  }
  return mixed("the new shape does not keep the rows separate");
};

/** A tensor that is filled with one value: a row sees the same whatever the number of rows. */
const filled: AxisRule = (_, shape, rows) => {
  const dim = shape.findIndex((size) => hasRows(size, rows));
  const inner = dim < 0 ? undefined : innerOf(shape[dim]!, rows);
  return inner === undefined ? undefined : { dim, inner };
};

const joined: AxisRule = ({ tensors, dim }, shape) => {
  const all = tensors as readonly Tracked[];
  const at = position(dim, shape.length);
  const own = all.filter(({ axis }) => axis !== undefined);
  const [first] = own;
  if (first === undefined) return undefined;
  const { axis } = first;
  if (own.length < all.length) mixed("it joins rows with values that are not of rows");
  if (own.some((one) => one.axis!.dim !== axis!.dim || !sameSize(one.axis!.inner, axis!.inner)))
    mixed("its operands have the rows in different dimensions");
  if (axis!.dim === at) mixed("it joins rows to each other");
  return axis;
};

const END = 2 ** 62;

const sliced: AxisRule = ({ self, dim, start, end, step }, shape) => {
  const { axis, shape: from } = tensor(self);
  if (axis === undefined) return undefined;
  if (position(dim, from.length) !== axis.dim) return axis;
  const isWhole =
    (start === null || start === 0) &&
    step === 1 &&
    (end === null || (typeof end === "number" && end >= END) || sameSize(end as IntLike, from[axis.dim]!));
  return isWhole && sameSize(shape[axis.dim]!, from[axis.dim]!) ? axis : mixed("it selects some of the rows");
};

const selected: AxisRule = ({ self, dim }) => {
  const operand = tensor(self);
  const axis = keptAside(operand, dim);
  if (axis === undefined) return undefined;
  return position(dim, operand.shape.length) < axis.dim ? { ...axis, dim: axis.dim - 1 } : axis;
};

const permuted: AxisRule = ({ self, dims }) => {
  const { axis, shape } = tensor(self);
  if (axis === undefined) return undefined;
  return { ...axis, dim: (dims as number[]).findIndex((dim) => position(dim, shape.length) === axis.dim) };
};

const swapped: AxisRule = ({ self, dim0, dim1 }) => {
  const { axis, shape } = tensor(self);
  if (axis === undefined) return undefined;
  const [a, b] = [position(dim0 ?? 0, shape.length), position(dim1 ?? 1, shape.length)];
  return { ...axis, dim: axis.dim === a ? b : axis.dim === b ? a : axis.dim };
};

const unsqueezed: AxisRule = ({ self, dim }, shape) => {
  const axis = axisOf(self);
  if (axis === undefined) return undefined;
  return position(dim, shape.length) <= axis.dim ? { ...axis, dim: axis.dim + 1 } : axis;
};

const squeezed: AxisRule = ({ self, dim }) => {
  const { axis, shape } = tensor(self);
  if (axis === undefined) return undefined;
  const gone = [dim].flat().map((one) => position(one, shape.length));
  // Whether the dimension of the rows stays is decided by their number.
  if (gone.includes(axis.dim)) mixed("it drops the dimension of the rows where there is one row");
  return { ...axis, dim: axis.dim - gone.filter((one) => one < axis.dim && shape[one] === 1).length };
};

const expanded: AxisRule = ({ self }, shape, rows) => {
  const { axis, shape: from } = tensor(self);
  if (axis !== undefined) return { ...axis, dim: axis.dim + shape.length - from.length };
  return filled({}, shape, rows);
};

const repeated: AxisRule = ({ self, repeats }, shape) => {
  const { axis, shape: from } = tensor(self);
  if (axis === undefined) return undefined;
  const dim = axis.dim + shape.length - from.length;
  return (repeats as IntLike[])[dim] === 1 ? { ...axis, dim } : mixed("it repeats the rows");
};

const padded: AxisRule = ({ self, pad }) => {
  const { axis, shape } = tensor(self);
  const touched = shape.length - (pad as readonly IntLike[]).length / 2;
  return axis === undefined || axis.dim < touched ? axis : mixed("it adds elements along the rows");
};

const convolved: AxisRule = ({ input, weight, bias }) => {
  requireFixed(weight, bias);
  const axis = axisOf(input);
  const isBatch = axis?.dim === 0 && tensor(input).shape.length === tensor(weight).shape.length;
  return axis === undefined || isBatch ? axis : mixed("it combines elements along the rows");
};

const layerNormalized: AxisRule = (args) => {
  requireFixed(args["weight"], args["bias"]);
  const { axis, shape } = tensor(args["input"]);
  const first = shape.length - (args["normalized_shape"] as readonly unknown[]).length;
  return axis === undefined || axis.dim < first ? axis : mixed("it combines elements along the rows");
};

const groupNormalized: AxisRule = (args) => {
  requireFixed(args["weight"], args["bias"]);
  const axis = axisOf(args["input"]);
  return axis === undefined || axis.dim === 0 ? axis : mixed("it combines elements along the rows");
};

const batchNormalized: AxisRule = (args) => {
  const { input, weight, bias, running_mean, running_var } = args;
  requireFixed(weight, bias, running_mean, running_var);
  const axis = axisOf(input);
  if (axis?.dim === 1) mixed("it takes the rows for channels");
  return [axis, undefined, undefined];
};

const embedded: AxisRule = ({ weight, indices }) => {
  requireFixed(weight);
  return axisOf(indices);
};

const chosen: AxisRule = ({ self, dim, index }) => {
  const operand = tensor(self);
  const [axis, own] = [operand.axis, axisOf(index)];
  if (own === undefined) return axis === undefined ? undefined : keptAside(operand, dim);
  requireFixed(self);
  return { ...own, dim: position(dim, operand.shape.length) };
};

/**
 * `x[:, i, j]`: dimensions that indices replace stand where they were if they are neighbors, else
 * first.
 */
const indexed: AxisRule = ({ self, indices }) => {
  const { axis, shape } = tensor(self);
  const list = indices as readonly (Tracked | null)[];
  const given = list.flatMap((one, dim) => (one === null ? [] : [{ dim, index: one }]));
  const count = Math.max(0, ...given.map(({ index }) => index.shape.length));
  const own = broadcastAxis(
    given.map(({ index }) => index),
    count,
  );
  if (axis === undefined && own === undefined) return undefined;
  if (given.some(({ index }) => index.dtype === "bool" || index.dtype === "uint8"))
    mixed("it selects by a mask");
  const first = given[0]?.dim ?? shape.length;
  const start = given.at(-1)!.dim - first === given.length - 1 ? first : 0;
  if (axis === undefined) return { ...own!, dim: start + own!.dim };
  if (own !== undefined || given.some(({ dim }) => dim === axis.dim)) mixed("it selects rows by an index");
  const before = given.filter(({ dim }) => dim < axis.dim).length;
  return { ...axis, dim: axis.dim - before + (axis.dim < start ? 0 : count) };
};

const gathered: AxisRule = ({ self, dim, index }) => {
  const operand = tensor(self);
  const [axis, own] = [keptAside(operand, dim), axisOf(index)];
  if (axis === undefined && own === undefined) return undefined;
  if (axis === undefined || own === undefined || axis.dim !== own.dim || !sameSize(axis.inner, own.inner))
    mixed("its operands have the rows in different dimensions");
  return axis;
};

const sampled: AxisRule = ({ input, grid }) => {
  const [a, b] = [axisOf(input), axisOf(grid)];
  if (a === undefined && b === undefined) return undefined;
  return a?.dim === 0 && b?.dim === 0 && sameSize(a.inner, b.inner) ? a : mixed("it reads other rows");
};

const entries = (targets: string, rule: AxisRule): [string, AxisRule][] =>
  targets.split(" ").map((target) => [`aten.${target}`, rule]);

/** The rules by operator: those that `runDecompositions` leaves, and views. */
export const AXIS_RULES: ReadonlyMap<string, AxisRule> = new Map([
  ...entries(
    "clone.default alias.default detach.default lift_fresh_copy.default contiguous.default",
    samePlace,
  ),
  ...entries("full_like.default zeros_like.default ones_like.default _to_copy.default", samePlace),
  ...entries("full.default zeros.default ones.default", filled),
  ...entries(
    "_softmax.default _log_softmax.default cumsum.default cumprod.default logcumsumexp.default",
    along("dim"),
  ),
  ...entries("flip.default", along("dims")),
  ...entries("sort.default sort.stable topk.default cummax.default cummin.default", along("dim")),
  ...entries(
    "sum.dim_IntList mean.dim amax.default amin.default prod.dim_int logsumexp.default",
    reduced("dim"),
  ),
  ...entries(
    "any.dim any.dims all.dim all.dims argmax.default argmin.default var.correction std.correction",
    reduced("dim"),
  ),
  ...entries("linalg_vector_norm.default", reduced("dim")),
  ...entries("max.dim min.dim", reduced("dim")),
  ...entries("mm.default bmm.default", matrices),
  ...entries("addmm.default", addedProduct("mat1", "mat2")),
  ...entries("baddbmm.default", addedProduct("batch1", "batch2")),
  ...entries("convolution.default", convolved),
  ...entries("native_layer_norm.default", layerNormalized),
  ...entries("native_group_norm.default", groupNormalized),
  ...entries("_native_batch_norm_legit_no_training.default", batchNormalized),
  ...entries("embedding.default", embedded),
  ...entries("index_select.default", chosen),
  ...entries("gather.default", gathered),
  ...entries("index.Tensor", indexed),
  ...entries("grid_sampler_2d.default grid_sampler_3d.default", sampled),
  ...entries("max_pool2d_with_indices.default", leading(2)),
  ...entries("max_pool3d_with_indices.default", leading(3)),
  ...entries("avg_pool1d.default adaptive_avg_pool1d.default", leading(1)),
  ...entries("avg_pool2d.default _adaptive_avg_pool2d.default", leading(2)),
  ...entries("avg_pool3d.default _adaptive_avg_pool3d.default", leading(3)),
  ...entries("reflection_pad1d.default replication_pad1d.default", leading(1)),
  ...entries("upsample_nearest1d.vec upsample_linear1d.vec", leading(1, "input")),
  ...entries("upsample_nearest2d.vec upsample_bilinear2d.vec upsample_bicubic2d.vec", leading(2, "input")),
  ...entries("upsample_nearest3d.vec upsample_trilinear3d.vec", leading(3, "input")),
  ...entries("reflection_pad2d.default replication_pad2d.default", leading(2)),
  ...entries(
    "reflection_pad3d.default replication_pad3d.default pixel_shuffle.default pixel_unshuffle.default",
    leading(3),
  ),
  ...entries("constant_pad_nd.default", padded),
  ...entries("view.default _unsafe_view.default reshape.default", reshaped),
  ...entries("permute.default", permuted),
  ...entries("transpose.int t.default", swapped),
  ...entries("unsqueeze.default", unsqueezed),
  ...entries("squeeze.dim squeeze.dims", squeezed),
  ...entries("expand.default", expanded),
  ...entries("repeat.default", repeated),
  ...entries("slice.Tensor", sliced),
  ...entries("select.int", selected),
  ...entries("split_with_sizes.default split.Tensor", along("dim")),
  ...entries("unbind.int", selected),
  ...entries("cat.default", joined),
]);

/** Arguments that may name the number of rows: rules compare the sizes of the result. */
export const SIZE_ARGUMENTS: ReadonlySet<string> = new Set(["size", "N", "end", "repeats"]);
