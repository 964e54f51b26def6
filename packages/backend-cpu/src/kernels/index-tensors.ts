/** @file `x[i, :, mask]` and its writing counterparts. */

import type { FakeTensor, ScalarLiteral } from "@sconce/ir";
import { placesMismatch, shapeMismatch } from "@sconce/ops";
import { evaluateInt, SymExpr } from "@sconce/symbolic";
import { broadcastsTo, broadcastView, castTensor, numel, positionsOf, type Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { readNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, type Kernel, type KernelContext, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { combineAt } from "./index-combine.js";
import { copyAsOutput, dynamicOutput, gatherElements, moveElements, readIndices } from "./index-elements.js";
import { nonzeroCoordinates } from "./nonzero.js";
import { complexOf } from "./pointwise-loop.js";
import { checkInRange, itemOf } from "./scalar-range.js";

type Indices = readonly (Tensor | null)[];

/** Which elements an advanced index means. */
interface Selection {
  readonly shape: readonly number[];
  /** Storage positions in row-major order of `shape`. */
  readonly positions: Int32Array;
}

/**
 * One dimension's index values, of the common broadcast shape once {@link broadcastAll} is done.
 */
interface AxisIndex {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** Replaces each mask by one index for each of its dimensions. */
function expandMasks(self: Tensor, indices: Indices): (AxisIndex | null)[] {
  const axes: (AxisIndex | null)[] = [];
  for (const index of indices) {
    if (index === null) axes.push(null);
    else if (index.dtype === "bool" || index.dtype === "uint8")
      axes.push(...maskAxes(self, index, axes.length));
    else {
      const d = axes.length;
      const size = self.shape[d]!;
      const isRead = self.numel > 0 || size === 0;
      const what = (value: number): string =>
        `index ${value} is out of bounds for dimension ${d} with size ${size}`;
      // Where nothing is moved, PyTorch does not look at places.
      const values = isRead ? readIndices(index, size, what) : new Float64Array(index.numel);
      axes.push({ shape: index.shape, values });
    }
  }
  return axes;
}

function maskAxes(self: Tensor, mask: Tensor, first: number): AxisIndex[] {
  mask.shape.forEach((size, d) => {
    if (size !== self.shape[first + d]) {
      throw invalidArgument(
        `The shape of the mask [${mask.shape.join(", ")}] at index ${d} does not match the ` +
          `shape of the indexed tensor [${self.shape.join(", ")}] at index ${first + d}`,
      );
    }
  });
  return nonzeroCoordinates(mask).map((values) => ({ shape: [values.length], values }));
}

function broadcastAll(axes: readonly (AxisIndex | null)[]): number[] {
  const shape: number[] = [];
  for (const axis of axes) {
    if (axis === null) continue;
    for (let k = 1; k <= axis.shape.length; k++) {
      const size = axis.shape.at(-k)!;
      const known = shape.at(-k);
      if (known === undefined) shape.unshift(size);
      else if (known === 1) shape[shape.length - k] = size;
      else if (size !== 1 && size !== known) {
        const shapes = axes.flatMap((a) => (a === null ? [] : [`[${a.shape.join(", ")}]`])).join(", ");
        throw invalidArgument(
          `shape mismatch: indexing tensors could not be broadcast together with shapes ${shapes}`,
        );
      }
    }
  }
  return shape;
}

/**
 * Sum of index times stride over all indexed dimensions, for each element of the broadcast index
 * shape.
 */
function indexOffsets(
  self: Tensor,
  axes: readonly (AxisIndex | null)[],
  shape: readonly number[],
): Float64Array {
  const offsets = scratch(Float64Array, numel(shape));
  axes.forEach((axis, d) => {
    if (axis === null) return;
    const strides = contiguousOf(axis.shape);
    const places = positionsOf(shape, broadcastView({ shape: axis.shape, strides, storageOffset: 0 }, shape));
    const stride = self.strides[d]!;
    for (let i = 0; i < offsets.length; i++) offsets[i]! += stride * axis.values[places[i]!]!;
  });
  return offsets;
}

function contiguousOf(shape: readonly number[]): number[] {
  const strides = shape.map(() => 1);
  for (let d = shape.length - 2; d >= 0; d--) strides[d] = strides[d + 1]! * shape[d + 1]!;
  return strides;
}

/**
 * Index dimensions take the place of the indexed ones when those are side by side, else they come
 * first.
 */
function select(self: Tensor, indices: Indices): Selection {
  const axes = expandMasks(self, indices);
  while (axes.length < self.ndim) axes.push(null);
  const shape = broadcastAll(axes);
  const offsets = indexOffsets(self, axes, shape);
  const indexed = axes.flatMap((axis, d) => (axis === null ? [] : [d]));
  const adjacent = indexed.every((d, k) => k === 0 || d === indexed[k - 1]! + 1);
  const kept = axes.flatMap((axis, d) => (axis === null ? [d] : []));
  const before = adjacent ? kept.filter((d) => d < (indexed[0] ?? 0)) : [];
  const after = adjacent ? kept.filter((d) => d >= (indexed[0] ?? 0)) : kept;
  const lead = keptPositions(self, before, self.storageOffset);
  const tail = keptPositions(self, after, 0);
  const positions = scratch(Int32Array, lead.length * offsets.length * tail.length);
  let at = 0;
  for (const base of lead) {
    for (const offset of offsets) for (const rest of tail) positions[at++] = base + offset + rest;
  }
  const sizes = (dims: readonly number[]): number[] => dims.map((d) => self.shape[d]!);
  return { shape: [...sizes(before), ...shape, ...sizes(after)], positions };
}

const keptPositions = (self: Tensor, dims: readonly number[], storageOffset: number): Int32Array =>
  positionsOf(
    dims.map((d) => self.shape[d]!),
    { strides: dims.map((d) => self.strides[d]!), storageOffset },
  );

type Index = { readonly self: Tensor; readonly indices: Indices };

/** Returns the predicted strides, with the size that depends on the masks filled in. */
function knownStrides({ meta }: KernelContext, shape: readonly number[]): readonly number[] {
  const predicted = meta as FakeTensor;
  const sizes = new Map<string, number>();
  predicted.shape.forEach((size, d) => {
    if (size instanceof SymExpr) sizes.set(size.name, shape[d]!);
  });
  return predicted.strides.map((stride) => evaluateInt(stride, sizes));
}

const index: Kernel<Index> = ({ self, indices }, context) => {
  const dynamic = indices.some((one) => one !== null && (one.dtype === "bool" || one.dtype === "uint8"));
  // Before the positions are made, which may take as much: an output that is too large is refused.
  const known = dynamic ? undefined : emptyOutput(context);
  const { shape, positions } = select(self, indices);
  const out = known ?? dynamicOutput(shape, self.dtype, knownStrides(context, shape));
  return gatherElements(out, self, positions);
};

/** Returns whether a single value is written wherever one mask is true. */
const isFill = (indices: Indices, values: Tensor, accumulate: boolean): boolean => {
  const given = indices.filter((index) => index !== null);
  return !accumulate && values.numel === 1 && given.length === 1 && given[0]!.dtype === "bool";
};

/** Writes `values`, broadcast, into the selected elements of `out`. */
function put(out: Tensor, indices: Indices, values: Tensor, accumulate: boolean): Tensor {
  const { shape, positions } = select(out, indices);
  const whole = castTensor(values, out.dtype);
  // A single value fills what a mask selects, in whatever dimensions.
  const cast = isFill(indices, values, accumulate) ? whole.asStrided([], [], whole.storageOffset) : whole;
  // The shape rule does not know how many places a mask selects.
  if (!broadcastsTo(cast.shape, shape))
    throw shapeMismatch(placesMismatch(`[${cast.shape.join(", ")}]`, `shape [${shape.join(", ")}]`));
  const view = broadcastView(cast, shape);
  if (accumulate) combineAt(out, positions, cast.asStrided(shape, view.strides, view.storageOffset), "sum");
  else moveElements(out, positions, cast, positionsOf(shape, view), positions.length);
  return out;
}

const indexPut = kernel(
  [
    "aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
    "aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
  ],
  ({ self, indices, values, accumulate }, context) =>
    put(copyAsOutput(context, self), indices, inDTypeOf(self, values), accumulate),
);

/** Returns the values. Only a fill under a mask allows another dtype, in which they have to fit. */
function inDTypeOf(self: Tensor, values: Tensor): Tensor {
  if (values.dtype !== self.dtype) checkInRange(itemOf(values), self.dtype);
  return values;
}

/**
 * Indices held inside of their dimensions, where negative ones count from the end: what lies
 * outside is masked, and only must not be looked at.
 */
function clampedIndices(self: Tensor, indices: Indices): Indices {
  return indices.map((one, d) => {
    if (one === null) return null;
    const size = self.shape[d]!;
    const safe = dynamicOutput(one.shape, "int64");
    const out = safe.data as BigInt64Array;
    readNumbers(one).forEach((value: number, i: number) => {
      out[i] = BigInt(Math.min(Math.max(value, -size), size - 1));
    });
    return safe;
  });
}

const unsafeMaskedIndex = kernel(
  "aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor",
  ({ self, mask, indices, fill }, context) => {
    if (self.numel > 0) return maskedGather(self, mask, clampedIndices(self, indices), fill, context);
    // PyTorch's kernel gives size 0 to dimensions without an index, other than its rule.
    const rest = self.shape.slice(indices.length);
    if (rest.some((size) => size > 0))
      throw invalidArgument(
        `no index is given for dimensions of sizes [${rest.join(", ")}] of an empty tensor`,
      );
    const out = emptyOutput(context);
    copyInto(out, castTensor(scalarTensor(fill), self.dtype));
    return out;
  },
);

function maskedGather(
  self: Tensor,
  mask: Tensor,
  indices: Indices,
  fill: ScalarLiteral,
  context: KernelContext,
): Tensor {
  const out = emptyOutput(context);
  const { shape, positions } = select(self, indices);
  const filler = castTensor(scalarTensor(fill), self.dtype);
  const holds = readNumbers(mask, out.shape);
  const selected = dynamicOutput(shape, self.dtype);
  gatherElements(selected, self, positions);
  // The mask may have more elements than are selected.
  copyInto(out, selected);
  const outPositions = positionsOf(out.shape, out);
  const wanting = outPositions.filter((_, i) => !holds[i]);
  moveElements(out, wanting, filler, scratch(Int32Array, wanting.length), wanting.length);
  return out;
}

function scalarTensor(value: ScalarLiteral): Tensor {
  const { re, im } = complexOf(value);
  const tensor = dynamicOutput([], im === 0 ? "float64" : "complex128");
  (tensor.data as Float64Array).set(im === 0 ? [re] : [re, im]);
  return tensor;
}

const unsafeMaskedIndexPut = kernel(
  "aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor",
  ({ self, mask, indices, values }, context) => {
    const out = copyAsOutput(context, self);
    if (self.numel === 0) return out;
    const { shape, positions } = select(out, clampedIndices(self, indices));
    const holds = readNumbers(mask, shape);
    const kept = dynamicOutput(shape, out.dtype);
    copyInto(kept, castTensor(values, out.dtype));
    const places = positions.filter((_, i) => holds[i]);
    const from = positionsOf(shape, kept).filter((_, i) => holds[i]);
    const chosen = dynamicOutput([places.length], out.dtype);
    gatherElements(chosen, kept, from);
    combineAt(out, places, chosen, "sum");
    return out;
  },
);

export const indexTensorsKernels = defineKernels([
  kernel(
    [
      "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
      "aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
    ],
    index,
  ),
  indexPut,
  unsafeMaskedIndex,
  unsafeMaskedIndexPut,
]);
