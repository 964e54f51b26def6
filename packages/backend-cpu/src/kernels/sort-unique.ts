/**
 * @file Distinct elements or slices: `unique` in its several forms. Result sizes depend on the
 * data.
 */

import { contiguousStrides, type DType, numel, type Tensor, wrapDimension } from "@sconce/tensor";
import { type NumberArray, writeNumbers } from "../kernel/dense.js";
import { defineKernels, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { dynamicOutput, gatherByAxes } from "./index-elements.js";
import { compareAscending, sortedPositions } from "./order-statistic.js";
import { likeKeys, readKeys, writeKeys } from "./reduction-rows.js";

/** Runs of equal neighbors among `count` items visited in an order. */
interface Groups {
  /** The first item of each group. */
  readonly firsts: readonly number[];
  /** The group of each item. */
  readonly inverse: Float64Array;
  readonly counts: readonly number[];
}

function groupNeighbors(order: ArrayLike<number>, same: (a: number, b: number) => boolean): Groups {
  const firsts: number[] = [];
  const counts: number[] = [];
  const inverse = scratch(Float64Array, order.length);
  for (let i = 0; i < order.length; i++) {
    const item = order[i]!;
    if (i === 0 || !same(order[i - 1]!, item)) {
      firsts.push(item);
      counts.push(0);
    }
    counts[counts.length - 1]!++;
    inverse[item] = firsts.length - 1;
  }
  return { firsts, inverse, counts };
}

/** Returns a tensor of int64 numbers; empty, of shape [0], when it was not asked for. */
function numbersTensor(values: ArrayLike<number>, shape: readonly number[], wanted: boolean): Tensor {
  const out = dynamicOutput(wanted ? shape : [0], "int64");
  if (wanted) writeNumbers(out, values);
  return out;
}

function chosenKeys(keys: NumberArray, places: readonly number[], dtype: DType): Tensor {
  const chosen = likeKeys(keys, places.length);
  for (let i = 0; i < places.length; i++) chosen[i] = keys[places[i]!]!;
  return writeKeys(dynamicOutput([places.length], dtype), chosen);
}

type Wanted = { readonly self: Tensor; readonly return_inverse: boolean; readonly return_counts: boolean };

function flatResults(
  { self, return_inverse: inverse, return_counts: counts }: Wanted,
  keys: NumberArray,
  groups: Groups,
): [values: Tensor, inverse: Tensor, counts: Tensor] {
  return [
    chosenKeys(keys, groups.firsts, self.dtype),
    numbersTensor(groups.inverse, self.shape, inverse),
    numbersTensor(groups.counts, [groups.counts.length], counts),
  ];
}

const unique = (args: Wanted): [values: Tensor, inverse: Tensor, counts: Tensor] => {
  const keys = readKeys(args.self);
  const order = sortedPositions(keys, 0, keys.length);
  return flatResults(
    args,
    keys,
    groupNeighbors(order, (a, b) => keys[a] === keys[b]),
  );
};

/** Returns each slice along a dimension as one row of keys. */
function sliceRows(self: Tensor, dim: number): { keys: NumberArray; count: number; length: number } {
  const others = self.shape.map((_, d) => d).filter((d) => d !== dim);
  const order = [dim, ...others];
  const view = self.asStrided(
    order.map((d) => self.shape[d]!),
    order.map((d) => self.strides[d]!),
  );
  return { keys: readKeys(view), count: self.shape[dim]!, length: numel(others.map((d) => self.shape[d]!)) };
}

function compareRows(keys: NumberArray, length: number, a: number, b: number): number {
  for (let i = 0; i < length; i++) {
    const order = compareAscending(keys[a * length + i]!, keys[b * length + i]!);
    if (order !== 0) return order;
  }
  return 0;
}

/** With a dimension PyTorch gives inverse and counts whether asked for or not. */
function sliceResults(
  { self }: { readonly self: Tensor },
  dim: number,
  groups: Groups,
): [Tensor, Tensor, Tensor] {
  const shape = self.shape.map((size, d) => (d === dim ? groups.firsts.length : size));
  // The dimension comes first in memory, as PyTorch's kernel leaves it.
  const others = shape.filter((_, d) => d !== dim);
  const rest = contiguousStrides(others);
  const values = gatherByAxes(
    dynamicOutput(shape, self.dtype, [...rest.slice(0, dim), numel(others), ...rest.slice(dim)]),
    self,
    shape.map((_, d) => (d === dim ? groups.firsts : null)),
  );
  return [
    values,
    numbersTensor(groups.inverse, [self.shape[dim]!], true),
    numbersTensor(groups.counts, [groups.counts.length], true),
  ];
}

const uniqueDim = kernel(
  "aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
  (args) => {
    const dim = wrapDimension(args.dim, args.self.ndim);
    const { keys, count, length } = sliceRows(args.self, dim);
    const order = Uint32Array.from({ length: count }, (_, i) => i).sort(
      (a, b) => compareRows(keys, length, a, b) || a - b,
    );
    return sliceResults(
      args,
      dim,
      groupNeighbors(order, (a, b) => compareRows(keys, length, a, b) === 0),
    );
  },
);

const uniqueConsecutive = kernel(
  "aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)",
  (args) => {
    const { self } = args;
    if (args.dim === null || (args.dim === 0 && self.ndim === 1)) {
      const keys = readKeys(self);
      const order = Uint32Array.from({ length: keys.length }, (_, i) => i);
      return flatResults(
        args,
        keys,
        groupNeighbors(order, (a, b) => keys[a] === keys[b]),
      );
    }
    const dim = wrapDimension(args.dim, self.ndim);
    const { keys, count, length } = sliceRows(self, dim);
    const order = Uint32Array.from({ length: count }, (_, i) => i);
    return sliceResults(
      args,
      dim,
      groupNeighbors(order, (a, b) => compareRows(keys, length, a, b) === 0),
    );
  },
);

/** The older overload: values and inverse only. */
const uniqueOld = kernel(
  "aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)",
  (args) => {
    const [values, inverse] = unique({ ...args, return_counts: false });
    return [values, inverse];
  },
);

export const sortUniqueKernels = defineKernels([
  kernel(
    "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
    unique,
  ),
  uniqueOld,
  uniqueDim,
  uniqueConsecutive,
]);
