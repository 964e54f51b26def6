/** @file Losses whose steps round in a way that their decompositions do not. */

import { type DType, type Tensor, Tensor as TensorClass } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { readNumbers, writeNumbers } from "../kernel/dense.js";
import { indexOutOfRange } from "../kernel/errors.js";
import { roundTo } from "../kernel/half.js";
import { defineKernels, emptyOutput, emptyOutputs, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { broadcastShape } from "./index-elements.js";

const MEAN = 1;
const SUM = 2;

/**
 * log(1 + exp(-x y)), step by step in the dtype itself: in halves the exponential overflows early.
 */
const softMarginLoss = kernel(
  "aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
  ({ self, target, reduction }, context) => {
    const out = emptyOutput(context);
    const shape = broadcastShape(self.shape, target.shape);
    const [x, y] = [readNumbers(self, shape), readNumbers(target, shape)];
    const round = roundTo(out.dtype);
    const losses = Float64Array.from(x as Float64Array, (value, i) =>
      round(Math.log1p(round(Math.exp(round(-value * y[i]!))))),
    );
    copyInto(out, reducedLoss(losses, shape, reduction, out.dtype));
    return out;
  },
);

/** NaN is not added. */
const positive = (margin: number): number => (margin > 0 ? margin : 0);

/**
 * Sums of the margins between each target's score and those of the other classes. Labels end at the
 * first -1; a sample by itself has a loss without dimensions, though the decomposition gives it
 * one.
 */
const multilabelMarginLoss = kernel(
  "aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)",
  ({ self, target, reduction }, context) => {
    const [, marks] = emptyOutputs(context);
    const [x, labels] = [readNumbers(self), readNumbers(target)];
    const classes = self.shape[self.ndim - 1] ?? 1;
    const isTarget = scratch(Float64Array, labels.length);
    const losses = scratch(Float64Array, labels.length / classes);
    if (labels.some((label: number) => label < -1 || label >= classes))
      throw indexOutOfRange("argument #2 'target' is out of range");
    for (let row = 0; row < losses.length; row++) {
      const start = row * classes;
      const end = labels.subarray(start, start + classes).findIndex((label: number) => label === -1);
      const wanted = labels.subarray(start, start + (end === -1 ? classes : end));
      for (const label of wanted) isTarget[start + label] = 1;
      for (const label of wanted) {
        for (let c = start; c < start + classes; c++)
          if (isTarget[c] === 0) losses[row]! += positive(1 - x[start + label]! + x[c]!) / classes;
      }
    }
    writeNumbers(marks, isTarget);
    const alone = self.ndim < 2 && reduction !== MEAN && reduction !== SUM;
    return [reducedLoss(losses, alone ? [] : [losses.length], reduction, self.dtype), marks];
  },
);

/** Returns the elements, or the mean or sum of them. */
function reducedLoss(
  losses: Float64Array,
  shape: readonly number[],
  reduction: number,
  dtype: DType,
): Tensor {
  const whole = reduction === MEAN || reduction === SUM;
  const out = TensorClass.empty(whole ? [] : shape, dtype);
  if (!whole) writeNumbers(out, losses);
  else {
    const total = losses.reduce((sum, loss) => sum + loss, 0);
    writeNumbers(out, [reduction === MEAN ? total / losses.length : total]);
  }
  return out;
}

export const lossKernels = defineKernels([softMarginLoss, multilabelMarginLoss]);
