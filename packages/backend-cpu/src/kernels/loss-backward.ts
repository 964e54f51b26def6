/** @file Gradients of losses by their input. */
import { toNumber } from "@sconce/ir";
import { type DType, isBigIntDType, isIntegralDType, numel, type Tensor } from "@sconce/tensor";
import { finishOutput, openOutput, readNumbers } from "../kernel/dense.js";
import { indexOutOfRange } from "../kernel/errors.js";
import { roundTo, stepOf } from "../kernel/half.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import type { Round } from "./activation-backward.js";
import { elementwise, map2, map3 } from "./pointwise-loop.js";

type Loss = {
  readonly grad_output: Tensor;
  readonly self: Tensor;
  readonly target: Tensor;
  readonly reduction: number;
};

/**
 * Returns the gradient of a loss in its input; the mean (reduction 1) divides by the number of
 * elements. `rounding` gives how each step rounds: halves to float32 with {@link stepOf}, to
 * themselves with {@link roundTo}.
 */
const lossGradient =
  <A extends Loss>(
    rounding: (dtype: DType) => Round,
    make: (args: A, norm: number) => (grad: number, x: number, target: number, round: Round) => number,
  ): Kernel<A> =>
  (args, context) => {
    const out = emptyOutput(context);
    const element = make(args, args.reduction === 1 ? 1 / args.self.numel : 1);
    const round = rounding(args.self.dtype);
    const real = map3((grad, x, target) => element(grad, x, target, round));
    return elementwise({ real }, out, [args.grad_output, args.self, args.target]);
  };

const squaredOfFloats = lossGradient(
  roundTo,
  (_, norm) => (g, x, target, f) => f(f(2 * norm) * f(x - target)) * g,
);
/** The factor of integers is cut to one: a mean of more than two elements has no gradient. */
const squared: Kernel<Loss> = (args, context) => {
  if (!isIntegralDType(args.self.dtype)) return squaredOfFloats(args, context);
  const out = emptyOutput(context);
  const factor = Math.trunc(args.reduction === 1 ? 2 / args.self.numel : 2);
  const real = map3(
    isBigIntDType(out.dtype)
      ? (g, x, target) => factor * (x - target) * g
      : (g, x, target) => Math.imul(factor * (x - target), g),
  );
  const big = (g: bigint, x: bigint, target: bigint): bigint => BigInt(factor) * (x - target) * g;
  return elementwise({ real, big }, out, [args.grad_output, args.self, args.target]);
};

const smoothL1 = lossGradient<Loss & { beta: number }>(stepOf, ({ beta }, norm) => (g, x, target, f) => {
  const difference = f(x - target);
  if (difference <= -beta) return -norm * g;
  return difference >= beta ? norm * g : f(f(norm * difference) * g) / beta;
});

/**
 * The order of PyTorch's vectors; the last elements, which fill none, have the limit as last
 * factor.
 */
const huber = lossGradient<Loss & { delta: number }>(roundTo, ({ delta }, norm) => (g, x, target, f) => {
  const [limit, difference] = [f(delta), f(x - target)];
  const slope = difference <= -limit ? -limit : difference >= limit ? limit : difference;
  return f(f(norm) * slope) * g;
});

/** PyTorch computes this of whole tensors, so that every step is rounded to their dtype. */
const softMargin = kernel(
  "aten::soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
  ({ grad_output: grad, self, target, reduction }, context) => {
    const out = emptyOutput(context);
    const f = roundTo(self.dtype);
    const norm = f(reduction === 1 ? 1 / out.numel : 1);
    const real = map3((g, x, t) => {
      const z = f(Math.exp(f(f(-t) * x)));
      return f(f(f(t * z) * -norm) / f(z + 1)) * g;
    });
    return elementwise({ real }, out, [grad, self, target]);
  },
);

/** A float32 constant in PyTorch's kernel, whatever the dtype. */
const SMALLEST_VARIANCE = Math.fround(1e-12);

const binaryCrossEntropy = kernel(
  "aten::binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
  ({ grad_output: grad, self, target, weight, reduction }, context) => {
    const out = emptyOutput(context);
    const scale = reduction === 1 ? 1 / out.numel : 1;
    const slope = map3((g, x, t) => (g * (x - t) * scale) / Math.max((1 - x) * x, SMALLEST_VARIANCE));
    elementwise({ real: slope }, out, [grad, self, target]);
    return weight === null ? out : elementwise({ real: map2((g, w) => g * w) }, out, [out, weight]);
  },
);

interface LikelihoodArgs extends Loss {
  readonly weight: Tensor | null;
  readonly ignore_index: Parameters<typeof toNumber>[0];
  readonly total_weight: Tensor;
}

/** Minus the gradient at each target's class: the other classes are not computed at all. */
const likelihoodGradient: Kernel<LikelihoodArgs> = (args, context) => {
  const { self, grad_output, weight, reduction } = args;
  const out = emptyOutput(context);
  const [dx, labels, grads] = [openOutput(out), readNumbers(args.target), readNumbers(grad_output)];
  const weights = weight === null ? null : readNumbers(weight);
  const [total, ignored] = [readNumbers(args.total_weight)[0]!, toNumber(args.ignore_index)];
  const round = roundTo(self.dtype);
  const [classes, inner] = self.ndim < 2 ? [dx.length, 1] : [self.shape[1]!, numel(self.shape.slice(2))];
  const each = reduction === 0 && grad_output.ndim > 0;
  const count = self.ndim < 2 ? 1 : labels.length;
  for (let at = 0; at < count; at++) {
    const label = labels[at]!;
    if (label === ignored) continue;
    if (label < 0 || label >= classes) throw indexOutOfRange(`Target ${label} is out of bounds.`);
    const grad = grads[each ? at : 0]!;
    const slope = -(reduction === 1 ? round(grad / total) : grad);
    const place = (Math.floor(at / inner) * classes + label) * inner + (at % inner);
    dx[place] = weights === null ? slope : slope * weights[label]!;
  }
  return finishOutput(out, dx);
};

export const lossBackwardKernels = defineKernels([
  kernel(
    "aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor",
    likelihoodGradient,
  ),
  kernel(
    "aten::nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor",
    likelihoodGradient,
  ),
  kernel(
    "aten::mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
    squared,
  ),
  kernel(
    "aten::smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor",
    smoothL1,
  ),
  kernel(
    "aten::huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> Tensor",
    huber,
  ),
  softMargin,
  binaryCrossEntropy,
]);
