/**
 * @file Eigenvalues and vectors of Hermitian matrices: tridiagonal form, then implicit QL or QR
 * (LAPACK's `steqr`).
 */
import { type Matrix, rotateColumns, swapColumns } from "./matrix.js";
import { formQ, tridiagonalize } from "./matrix-householder.js";
import { newRotation, rotate, symmetricPair, withSign } from "./matrix-rotation.js";

export interface Eigenpairs {
  /** In ascending order. */
  readonly values: Float64Array;
  /** Columns; undefined when only the values were asked for. */
  readonly vectors: Matrix | undefined;
  /** How many values did not converge. */
  readonly code: number;
}

/** Of the matrix whose lower (or upper) triangle is given; it is overwritten. */
export function eigenpairs(
  matrix: Matrix,
  upper: boolean,
  epsilon: number,
  wantVectors: boolean,
): Eigenpairs {
  const n = matrix.rows;
  // Reducing the upper triangle from its end is reducing the lower one of the matrix turned by half
  // a circle.
  const { q, diagonal, below } = tridiagonalize(upper ? turned(matrix) : matrix);
  if (upper) {
    diagonal.reverse();
    below.reverse();
  }
  const formed = wantVectors ? formQ(q, n) : undefined;
  const vectors = formed === undefined || !upper ? formed : turned(formed);
  const iteration = new Iteration(diagonal, below, vectors, epsilon);
  const code = iteration.run();
  sortAscending(diagonal, vectors);
  return { values: diagonal, vectors, code };
}

/** Rows and columns in reverse order. */
function turned({ rows, columns, re, im }: Matrix): Matrix {
  return { rows, columns, re: re.slice().reverse(), im: im?.slice().reverse() };
}

function sortAscending(values: Float64Array, vectors: Matrix | undefined): void {
  for (let i = 0; i < values.length - 1; i++) {
    let least = i;
    for (let j = i + 1; j < values.length; j++) if (values[j]! < values[least]!) least = j;
    if (least === i) continue;
    [values[i], values[least]] = [values[least]!, values[i]!];
    if (vectors !== undefined) swapColumns(vectors, i, least);
  }
}

const MOST_SWEEPS = 30;
const SAFE_MINIMUM = 2 ** -1022;

/** Diagonalizes a tridiagonal matrix block by block, from whichever end is smaller. */
class Iteration {
  readonly #rotation = newRotation();
  #left: number;

  constructor(
    readonly d: Float64Array,
    readonly e: Float64Array,
    readonly vectors: Matrix | undefined,
    readonly epsilon: number,
  ) {
    this.#left = MOST_SWEEPS * d.length;
  }

  /** Returns how many elements beside the diagonal are left. */
  run(): number {
    const { d, e } = this;
    const n = d.length;
    for (let start = 0; start < n && this.#left > 0; ) {
      let end = start;
      while (end < n - 1 && !this.#splits(end)) end++;
      if (end < n - 1) e[end] = 0;
      const [first, last] = [start, end];
      start = end + 1;
      if (first === last) continue;
      if (Math.abs(d[last]!) < Math.abs(d[first]!)) this.#reduce(last, first, -1);
      else this.#reduce(first, last, 1);
    }
    return e.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
  }

  #splits(i: number): boolean {
    const { d, e, epsilon } = this;
    const size = Math.abs(e[i]!);
    return size === 0 || size <= Math.sqrt(Math.abs(d[i]!)) * Math.sqrt(Math.abs(d[i + 1]!)) * (epsilon / 2);
  }

  /** Finds the values of a block from `l` on, toward `end`: QL for step 1, QR for step -1. */
  #reduce(l: number, end: number, step: 1 | -1): void {
    const { e } = this;
    while ((end - l) * step >= 0) {
      const m = this.#smallFrom(l, end, step);
      const beside = step === 1 ? l : l - 1;
      if (m !== end) e[step === 1 ? m : m - 1] = 0;
      if (m === l) l += step;
      else if (m === l + step) {
        this.#solvePair(Math.min(l, m));
        e[beside] = 0;
        l += 2 * step;
      } else {
        if (this.#left-- === 0) return;
        this.#sweep(l, m, step);
      }
    }
  }

  #smallFrom(l: number, end: number, step: 1 | -1): number {
    const { d, e, epsilon } = this;
    const square = (epsilon / 2) ** 2;
    for (let m = l; m !== end; m += step) {
      const size = e[step === 1 ? m : m - 1]! ** 2;
      if (size <= square * Math.abs(d[m]!) * Math.abs(d[m + step]!) + SAFE_MINIMUM) return m;
    }
    return end;
  }

  #solvePair(at: number): void {
    const { d, e, vectors } = this;
    const { first, second, cosine, sine } = symmetricPair(d[at]!, e[at]!, d[at + 1]!);
    if (vectors !== undefined) rotateColumns(vectors, at, at + 1, cosine, sine);
    d[at] = first;
    d[at + 1] = second;
  }

  /** One implicit step with Wilkinson's shift, from `m` back to `l`. */
  #sweep(l: number, m: number, step: 1 | -1): void {
    const { d, e, vectors } = this;
    const out = this.#rotation;
    /** Returns the element between i and the one after it, seen from l. */
    const between = (i: number): number => (step === 1 ? i : i - 1);
    let p = d[l]!;
    let g = (d[l + step]! - p) / (2 * e[between(l)]!);
    g = d[m]! - p + e[between(l)]! / (g + withSign(Math.hypot(g, 1), g));
    let [s, c] = [1, 1];
    p = 0;
    for (let i = m - step; ; i -= step) {
      const at = between(i);
      const [f, b] = [s * e[at]!, c * e[at]!];
      rotate(out, g, f);
      ({ c, s } = out);
      if (i !== m - step) e[between(i + step)] = out.r;
      g = d[i + step]! - p;
      const r = (d[i]! - g) * s + 2 * c * b;
      p = s * r;
      d[i + step] = g + p;
      g = c * r - b;
      if (vectors !== undefined) rotateColumns(vectors, at, at + 1, c, step === 1 ? -s : s);
      if (i === l) break;
    }
    d[l]! -= p;
    e[between(l)] = g;
  }
}
