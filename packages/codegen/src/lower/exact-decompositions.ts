/** @file Decompositions for devices that give PyTorch's kernels' values where its own do not. */
import type { FakeTensor } from "@sconce/ir";
import type { Emit, EmitArg, OpDefinition } from "@sconce/ops";

const MEAN = 1;

interface LikelihoodArgs {
  readonly grad_output: FakeTensor;
  readonly self: FakeTensor;
  readonly target: FakeTensor;
  readonly weight: FakeTensor | null;
  readonly reduction: number;
  readonly ignore_index: EmitArg;
  readonly total_weight: FakeTensor;
}

/**
 * Minus the gradient at each target's class, zero elsewhere. PyTorch's decomposition multiplies the
 * gradient by zero there, which is NaN for gradients and weights that are not finite.
 */
function likelihoodGradient(emit: Emit, args: LikelihoodArgs): FakeTensor {
  const { self, grad_output, target, weight, ignore_index } = args;
  const dim = self.ndim < 2 ? 0 : 1;
  const class_ = self.ndim === 1 && target.ndim > 0 ? emit("aten.select.int", [target, 0, 0]) : target;
  const labels = emit("aten.unsqueeze.default", [class_, dim]);
  const isCounted = emit("aten.ne.Scalar", [labels, ignore_index]);
  const safe = emit("aten.where.ScalarOther", [isCounted, labels, 0]);
  const none = emit("aten.zeros_like.default", [self], { dtype: "bool" });
  const isTarget = emit("aten.scatter.value", [none, dim, safe, true]);
  const isRead = emit("aten.logical_and.default", [isTarget, isCounted]);
  let grad = grad_output;
  if (args.reduction === MEAN) grad = emit("aten.div.Tensor", [grad, args.total_weight]);
  if (self.ndim > grad.ndim && grad.ndim > 0) grad = emit("aten.unsqueeze.default", [grad, dim]);
  grad = emit("aten.neg.default", [grad]);
  if (weight !== null) {
    const shape = self.shape.map((_, d) => (d === dim ? weight.shape[0]! : 1));
    grad = emit("aten.mul.Tensor", [grad, emit("aten.reshape.default", [weight, shape])]);
  }
  return emit("aten.where.ScalarOther", [isRead, grad, 0]);
}

/** By target: what a device computes in place of PyTorch's decomposition. */
export const EXACT_DECOMPOSITIONS: ReadonlyMap<string, OpDefinition["decompose"]> = new Map(
  ["aten.nll_loss_backward.default", "aten.nll_loss2d_backward.default"].map((target) => [
    target,
    (emit, args) => likelihoodGradient(emit, args as unknown as LikelihoodArgs),
  ]),
);
