/**
 * @file Max pooling in windows at random places, forward and backward; two dimensions are three
 * with one of size 1.
 */

import { numel } from "@sconce/tensor";
import { finishOutput, openOutput, readNumbers } from "../kernel/dense.js";
import { indexOutOfRange } from "../kernel/errors.js";
import { roundTo } from "../kernel/half.js";
import { defineKernels, emptyOutput, emptyOutputs, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";

type Triple = readonly [number, number, number];
const three = (sizes: readonly number[]): Triple =>
  [...new Array<number>(3 - sizes.length).fill(1), ...sizes] as unknown as Triple;

/**
 * First places of the windows of one dimension: steps of one length, rounded after a random shift.
 */
function starts(
  sample: number,
  size: number,
  window: number,
  count: number,
  round: (value: number) => number,
): Int32Array {
  const places = scratch(Int32Array, count);
  if (count > 1) {
    const step = round(round(size - window) / round(count - 1));
    const shift = Math.trunc(round(sample * step));
    for (let i = 0; i < count - 1; i++) places[i] = Math.trunc(round(round(i + sample) * step)) - shift;
  }
  if (count > 0) places[count - 1] = size - window;
  return places;
}

const pool = kernel(
  [
    "aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)",
    "aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)",
  ],
  ({ self, kernel_size, output_size, random_samples }, context) => {
    const rank = kernel_size.length;
    const [out, indices] = emptyOutputs(context);
    const [x, y, places] = [readNumbers(self), openOutput(out), openOutput(indices)];
    const samples = readNumbers(random_samples);
    const round = roundTo(self.dtype);
    const sizes = three(self.shape.slice(self.ndim - rank));
    const [, height, width] = sizes;
    const [windows, counts] = [three(kernel_size), three(output_size)];
    const planes = numel(self.shape.slice(0, self.ndim - rank));
    const area = numel(sizes);
    let output = 0;
    for (let plane = 0; plane < planes; plane++) {
      const [depths, rows, columns] = [0, 1, 2].map((d) => {
        // The samples of two dimensions come with the width first, those of three with the time
        // first.
        const which = rank === 3 ? d : 2 - d;
        const sample = which < rank ? samples[plane * rank + which]! : 0;
        return starts(sample, sizes[d]!, windows[d]!, counts[d]!, round);
      }) as [Int32Array, Int32Array, Int32Array];
      for (const depth of depths) {
        for (const row of rows) {
          for (const column of columns) {
            let best = (depth * height + row) * width + column;
            let max = Number.NEGATIVE_INFINITY;
            for (let i = depth; i < depth + windows[0]; i++) {
              for (let j = row; j < row + windows[1]; j++) {
                const line = (i * height + j) * width;
                for (let k = column; k < column + windows[2]; k++) {
                  const value = x[plane * area + line + k]!;
                  if (!(value > max) && !Number.isNaN(value)) continue;
                  max = value;
                  best = line + k;
                }
              }
            }
            y[output] = max;
            places[output++] = best;
          }
        }
      }
    }
    return [finishOutput(out, y), finishOutput(indices, places)];
  },
);

const poolGradient = kernel(
  [
    "aten::fractional_max_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] output_size, Tensor indices) -> Tensor",
    "aten::fractional_max_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] output_size, Tensor indices) -> Tensor",
  ],
  ({ grad_output, self, kernel_size, indices }, context) => {
    const out = emptyOutput(context);
    const [dx, grads, places] = [openOutput(out), readNumbers(grad_output), readNumbers(indices)];
    const rank = kernel_size.length;
    const area = numel(self.shape.slice(self.ndim - rank));
    const windows = numel(grad_output.shape.slice(grad_output.ndim - rank));
    for (let i = 0; i < grads.length; i++) {
      const place = places[i]!;
      if (place < 0 || place >= area)
        throw indexOutOfRange("fractional_max_pool: an index is outside of the input");
      dx[Math.floor(i / windows) * area + place]! += grads[i]!;
    }
    return finishOutput(out, dx);
  },
);

export const poolFractionalKernels = defineKernels([pool, poolGradient]);
