import type { FakeTensor, IntLike } from "@sconce/ir";
import type { Emit } from "../rows/emit.js";

/** What losses do with their elements (`at::Reduction`). */
export const REDUCTION = { none: 0, mean: 1, sum: 2 } as const;

/** Returns the mean, the sum, or the elements themselves. */
export function reduceLoss(emit: Emit, loss: FakeTensor, reduction: IntLike): FakeTensor {
  if (reduction === REDUCTION.mean) return emit("aten.mean.default", [loss]);
  if (reduction === REDUCTION.sum) return emit("aten.sum.default", [loss]);
  return loss;
}
