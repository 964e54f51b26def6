/**
 * @file Reading and writing along one dimension by an index tensor: `gather`, `scatter*`,
 * `index_*`, `take`, `put`.
 */

import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { castTensor, positionsOf, type Tensor, wrapDimension } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { isHalf } from "../kernel/half.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { type Combine, combineAt, divideByCount, reduceAt } from "./index-combine.js";
import {
  copyAsOutput,
  dynamicOutput,
  gatherByAxes,
  gatherElements,
  moveElements,
  positionsByAxes,
  readIndices,
  readPlainIndices,
} from "./index-elements.js";
import { elementwise, isTensorOperand, map2, type Operand } from "./pointwise-loop.js";
import { checkInRange, itemOf } from "./scalar-range.js";

type ByIndex = { readonly self: Tensor; readonly dim: number; readonly index: Tensor };

/**
 * Positions in `tensor` of the elements that `index` names: its own coordinates, but for the one in
 * `dim`.
 */
function namedPositions(tensor: Tensor, dim: number, index: Tensor): Int32Array {
  const d = wrapDimension(dim, tensor.ndim);
  const along = tensor.strides[d] ?? 1;
  const values = readPlainIndices(index, tensor.shape[d] ?? 1, d);
  const strides = index.shape.map((_, k) => (k === d ? 0 : (tensor.strides[k] ?? 0)));
  const positions = positionsOf(index.shape, { strides, storageOffset: tensor.storageOffset });
  for (let i = 0; i < positions.length; i++) positions[i]! += along * values[i]!;
  return positions;
}

const gather = kernel(
  "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
  ({ self, dim, index }, context) =>
    gatherElements(emptyOutput(context), self, namedPositions(self, dim, index)),
);

/** Returns the corner of `src` that has the shape of the index, in the target's dtype. */
const corner = (src: Tensor, index: Tensor, target: Tensor): Tensor =>
  castTensor(
    src.asStrided(index.shape, src.strides.length === index.ndim ? src.strides : index.shape.map(() => 0)),
    target.dtype,
  );

/** Returns a number, or a 0-d tensor, repeated as often as the index has elements. */
function repeated(value: Operand, index: Tensor, target: Tensor): Tensor {
  const out = dynamicOutput([], target.dtype);
  elementwise({ real: map2((x) => x), big: (x) => x, complex: (to, [x]) => to.set(x!) }, out, [value, value]);
  return out.asStrided(
    index.shape,
    index.shape.map(() => 0),
  );
}

const REDUCTIONS: Readonly<Record<string, Combine>> = {
  add: "sum",
  multiply: "prod",
  sum: "sum",
  prod: "prod",
  mean: "mean",
  amax: "amax",
  amin: "amin",
};

type Scatter = ByIndex & { readonly src?: Tensor; readonly value?: ScalarLiteral; readonly reduce?: string };

const scatter =
  (how?: Combine): Kernel<Scatter> =>
  ({ self, dim, index, src, value, reduce }, context) => {
    const out = copyAsOutput(context, self);
    if (index.numel === 0) return out;
    const source = (target: Tensor): Tensor =>
      src === undefined ? repeated(value!, index, target) : corner(src, index, target);
    const named = how ?? REDUCTIONS[reduce ?? ""];
    if (named === undefined) combineAt(out, namedPositions(out, dim, index), source(out), "replace");
    else inFloat32(out, (sums) => combineAt(sums, namedPositions(sums, dim, index), source(sums), named));
    return out;
  };

/** Gathers halves in float32 and rounds once; other dtypes are gathered in place. */
function inFloat32(out: Tensor, gatherInto: (sums: Tensor) => void): void {
  if (!isHalf(out.dtype)) gatherInto(out);
  else {
    const sums = castTensor(out, "float32");
    gatherInto(sums);
    copyInto(out, sums);
  }
}

/** A sum of halves is rounded before a mean divides it. */
const scatterReduce = kernel(
  "aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor",
  ({ self, dim, index, src, reduce, include_self: include }, context) => {
    const out = copyAsOutput(context, self);
    const how = REDUCTIONS[reduce]!;
    inFloat32(out, (sums) =>
      reduceAt(sums, namedPositions(sums, dim, index), corner(src, index, sums), how, include),
    );
    if (how === "mean") divideByCount(out, namedPositions(out, dim, index), include);
    return out;
  },
);

const indexSelect = kernel(
  "aten::index_select(Tensor self, int dim, Tensor index) -> Tensor",
  ({ self, dim, index }, context) => {
    const out = emptyOutput(context);
    const d = wrapDimension(dim, self.ndim);
    const values = readPlainIndices(index, self.shape[d] ?? 1, d);
    return gatherByAxes(
      out,
      self,
      self.shape.map((_, k) => (k === d ? values : null)),
    );
  },
);

/**
 * Positions in `out` of the slices that a one-dimensional index names, in row-major order of the
 * source.
 */
