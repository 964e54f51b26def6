/** @file Rows that each element of a batch chooses, as functorch gathers them. */
import type { FakeTensor } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { wrapDimension } from "@sconce/tensor";
import { BatchedTensor } from "./batched-tensor.js";

/** Calls an operator of ATen, on tensors of which calls see one element of a batch. */
export type BatchCalls = (name: string, ...args: readonly EmitArg[]) => FakeTensor;

/** Returns whether an index names rows: the same for all elements, or several for each. */
export const isOfRows = (index: EmitArg): boolean => !(index instanceof BatchedTensor) || index.ndim > 0;

/** Returns rows of each element. */
export function selected(call: BatchCalls, self: FakeTensor, given: number, index: FakeTensor): EmitArg {
  const dim = wrapDimension(given, self.ndim);
  const count = index.shape[0] ?? 1;
  let places = index;
  if (self.ndim > 1 || index.ndim === 0) {
    const ones = self.shape.map((_, d) => (d === dim ? count : 1));
    places = call("view.default", places, ones);
    places = call("expand.default", places, self.shape.with(dim, count));
  }
  return call("gather.default", self, dim, places);
}
