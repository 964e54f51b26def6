/** @file Distances between rows. */

import { numel, type Tensor } from "@sconce/tensor";
import { finishOutput, type NumberArray, openOutput, readNumbers } from "../kernel/dense.js";
import { stepOf } from "../kernel/half.js";
import { defineKernels, emptyOutput, type KernelContext, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";

interface Norm {
  readonly p: number;
  readonly skipsNaN: boolean;
  /** Rounds powers, which overflow and vanish as those of the dtype. */
  readonly step: (value: number) => number;
}

/**
 * Returns the p-norm of the difference of two rows. `skipsNaN` says whether the greatest difference
 * leaves out NaN, as it does in PyTorch's `cdist`; all other norms of NaN are NaN.
 */
function distance(
  x: NumberArray,
  i: number,
  y: NumberArray,
  j: number,
  size: number,
  { p, skipsNaN, step }: Norm,
): number {
  let sum = 0;
  for (let k = 0; k < size; k++) {
    const difference = Math.abs(x[i + k]! - y[j + k]!);
    if (p === 2) sum += step(difference * difference);
    else if (p === 1) sum += difference;
    else if (p === 0) sum += Number.isNaN(difference) ? difference : difference === 0 ? 0 : 1;
    else if (p === Number.POSITIVE_INFINITY)
      sum = difference > sum || (!skipsNaN && Number.isNaN(difference)) ? difference : sum;
    else sum += step(difference ** p);
  }
  if (p === 2) return Math.sqrt(step(sum));
  return p === 0 || p === 1 || p === Number.POSITIVE_INFINITY ? sum : step(sum) ** (1 / p);
}

function cdist({ x1, x2, p }: { x1: Tensor; x2: Tensor; p: number }, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const batch = out.shape.slice(0, -2);
  const [rows, columns] = out.shape.slice(-2) as [number, number];
  const size = x1.shape[x1.ndim - 1]!;
  const [x, y] = [readNumbers(x1, [...batch, rows, size]), readNumbers(x2, [...batch, columns, size])];
  const values = openOutput(out);
  const norm = { p, skipsNaN: true, step: stepOf(x1.dtype) };
  for (let n = 0, at = 0; n < numel(batch); n++) {
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        values[at++] = distance(x, (n * rows + i) * size, y, (n * columns + j) * size, size, norm);
      }
    }
  }
  return finishOutput(out, values);
}

function pdist({ self, p }: { self: Tensor; p: number }, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const [rows, size] = self.shape;
  const x = readNumbers(self);
  const values = openOutput(out);
  const norm = { p, skipsNaN: false, step: stepOf(self.dtype) };
  let at = 0;
  for (let i = 0; i < rows; i++) {
    for (let j = i + 1; j < rows; j++) values[at++] = distance(x, i * size, x, j * size, size, norm);
  }
  return finishOutput(out, values);
}

/**
 * Derivative of the p-norm by one component: `difference` of the two rows there, `norm` of all,
 * times the gradient.
 */
function slope(difference: number, norm: number, grad: number, p: number): number {
  if (norm === 0 || p === 0) return 0;
  if (p === 1) return grad * Math.sign(difference);
  if (p === 2) return (grad * difference) / norm;
  const size = Math.abs(difference);
  if (p === Number.POSITIVE_INFINITY) return size === norm ? grad * Math.sign(difference) : 0;
  if (size === 0) return 0;
  return p < 1
    ? (Math.sign(difference) * size ** (p - 1) * grad) / norm ** (p - 1)
    : (difference * size ** (p - 2) * grad) / norm ** (p - 1);
}

/** The greatest difference is found by comparing with the norm, which was rounded. */
const roundingOf = ({ dtype }: Tensor): ((x: number) => number) =>
  dtype === "float64" ? (x) => x : Math.fround;

const cdistBackward = kernel(
  "aten::_cdist_backward(Tensor grad_output, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor",
  ({ grad_output: grad, x1, x2, p, cdist: norms }, context) => {
    const out = emptyOutput(context);
    if (grad.numel === 0 || out.numel === 0) return out;
    const batch = out.shape.slice(0, -2);
    const [rows, size] = out.shape.slice(-2) as [number, number];
    const columns = x2.shape[x2.ndim - 2]!;
    const [x, y] = [readNumbers(x1, out.shape), readNumbers(x2, [...batch, columns, size])];
    const [g, d] = [
      readNumbers(grad, [...batch, rows, columns]),
      readNumbers(norms, [...batch, rows, columns]),
    ];
    const sums = scratch(Float64Array, out.numel);
    const round = roundingOf(out);
    for (let row = 0; row < numel(batch) * rows; row++) {
      const other = Math.floor(row / rows) * columns;
      for (let j = 0; j < columns; j++) {
        const pair = row * columns + j;
        for (let k = 0; k < size; k++) {
          const difference = round(x[row * size + k]! - y[(other + j) * size + k]!);
          sums[row * size + k]! += slope(difference, d[pair]!, g[pair]!, p);
        }
      }
    }
    return finishOutput(out, sums);
  },
);

const pdistBackward = kernel(
  "aten::_pdist_backward(Tensor grad_output, Tensor self, float p, Tensor pdist) -> Tensor",
  ({ grad_output: grad, self, p, pdist: norms }, context) => {
    const out = emptyOutput(context);
    const [rows, size] = self.shape;
    const [x, g, d] = [readNumbers(self), readNumbers(grad), readNumbers(norms)];
    const sums = scratch(Float64Array, out.numel);
    const round = roundingOf(out);
    for (let i = 0, pair = 0; i < rows; i++) {
      for (let j = i + 1; j < rows; j++, pair++) {
        for (let k = 0; k < size; k++) {
          const term = slope(round(x[i * size + k]! - x[j * size + k]!), d[pair]!, g[pair]!, p);
          sums[i * size + k]! += term;
          sums[j * size + k]! -= term;
        }
      }
    }
    return finishOutput(out, sums);
  },
);

export const distanceKernels = defineKernels([
  kernel("aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", cdist),
  kernel("aten::_pdist_forward(Tensor self, float p=2.) -> Tensor", pdist),
  cdistBackward,
  pdistBackward,
]);
