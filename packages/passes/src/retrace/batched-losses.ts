/** @file Losses of pairs of numbers, as functorch computes them for a batch. */
import type { FakeTensor } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import type { BatchCalls } from "./batched-indexing.js";

/** Reductions by their numbers; the first keeps the losses. */
const REDUCED = ["", "mean.default", "sum.default"];

/** Returns losses times their weights, reduced. */
export function reducedLoss(call: BatchCalls, losses: EmitArg, weight: EmitArg, reduction: EmitArg): EmitArg {
  const weighted = weight ? call("mul.Tensor", losses, weight) : losses;
  const reduce = REDUCED[Number(reduction)]!;
  return reduce === "" ? weighted : call(reduce, weighted);
}

/**
 * Returns the binary cross entropy of logits, which PyTorch composes for batches in another way
 * than its operator (`binary_cross_entropy_with_logits_hack` in `BatchRulesLoss.cpp`).
 *
 * @param onesLike ones in the place of the targets
 */
export function logitsEntropy(
  call: BatchCalls,
  onesLike: (target: FakeTensor) => FakeTensor,
  [input, target, weight, posWeight, reduction = 1]: readonly EmitArg[],
): EmitArg {
  const most = call("clamp_min.default", call("neg.default", input!), 0);
  const logWeight = posWeight && positiveWeight(call, target!, posWeight);
  const others = call("mul.Tensor", call("sub.Tensor", onesLike(target as FakeTensor), target!), input!);
  const added = logWeight ? others : call("add.Tensor", others, most);
  const first = call("exp.default", call("neg.default", most));
  const second = call("exp.default", call("sub.Tensor", call("neg.default", input!), most));
  const log = call("log.default", call("add.Tensor", first, second));
  const rest = logWeight ? call("mul.Tensor", logWeight, call("add.Tensor", log, most)) : log;
  return reducedLoss(call, call("add.Tensor", added, rest), weight ?? null, reduction);
}

const positiveWeight = (call: BatchCalls, target: EmitArg, posWeight: EmitArg): FakeTensor =>
  call("add.Scalar", call("mul.Tensor", call("sub.Scalar", posWeight, 1), target), 1);
