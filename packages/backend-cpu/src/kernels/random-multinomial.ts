/** @file Draws of categories by weight. */

import { readNumbers, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { exponentialNumbers, rounding, uniform53 } from "./random-engine.js";
import { sortRow } from "./sort.js";

/** Without replacement (or for one sample): the largest quotients by exponential deviates. */
const multinomial = kernel(
  "aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor",
  ({ self, num_samples: samples, replacement }, context) => {
    const out = emptyOutput(context);
    const weights = readNumbers(self);
    for (const weight of weights) {
      if (!(weight >= 0 && weight < Infinity)) {
        throw invalidArgument("probability tensor contains either `inf`, `nan` or element < 0");
      }
    }
    const length = self.shape.at(-1)!;
    const rows = weights.length / length;
    const values = scratch(Float64Array, rows * samples);
    for (let r = 0; r < rows; r++) {
      if (!weights.subarray(r * length, (r + 1) * length).some((weight: number) => weight > 0)) {
        throw invalidArgument("invalid multinomial distribution (sum of probabilities <= 0)");
      }
    }
    if (replacement && samples > 1) {
      for (let r = 0; r < rows; r++) {
        const cumulated = cumulate(weights.subarray(r * length, (r + 1) * length));
        for (let s = 0; s < samples; s++)
          values[r * samples + s] = placeOf(cumulated, uniform53(context.random));
      }
    } else {
      const round = rounding(self.dtype);
      const quotients = exponentialNumbers(weights.length, 1, context.random).map((q, i) =>
        round(weights[i]! / round(q)),
      );
      for (let r = 0; r < rows; r++) {
        const order = sortRow(quotients, r * length, length, true);
        for (let s = 0; s < samples; s++) values[r * samples + s] = order[s]! - r * length;
      }
    }
    writeNumbers(out, values);
    return out;
  },
);

function cumulate(weights: ArrayLike<number>): Float64Array {
  const sums = scratch(Float64Array, weights.length);
  let total = 0;
  for (let i = 0; i < weights.length; i++) sums[i] = total += weights[i]!;
  return sums.map((sum) => sum / total);
}

function placeOf(cumulated: Float64Array, sample: number): number {
  let low = 0;
  let high = cumulated.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cumulated[middle]! < sample) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const randomMultinomialKernels = defineKernels([multinomial]);
