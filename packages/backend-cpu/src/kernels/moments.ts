/** @file Means and squared distances from them, in the order of PyTorch's variances. */
import type { Tensor } from "@sconce/tensor";
import { readNumbers } from "../kernel/dense.js";
import { scratch } from "../kernel/scratch.js";
import { reductionAxes, rowsInOrder } from "./reduction-axes.js";
import { cascadeSums } from "./reduction-cascade.js";

/** Moments of rows: their means, and the sums of the squared distances from them. */
export interface Moments {
  readonly means: Float64Array;
  readonly squares: Float64Array;
}

/**
 * Returns the moments of each row, in float64. Means move from element to element (Welford), as
 * PyTorch's do: an infinity gives NaN with the next one, so that only the last of a row gives an
 * infinite mean.
 */
export function momentsOf(data: ArrayLike<number>, count: number, length: number): Moments {
  const means = scratch(Float64Array, count);
  const squares = scratch(Float64Array, count);
  const moments = { means, squares };
  if (length === 0) means.fill(Number.NaN);
  let row = 0;
  for (; row + 4 <= count; row += 4) momentsOfFour(data, row, length, moments);
  for (; row < count; row++) momentsOfRow(data, row, length, moments);
  return moments;
}

function momentsOfRow(data: ArrayLike<number>, row: number, length: number, into: Moments): void {
  const { means, squares } = into;
  let mean = means[row]!;
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const x = data[row * length + i]!;
    const distance = x - mean;
    mean += distance / (i + 1);
    sum += distance * (x - mean);
  }
  means[row] = mean;
  squares[row] = sum;
}

/** Four rows beside each other: each division of a row waits for the one before. */
function momentsOfFour(data: ArrayLike<number>, row: number, length: number, into: Moments): void {
  const { means, squares } = into;
  let a = means[row]!;
  let b = means[row + 1]!;
  let c = means[row + 2]!;
  let d = means[row + 3]!;
  let sumA = 0;
  let sumB = 0;
  let sumC = 0;
  let sumD = 0;
  for (let i = 0, at = row * length; i < length; i++, at++) {
    const fromA = data[at]! - a;
    const fromB = data[at + length]! - b;
    const fromC = data[at + 2 * length]! - c;
    const fromD = data[at + 3 * length]! - d;
    a += fromA / (i + 1);
    b += fromB / (i + 1);
    c += fromC / (i + 1);
    d += fromD / (i + 1);
    sumA += fromA * (data[at]! - a);
    sumB += fromB * (data[at + length]! - b);
    sumC += fromC * (data[at + 2 * length]! - c);
    sumD += fromD * (data[at + 3 * length]! - d);
  }
  means.set([a, b, c, d], row);
  squares.set([sumA, sumB, sumC, sumD], row);
}

/**
 * Returns the sum of squared distances of all elements from their mean, which PyTorch rounds to the
 * dtype (`std_var_all_cpu` of `ReduceOps.cpp`). Each plane of two dimensions has its own sum.
 */
export function squaresOfAll(self: Tensor): number {
  const mean = self.numel === 0 ? 0 : cascadeSums(self, null, 1).map((sum) => sum / self.numel)[0]!;
  const [inner, outer] = reductionAxes(self, null);
  const plane = (inner?.size ?? 1) * (outer?.size ?? 1);
  const data = readNumbers(rowsInOrder(self, null).tensor);
  let total = 0;
  for (let start = 0; start < self.numel; start += plane) {
    let sum = 0;
    for (let i = start; i < start + plane; i++) sum += (data[i]! - mean) * (data[i]! - mean);
    total += sum;
  }
  return total;
}
