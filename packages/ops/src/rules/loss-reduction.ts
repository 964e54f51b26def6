import type { FakeTensor, SymInt } from "@sconce/ir";
import type { Emit } from "../rows/emit.js";

/** What losses do with their elements (`at::Reduction`). */
export const REDUCTION = { none: 0, mean: 1, sum: 2 } as const;

/** The mean, the sum, or the elements themselves. */
export function reduceLoss(emit: Emit, loss: FakeTensor, reduction: SymInt): FakeTensor {
  if (reduction === REDUCTION.mean) return emit("aten.mean.default", [loss]);
  if (reduction === REDUCTION.sum) return emit("aten.sum.default", [loss]);
  return loss;
}
