/** @file Losses whose steps round in a way that their decompositions do not. */
import type { Tensor } from "@sconce/tensor";
import { readNumbers, writeNumbers } from "../dense.js";
import { roundTo } from "../half.js";
import { defineKernels, emptyOutput, kernel } from "../kernel.js";
import { broadcastShape } from "./index-elements.js";

const MEAN = 1;
const SUM = 2;

type SoftMargin = { readonly self: Tensor; readonly target: Tensor; readonly reduction: number };

/** log(1 + exp(-x y)), step by step in the dtype itself: in halves the exponential overflows early. */
const softMarginLoss = kernel<SoftMargin>(({ self, target, reduction }, context) => {
  const out = emptyOutput(context);
  const shape = broadcastShape(self.shape, target.shape);
  const [x, y] = [readNumbers(self, shape), readNumbers(target, shape)];
  const round = roundTo(out.dtype);
  const losses = Float64Array.from(x as Float64Array, (value, i) =>
    round(Math.log1p(round(Math.exp(round(-value * y[i]!))))),
  );
  if (reduction !== MEAN && reduction !== SUM) {
    writeNumbers(out, losses);
    return out;
  }
  let total = 0;
  for (const loss of losses) total += loss;
  writeNumbers(out, [reduction === MEAN ? total / losses.length : total]);
  return out;
});

export const lossKernels = defineKernels({ "aten.soft_margin_loss.default": softMarginLoss });
