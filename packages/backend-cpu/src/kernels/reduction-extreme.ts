/** @file Largest and smallest elements, with or without their places. NaN beats everything. */
import type { Tensor } from "@sconce/tensor";
import { finishOutput, type NumberArray, openOutput } from "../kernel/dense.js";
import { type AnyKernel, defineKernels, emptyOutput, emptyOutputs, kernel } from "../kernel/kernel.js";
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

const extreme = (locate: Locate): AnyKernel =>
  kernel<Reduce>(({ self, dim = null }, context) => {
    const out = emptyOutput(context);
    reduceByPosition(locate, self, dim, out);
    return out;
  });

const extremeWithIndex = (locate: Locate): AnyKernel =>
  kernel<Reduce>(({ self, dim = null }, context) => {
    const [values, indices] = emptyOutputs(context) as [Tensor, Tensor];
    reduceByPosition(locate, self, dim, values, indices);
    return [values, indices];
  });

const place = (locate: Locate): AnyKernel =>
  kernel<Reduce>(({ self, dim = null }, context) => {
    const out = emptyOutput(context);
    reduceByPosition(locate, self, dim, undefined, out);
    return out;
  });

const aminmax = kernel<Reduce>(({ self, dim = null }, context) => {
  const [low, high] = emptyOutputs(context) as [Tensor, Tensor];
  reduceByPosition(argminOf, self, dim, low);
  reduceByPosition(argmaxOf, self, dim, high);
  return [low, high];
});

export const reductionExtremeKernels = defineKernels({
  "aten.amax.default": extreme(argmaxOf),
  "aten.amin.default": extreme(argminOf),
  "aten.max.default": extreme(argmaxOf),
  "aten.min.default": extreme(argminOf),
  "aten.max.dim": extremeWithIndex(argmaxOf),
  "aten.min.dim": extremeWithIndex(argminOf),
  "aten.argmax.default": place(argmaxOf),
  "aten.argmin.default": place(argminOf),
  "aten.aminmax.default": aminmax,
});
