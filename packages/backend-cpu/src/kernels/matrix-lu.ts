/**
 * @file Triangular factors of matrices: LU with row exchanges, Cholesky, and solutions by
 * substitution.
 */
import { scratch } from "../kernel/scratch.js";
import { addScaled, type Complex, divide, dot, type Matrix, scale, swapRows, transposed } from "./matrix.js";

/** What the factorization of one matrix found out. */
export interface Factors {
  /** Row that was exchanged with row k at step k, counted from 0. */
  readonly pivots: Int32Array;
  /** -1 after an odd number of row exchanges. */
  readonly sign: number;
  /** One-based place of the first pivot that is zero; 0 when there is none. */
  readonly singularAt: number;
}

/**
 * Factors a matrix in place; pivots are the largest by the sum of their parts' sizes, as in
 * LAPACK's `getrf`.
 */
export function factorLU(matrix: Matrix): Factors {
  const { rows, columns, re, im } = matrix;
  const count = Math.min(rows, columns);
  const pivots = scratch(Int32Array, count);
  const inverse: Complex = { re: 0, im: 0 };
  let [sign, singularAt] = [1, 0];
  for (let k = 0; k < count; k++) {
    const best = largestBelow(matrix, k);
    pivots[k] = best;
    const at = k * rows + k;
    if (best !== k) {
      swapRows(matrix, best, k);
      sign = -sign;
    }
    if (re[at] === 0 && (im?.[at] ?? 0) === 0) {
      if (singularAt === 0) singularAt = k + 1;
      continue;
    }
    const below = rows - k - 1;
    divideRun(inverse, below, matrix, at);
    for (let j = k + 1; j < columns; j++) {
      const p = j * rows + k;
      addScaled(below, -re[p]!, -(im?.[p] ?? 0), matrix, at + 1, 1, matrix, p + 1, 1);
    }
  }
  return { pivots, sign, singularAt };
}

/** Divides what is below a pivot by it. */
function divideRun(work: Complex, count: number, { re, im }: Matrix, pivot: number): void {
  for (let p = pivot + 1; p <= pivot + count; p++) {
    if (im === undefined) re[p]! /= re[pivot]!;
    else {
      divide(work, re[p]!, im[p]!, re[pivot]!, im[pivot]!);
      re[p] = work.re;
      im[p] = work.im;
    }
  }
}

function largestBelow({ rows, re, im }: Matrix, k: number): number {
  let [best, size] = [k, -1];
  for (let i = k; i < rows; i++) {
    const at = k * rows + i;
    const magnitude = Math.abs(re[at]!) + Math.abs(im?.[at] ?? 0);
    if (magnitude > size) [best, size] = [i, magnitude];
  }
  return best;
}

/** Exchanges rows as a factorization did, or back again. */
export function permuteRows(matrix: Matrix, pivots: ArrayLike<number>, back = false): void {
  const count = pivots.length;
  for (let step = 0; step < count; step++) {
    const k = back ? count - 1 - step : step;
    if (pivots[k] !== k) swapRows(matrix, pivots[k]!, k);
  }
}

/** Solves `T X = B` in place of B for a square triangular `T`. */
export function substitute(t: Matrix, b: Matrix, upper: boolean, unit: boolean): void {
  const n = t.rows;
  const value: Complex = { re: 0, im: 0 };
  for (let j = 0; j < b.columns; j++) {
    const start = j * n;
    for (let step = 0; step < n; step++) {
      const k = upper ? n - 1 - step : step;
      const at = start + k;
      const pivot = k * n + k;
      value.re = b.re[at]!;
      value.im = b.im?.[at] ?? 0;
      if (value.re === 0 && value.im === 0 && !(t.re[pivot] === 0 && !unit)) continue;
      if (!unit) divide(value, value.re, value.im, t.re[pivot]!, t.im?.[pivot] ?? 0);
      b.re[at] = value.re;
      if (b.im !== undefined) b.im[at] = value.im;
      if (upper) addScaled(k, -value.re, -value.im, t, k * n, 1, b, start, 1);
      else addScaled(n - 1 - k, -value.re, -value.im, t, pivot + 1, 1, b, at + 1, 1);
    }
  }
}

/**
 * Solves `A X = B` in place of B from the factors of A, or `A' X = B` with the conjugate transpose.
 */
export function solveFactored(lu: Matrix, pivots: ArrayLike<number>, b: Matrix, adjoint = false): void {
  if (!adjoint) {
    permuteRows(b, pivots);
    substitute(lu, b, false, true);
    substitute(lu, b, true, false);
    return;
  }
  const turned = transposed(lu, true);
  substitute(turned, b, false, false);
  substitute(turned, b, true, true);
  permuteRows(b, pivots, true);
}

/**
 * Replaces a matrix by its lower factor; returns the one-based order of the first minor that is not
 * positive.
 */
export function factorCholesky(matrix: Matrix): number {
  const { rows: n, re, im } = matrix;
  const sum: Complex = { re: 0, im: 0 };
  for (let j = 0; j < n; j++) {
    const at = j * n + j;
    dot(sum, j, matrix, j, n, matrix, j, n);
    const diagonal = re[at]! - sum.re;
    if (!(diagonal > 0)) {
      // LAPACK leaves what would be under the root.
      re[at] = diagonal;
      if (im !== undefined) im[at] = 0;
      return j + 1;
    }
    const root = Math.sqrt(diagonal);
    for (let k = 0; k < j; k++) {
      const p = k * n + j;
      addScaled(n - j - 1, -re[p]!, im?.[p] ?? 0, matrix, p + 1, 1, matrix, at + 1, 1);
      re[j * n + k] = 0;
      if (im !== undefined) im[j * n + k] = 0;
    }
    scale(n - j - 1, 1 / root, 0, matrix, at + 1, 1);
    re[at] = root;
    if (im !== undefined) im[at] = 0;
  }
  return 0;
}
