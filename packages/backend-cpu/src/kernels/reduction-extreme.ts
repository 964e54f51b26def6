/** @file Largest and smallest elements, with or without their places. NaN beats everything. */
import type { Tensor } from "@sconce/tensor";
import { finishOutput, type NumberArray, openOutput } from "../kernel/dense.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { likeKeys, readKeys, rowsOf, writeKeys } from "./reduction-rows.js";

/** Position of the first maximum of a row; the first NaN when there is one. */
function argmaxOf(data: NumberArray, start: number, length: number): number {
  let best = start;
  for (let i = start; i < start + length; i++) {
    const value = data[i]!;
    if (value > data[best]!) best = i;
    else if (Number.isNaN(value)) return i;
  }
  return best;
}

/** Position of the first minimum of a row; the first NaN when there is one. */
function argminOf(data: NumberArray, start: number, length: number): number {
  let best = start;
  for (let i = start; i < start + length; i++) {
    const value = data[i]!;
    if (value < data[best]!) best = i;
    else if (Number.isNaN(value)) return i;
  }
  return best;
}

type Locate = (data: NumberArray, start: number, length: number) => number;

/** Fills `values` and `indices` (either may be left out) with what `locate` finds in each row. */
export function reduceByPosition(
  locate: Locate,
  self: Tensor,
  dims: readonly number[] | number | null,
  values?: Tensor,
  indices?: Tensor,
): void {
  const { tensor, count, length } = rowsOf(self, dims);
  const keys = readKeys(tensor);
  const found = likeKeys(keys, count);
  const places = indices === undefined ? undefined : openOutput(indices);
  for (let r = 0; r < count; r++) {
    const at = locate(keys, r * length, length);
    found[r] = keys[at]!;
    if (places !== undefined) places[r] = at - r * length;
  }
  if (values !== undefined) writeKeys(values, found);
  if (indices !== undefined) finishOutput(indices, places!);
}

type Reduce = { readonly self: Tensor; readonly dim?: readonly number[] | number | null };

const extreme =
  (locate: Locate): Kernel<Reduce> =>
  ({ self, dim = null }, context) => {
    const out = emptyOutput(context);
    reduceByPosition(locate, self, dim, out);
    return out;
  };

const extremeWithIndex =
  (locate: Locate): Kernel<Reduce, readonly [Tensor, Tensor]> =>
  ({ self, dim = null }, context) => {
    const [values, indices] = emptyOutputs(context);
    reduceByPosition(locate, self, dim, values, indices);
    return [values, indices];
  };

const place =
  (locate: Locate): Kernel<Reduce> =>
  ({ self, dim = null }, context) => {
    const out = emptyOutput(context);
    reduceByPosition(locate, self, dim, undefined, out);
    return out;
  };

const aminmax: Kernel<Reduce, readonly [Tensor, Tensor]> = ({ self, dim = null }, context) => {
  const [low, high] = emptyOutputs(context);
  reduceByPosition(argminOf, self, dim, low);
  reduceByPosition(argmaxOf, self, dim, high);
  return [low, high];
};

export const reductionExtremeKernels = defineKernels([
  kernel("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", extreme(argmaxOf)),
  kernel("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", extreme(argminOf)),
  kernel("aten::max(Tensor self) -> Tensor", extreme(argmaxOf)),
  kernel("aten::min(Tensor self) -> Tensor", extreme(argminOf)),
  kernel(
    "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    extremeWithIndex(argmaxOf),
  ),
  kernel(
    "aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    extremeWithIndex(argminOf),
  ),
  kernel("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", place(argmaxOf)),
  kernel("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", place(argminOf)),
  kernel(
    "aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
    aminmax,
  ),
]);
