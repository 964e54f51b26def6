/**
 * @file Balancing of matrices before their eigenvalues are sought (LAPACK's `gebal` and `gebak`).
 */
import { type Matrix, norm, scale, swap, swapRows } from "./matrix.js";

/** What balancing did: rows exchanged outside of `low..high`, factors of rows inside. */
export interface Balance {
  readonly low: number;
  readonly high: number;
  readonly factors: Float64Array;
}

/**
 * Isolates eigenvalues by exchanges, then makes rows and columns alike in size by powers of two; in
 * place.
 */
export function balance(a: Matrix): Balance {
  const factors = new Float64Array(a.rows).fill(1);
  const [low, high] = isolate(a, factors);
  for (let changed = low < high; changed; ) {
    changed = false;
    for (let i = low; i <= high; i++) {
      const factor = sizeFactor(a, i, low, high);
      if (factor === 1) continue;
      changed = true;
      factors[i]! *= factor;
      scale(a.rows - low, 1 / factor, 0, a, low * a.rows + i, a.rows);
      scale(high + 1, factor, 0, a, i * a.rows, 1);
    }
  }
  return { low, high, factors };
}

function isolate(a: Matrix, factors: Float64Array): [low: number, high: number] {
  let [low, high] = [0, a.rows - 1];
  const isZero = (i: number, j: number): boolean =>
    a.re[j * a.rows + i] === 0 && (a.im === undefined || a.im[j * a.rows + i] === 0);
  const alone = (at: number, from: number, byRow: boolean): boolean => {
    for (let j = from; j <= high; j++) {
      if (j !== at && !(byRow ? isZero(at, j) : isZero(j, at))) return false;
    }
    return true;
  };
  for (let found = true; found; ) {
    found = false;
    for (let i = high; i >= 0; i--) {
      if (!alone(i, 0, true)) continue;
      exchange(a, i, high, low, high, factors);
      if (high === 0) {
        // One row is left, and neither exchanged nor scaled.
        factors[0] = 1;
        return [0, 0];
      }
      found = true;
      high--;
    }
  }
  for (let found = true; found; ) {
    found = false;
    for (let j = low; j <= high; j++) {
      if (!alone(j, low, false)) continue;
      exchange(a, j, low, low, high, factors);
      found = true;
      low++;
    }
  }
  return [low, high];
}

function exchange(a: Matrix, i: number, to: number, low: number, high: number, factors: Float64Array): void {
  const n = a.rows;
  factors[to] = i;
  if (i === to) return;
  swap(high + 1, a, i * n, 1, a, to * n, 1);
  swap(n - low, a, low * n + i, n, a, low * n + to, n);
}

/**
 * Returns the power of two that makes a row and its column most alike; 1 when that is little gain.
 */
function sizeFactor(a: Matrix, i: number, low: number, high: number): number {
  const count = high - low + 1;
  let column = norm(count, a, i * a.rows + low, 1);
  let row = norm(count, a, low * a.rows + i, a.rows);
  if (!(column > 0 && row > 0 && column + row < Number.POSITIVE_INFINITY)) return 1;
  const sum = column + row;
  let factor = 1;
  while (column < row / 2) {
    factor *= 2;
    column *= 2;
    row /= 2;
  }
  while (column / 2 >= row) {
    factor /= 2;
    column /= 2;
    row *= 2;
  }
  return column + row >= 0.95 * sum ? 1 : factor;
}

/** Eigenvectors of the matrix before it was balanced; in place. */
export function undoBalance({ low, high, factors }: Balance, v: Matrix): void {
  for (let i = low; i <= high; i++) scale(v.columns, factors[i]!, 0, v, i, v.rows);
  for (let i = low - 1; i >= 0; i--) if (factors[i] !== i) swapRows(v, i, factors[i]!);
  for (let i = high + 1; i < v.rows; i++) if (factors[i] !== i) swapRows(v, i, factors[i]!);
}