function slicePositions(out: Tensor, dim: number, index: Tensor): Int32Array {
  const d = wrapDimension(dim, out.ndim);
  const size = out.shape[d] ?? 1;
  const values = readIndices(
    index,
    size,
    (value) => `index ${value} is out of bounds for dimension ${d} with size ${size}`,
  );
  const shape = out.shape.map((extent, k) => (k === d ? values.length : extent));
  return positionsByAxes(
    shape,
    out,
    out.shape.map((_, k) => (k === d ? values : null)),
  );
}

const indexAdd = kernel(
  "aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
  ({ self, dim, index, source, alpha }, context) => {
    const out = copyAsOutput(context, self);
    if (out.numel === 0) return out;
    const isPlain = toNumber(alpha) === 1;
    const added = isPlain ? source : scaled(source, alpha);
    const add = (sums: Tensor): void =>
      combineAt(sums, slicePositions(sums, dim, index), castTensor(added, sums.dtype), "sum");
    // PyTorch hands these calls to `scatter_add`; elsewhere each sum of halves is rounded.
    const isScatter = isPlain && index.dtype === "int64" && isOuterOrInner(dim, self.ndim);
    if (isScatter) inFloat32(out, add);
    else add(out);
    return out;
  },
);

/** Returns whether a dimension of several is the first or the last. */
function isOuterOrInner(dim: number, ndim: number): boolean {
  const d = wrapDimension(dim, ndim);
  return ndim > 1 && (d === 0 || d === ndim - 1);
}

function scaled(source: Tensor, alpha: ScalarLiteral): Tensor {
  const out = dynamicOutput(source.shape, source.dtype);
  const complex = (to: Float64Array, [x, a]: readonly Float64Array[]): void => {
    for (let i = 0; i < x!.length; i++) to[i] = x![i]! * a![i - (i % 2)]!;
  };
  return elementwise({ real: map2((x, a) => x * a), big: (x, a) => x * a, complex }, out, [source, alpha]);
}

/** Returns whether slices have no elements, so that PyTorch does not look at their places. */
const hasEmptySlices = ({ shape }: Tensor, dim: number): boolean =>
  shape.some((size, d) => size === 0 && d !== wrapDimension(dim, shape.length));

const indexCopy = kernel(
  "aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
  ({ self, dim, index, source }, context) => {
    const out = copyAsOutput(context, self);
    if (index.numel === 0 || hasEmptySlices(out, dim)) return out;
    const positions = slicePositions(out, dim, index);
    moveElements(out, positions, source, positionsOf(source.shape, source), positions.length);
    return out;
  },
);

const indexFill: Kernel<ByIndex & { value: Operand }> = ({ self, dim, index, value }, context) => {
  if (isTensorOperand(value)) checkInRange(itemOf(value), self.dtype);
  const out = copyAsOutput(context, self);
  if (index.numel === 0 || hasEmptySlices(out, dim)) return out;
  const positions = slicePositions(out, dim, index);
  const one = repeated(isTensorOperand(value) ? value.asStrided([], []) : value, index, out);
  moveElements(out, positions, one, scratch(Int32Array, positions.length), positions.length);
  return out;
};

const indexReduce = kernel(
  "aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor",
  ({ self, dim, index, source, reduce, include_self: include }, context) => {
    const out = copyAsOutput(context, self);
    const how = REDUCTIONS[reduce]!;
    const positions = slicePositions(out, dim, index);
    reduceAt(out, positions, source, how, include);
    // Counts are sums as those of `index_add`.
    if (how === "mean") divideByCount(out, positions, include, !isOuterOrInner(dim, self.ndim));
    return out;
  },
);

/** Positions of elements numbered in row-major order. */
function flatPositions(self: Tensor, index: Tensor): Int32Array {
  const values = readIndices(
    index,
    self.numel,
    (value) => `out of range: tried to access index ${value} on a tensor of ${self.numel} elements.`,
  );
  const all = positionsOf(self.shape, self);
  return Int32Array.from(values, (value) => all[value]!);
}

const take = kernel("aten::take(Tensor self, Tensor index) -> Tensor", ({ self, index }, context) =>
  gatherElements(emptyOutput(context), self, flatPositions(self, index)),
);

const put = kernel(
  "aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
  ({ self, index, source, accumulate }, context) => {
    const out = copyAsOutput(context, self);
    combineAt(out, flatPositions(out, index), source, accumulate ? "sum" : "replace");
    return out;
  },
);

const anyScatter = scatter();

export const scatterKernels = defineKernels([
  gather,
  kernel(
    [
      "aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
      "aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
      "aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
      "aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
    ],
    anyScatter,
  ),
  kernel("aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter("sum")),
  scatterReduce,
  indexSelect,
  indexAdd,
  indexCopy,
  kernel(
    [
      "aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
      "aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
    ],
    indexFill,
  ),
  indexReduce,
  take,
  put,
]);
