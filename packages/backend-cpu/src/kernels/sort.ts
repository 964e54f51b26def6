/**
 * @file Sorting along a dimension: `sort`, `topk`, `argsort`. Always stable; NaN counts as the
 * largest value.
 */

import type { Tensor } from "@sconce/tensor";
import { type NumberArray, writeNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { compareAscending } from "./order-statistic.js";
import { likeKeys, moveLast, readKeys, reducedDims, writeKeys } from "./reduction-rows.js";
import { precedes, selectFirst } from "./select-position.js";

/** Positions of a row in order, equal values as they came. */
export function sortRow(data: NumberArray, start: number, length: number, descending: boolean): Uint32Array {
  const positions = scratch(Uint32Array, length);
  for (let i = 0; i < length; i++) positions[i] = start + i;
  return descending
    ? positions.sort((a, b) => compareAscending(data[b]!, data[a]!) || a - b)
    : positions.sort((a, b) => compareAscending(data[a]!, data[b]!) || a - b);
}

/** Returns the first positions of a row in order. */
function firstOfRow(
  data: NumberArray,
  start: number,
  length: number,
  take: number,
  descending: boolean,
): Uint32Array {
  const positions = scratch(Uint32Array, length);
  for (let i = 0; i < length; i++) positions[i] = start + i;
  selectFirst(data, positions, take, descending);
  return positions.subarray(0, take).sort((a, b) => (precedes(data, a, b, descending) ? -1 : 1));
}

/** Writes the first `kept` of each sorted row, and their places in it. */
function sortInto(
  self: Tensor,
  dim: number,
  descending: boolean,
  kept: number | undefined,
  values: Tensor | undefined,
  indices: Tensor,
): void {
  const dims = reducedDims(self.ndim, dim);
  const input = moveLast(self, dims);
  const length = input.shape.at(-1) ?? 1;
  // A tensor without dimensions is its own top, whatever number is asked for.
  const take = self.ndim === 0 ? 1 : (kept ?? length);
  const data = readKeys(input);
  const rows = length === 0 ? 0 : data.length / length;
  const sorted = likeKeys(data, rows * take);
  const places = scratch(Float64Array, rows * take);
  for (let r = 0; r < rows; r++) {
    const order =
      take < length
        ? firstOfRow(data, r * length, length, take, descending)
        : sortRow(data, r * length, length, descending);
    for (let i = 0; i < take; i++) {
      sorted[r * take + i] = data[order[i]!]!;
      places[r * take + i] = order[i]! - r * length;
    }
  }
  if (values !== undefined) writeKeys(moveLast(values, dims), sorted);
  writeNumbers(moveLast(indices, dims), places);
}

type Sort = { readonly self: Tensor; readonly dim: number; readonly descending: boolean };

const sort: Kernel<Sort, readonly [Tensor, Tensor]> = ({ self, dim, descending }, context) => {
  const [values, indices] = emptyOutputs(context);
  sortInto(self, dim, descending, undefined, values, indices);
  return [values, indices];
};

const argsort = kernel(
  [
    "aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
    "aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
  ],
  ({ self, dim, descending }, context) => {
    const indices = emptyOutput(context);
    sortInto(self, dim, descending, undefined, undefined, indices);
    return indices;
  },
);

const topk = kernel(
  "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
  ({ self, k, dim, largest }, context) => {
    const [values, indices] = emptyOutputs(context);
    sortInto(self, dim, largest, k, values, indices);
    return [values, indices];
  },
);

export const sortKernels = defineKernels([
  kernel(
    [
      "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
      "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
    ],
    sort,
  ),
  argsort,
  topk,
]);
