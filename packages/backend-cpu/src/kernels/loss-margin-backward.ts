/** @file Gradients of margins between the classes of a sample. */
import { toNumber } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { finishOutput, type NumberArray, openOutput, readNumbers } from "../kernel/dense.js";
import { indexOutOfRange } from "../kernel/errors.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";

const NONE = 0;
const MEAN = 1;

interface LossArgs {
  readonly grad_output: Tensor;
  readonly self: Tensor;
  readonly target: Tensor;
  readonly reduction: number;
}

/** Samples, classes, and what each sample's part of the loss counts. */
function shapeOf({ self, reduction }: LossArgs): readonly [count: number, classes: number, share: number] {
  const [count, classes] = self.ndim < 2 ? [1, self.shape[0] ?? 1] : [self.shape[0]!, self.shape[1]!];
  return [count, classes, 1 / (reduction === MEAN ? count * classes : classes)];
}

/** Multiplies by the gradient of the loss: one number, or one for each sample. */
function scale(dx: NumberArray, { grad_output, reduction }: LossArgs, classes: number): void {
  const grads = readNumbers(grad_output);
  const each = reduction === NONE && grad_output.ndim > 0;
  for (let i = 0; i < dx.length; i++) dx[i]! *= grads[each ? Math.floor(i / classes) : 0]!;
}

const multiMargin = kernel(
  "aten::multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, Scalar p, Scalar margin, Tensor? weight=None, int reduction=1) -> Tensor",
  (args, context) => {
    const out = emptyOutput(context);
    const [x, dx, labels] = [readNumbers(args.self), openOutput(out), readNumbers(args.target)];
    const [count, classes, share] = shapeOf(args);
    const [power, margin] = [toNumber(args.p), toNumber(args.margin)];
    const weights = args.weight === null ? null : readNumbers(args.weight);
    for (let sample = 0; sample < count; sample++) {
      const label = labels[sample]!;
      if (label < 0 || label >= classes) throw indexOutOfRange("target out of range");
      const row = sample * classes;
      const factor = share * (weights === null ? 1 : weights[label]!);
      // From +0 down: where no class is too close, the label's slope is +0, not -0.
      let slopeOfLabel = 0;
      for (let k = 0; k < classes; k++) {
        const above = margin - x[row + label]! + x[row + k]!;
        if (k === label || !(above > 0)) continue;
        const slope = power === 1 ? factor : 2 * factor * above;
        dx[row + k] = slope;
        slopeOfLabel -= slope;
      }
      dx[row + label] = slopeOfLabel;
    }
    scale(dx, args, classes);
    return finishOutput(out, dx);
  },
);

const multilabel = kernel(
  "aten::multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, Tensor is_target) -> Tensor",
  (args, context) => {
    const out = emptyOutput(context);
    const [x, dx, labels] = [readNumbers(args.self), openOutput(out), readNumbers(args.target)];
    const isTarget = readNumbers(args.is_target);
    const [count, classes, share] = shapeOf(args);
    if (labels.some((label) => label < -1 || label >= classes)) {
      throw indexOutOfRange("argument #3 'target' is out of range");
    }
    for (let row = 0; row < count * classes; row += classes) {
      for (let i = 0; i < classes && labels[row + i]! >= 0; i++) {
        const right = row + labels[row + i]!;
        for (let k = row; k < row + classes; k++) {
          if (isTarget[k] !== 0 || !(1 - x[right]! + x[k]! > 0)) continue;
          dx[right]! -= share;
          dx[k]! += share;
        }
      }
    }
    scale(dx, args, classes);
    return finishOutput(out, dx);
  },
);

export const lossMarginBackwardKernels = defineKernels([multiMargin, multilabel]);
