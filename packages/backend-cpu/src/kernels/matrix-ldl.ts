/**
 * @file Factors `P L D L' P'` of symmetric and Hermitian matrices, D with blocks of one or two
 * rows: Bunch and Kaufman, "Some Stable Methods for Calculating Inertia and Solving Symmetric
 * Linear Systems" (1977), in LAPACK's `sytf2` form.
 */
import { scratch } from "../kernel/scratch.js";
import { addScaled, type Complex, divide, dot, type Matrix, scale, size1, swap, swapRows } from "./matrix.js";

/** Growth of elements is least with this bound. */
const ALPHA = (1 + Math.sqrt(17)) / 8;

export interface BlockFactors {
  /** Rows exchanged, counted from 1; both rows of a block of two have the same negative number. */
  readonly pivots: Int32Array;
  /** One-based place of the first block that is zero; 0 when there is none. */
  readonly singularAt: number;
}

/** Factors the lower triangle in place. */
export function factorLDL(a: Matrix, hermitian: boolean): BlockFactors {
  const n = a.rows;
  const pivots = scratch(Int32Array, n);
  let singularAt = 0;
  for (let k = 0; k < n; ) {
    const { pivot, rows } = choosePivot(a, k, hermitian);
    if (rows === 0) {
      if (singularAt === 0) singularAt = k + 1;
      pivots[k] = k + 1;
      k++;
      continue;
    }
    exchange(a, k + rows - 1, pivot, hermitian);
    if (rows === 1) eliminateOne(a, k, hermitian);
    else {
      if (pivot !== k + 1) swap(1, a, k * n + k + 1, 1, a, k * n + pivot, 1);
      eliminateTwo(a, k, hermitian);
    }
    for (let i = k; i < k + rows; i++) pivots[i] = rows === 1 ? pivot + 1 : -(pivot + 1);
    k += rows;
  }
  return { pivots, singularAt };
}

/** Returns which row to exchange, and how many rows the block has; none when the column is zero. */
function choosePivot(a: Matrix, k: number, hermitian: boolean): { pivot: number; rows: number } {
  const n = a.rows;
  const diagonal = (i: number): number => (hermitian ? Math.abs(a.re[i * n + i]!) : size1(a, i * n + i));
  const own = diagonal(k);
  const [row, column] = largest(a, k * n + k + 1, 1, n - k - 1);
  // A NaN is in neither comparison, and is not eliminated with.
  if (!(Math.max(own, column) > 0)) return { pivot: k, rows: 0 };
  if (own >= ALPHA * column) return { pivot: k, rows: 1 };
  const best = k + 1 + row;
  const beside = largest(a, k * n + best, n, best - k)[1];
  const rest = Math.max(beside, largest(a, best * n + best + 1, 1, n - best - 1)[1]);
  if (own >= ALPHA * column * (column / rest)) return { pivot: k, rows: 1 };
  return diagonal(best) >= ALPHA * rest ? { pivot: best, rows: 1 } : { pivot: best, rows: 2 };
}

function largest(a: Matrix, start: number, step: number, count: number): readonly [at: number, size: number] {
  let [at, size] = [0, 0];
  for (let i = 0, p = start; i < count; i++, p += step) {
    const value = size1(a, p);
    if (value > size) [at, size] = [i, value];
  }
  return [at, size];
}

/**
 * Exchanges rows and columns `k` and `p` of the part that is left to do, `p` being the later one.
 */
function exchange(a: Matrix, k: number, p: number, hermitian: boolean): void {
  if (p === k) return;
  const { rows: n, im } = a;
  swap(n - p - 1, a, k * n + p + 1, 1, a, p * n + p + 1, 1);
  swap(p - k - 1, a, k * n + k + 1, 1, a, (k + 1) * n + p, n);
  swap(1, a, k * n + k, 1, a, p * n + p, 1);
  if (!hermitian || im === undefined) return;
  for (let i = k + 1; i < p; i++) {
    im[k * n + i] = -im[k * n + i]!;
    im[i * n + p] = -im[i * n + p]!;
  }
  im[k * n + p] = -im[k * n + p]!;
}

const work: Complex = { re: 0, im: 0 };

function eliminateOne(a: Matrix, k: number, hermitian: boolean): void {
  const { rows: n, re, im } = a;
  const at = k * n + k;
  if (hermitian && im !== undefined) im[at] = 0;
  for (let j = k + 1; j < n; j++) {
    const p = k * n + j;
    divide(work, re[p]!, (hermitian ? -1 : 1) * (im?.[p] ?? 0), re[at]!, im?.[at] ?? 0);
    addScaled(n - j, -work.re, -work.im, a, p, 1, a, j * n + j, 1);
    if (hermitian && im !== undefined) im[j * n + j] = 0;
  }
  divide(work, 1, 0, re[at]!, im?.[at] ?? 0);
  scale(n - k - 1, work.re, work.im, a, at + 1, 1);
}

/** A block of two rows [[a, b'], [b, c]], inverted with everything divided by b. */
class Pair {
  readonly #a: Complex = { re: 0, im: 0 };
  readonly #c: Complex = { re: 0, im: 0 };
  readonly #b: Complex;
  readonly #bTurned: Complex;
  readonly first: Complex = { re: 0, im: 0 };
  readonly second: Complex = { re: 0, im: 0 };

  constructor({ rows: n, re, im }: Matrix, k: number, hermitian: boolean) {
    const at = k * n + k;
    const end = at + n + 1;
    const b = { re: re[at + 1]!, im: im?.[at + 1] ?? 0 };
    const turned = { re: b.re, im: hermitian ? -b.im : b.im };
    divide(this.#a, re[at]!, hermitian ? 0 : (im?.[at] ?? 0), turned.re, turned.im);
    divide(this.#c, re[end]!, hermitian ? 0 : (im?.[end] ?? 0), b.re, b.im);
    const [x, y] = [this.#a, this.#c];
    const determinant = { re: x.re * y.re - x.im * y.im - 1, im: x.re * y.im + x.im * y.re };
    this.#b = product(b, determinant);
    this.#bTurned = product(turned, determinant);
  }

  /** `(x0, x1)` times the inverse, as a row, left in `first` and `second`. */
  divideRow(x0: Complex, x1: Complex): void {
    const [low, high] = [product(this.#c, x0), product(this.#a, x1)];
    divide(this.first, low.re - x1.re, low.im - x1.im, this.#bTurned.re, this.#bTurned.im);
    divide(this.second, high.re - x0.re, high.im - x0.im, this.#b.re, this.#b.im);
  }

  /** The inverse times `(x0, x1)`, as a column. */
  divideColumn(x0: Complex, x1: Complex): void {
    // (c x0 - b' x1) / det and (a x1 - b x0) / det.
    const [low, high] = [product(this.#c, x0), product(this.#a, x1)];
    divide(work, x1.re, x1.im, this.#b.re, this.#b.im);
    divide(this.first, low.re, low.im, this.#bTurned.re, this.#bTurned.im);
    this.first.re -= work.re;
    this.first.im -= work.im;
    divide(work, x0.re, x0.im, this.#bTurned.re, this.#bTurned.im);
    divide(this.second, high.re, high.im, this.#b.re, this.#b.im);
    this.second.re -= work.re;
    this.second.im -= work.im;
  }
}

const product = (x: Complex, y: Complex): Complex => ({
  re: x.re * y.re - x.im * y.im,
  im: x.re * y.im + x.im * y.re,
});

function eliminateTwo(a: Matrix, k: number, hermitian: boolean): void {
  const { rows: n, re, im } = a;
  const pair = new Pair(a, k, hermitian);
  const value = (at: number): Complex => ({ re: re[at]!, im: im?.[at] ?? 0 });
  const sign = hermitian ? -1 : 1;
  const diagonals = hermitian && im !== undefined ? [k, k + 1] : [];
  for (const i of diagonals) im![i * n + i] = 0;
  for (let j = k + 2; j < n; j++) {
    const [p, q] = [k * n + j, (k + 1) * n + j];
    pair.divideRow(value(p), value(q));
    const { first, second } = pair;
    addScaled(n - j, -first.re, -sign * first.im, a, p, 1, a, j * n + j, 1);
    addScaled(n - j, -second.re, -sign * second.im, a, q, 1, a, j * n + j, 1);
    [re[p], re[q]] = [first.re, second.re];
    if (im === undefined) continue;
    [im[p], im[q]] = [first.im, second.im];
    if (hermitian) im[j * n + j] = 0;
  }
}

/** Solves `A X = B` in place of B from the factors of A. */
export function solveLDL(a: Matrix, pivots: ArrayLike<number>, b: Matrix, hermitian: boolean): void {
  const n = a.rows;
  for (let k = 0; k < n; ) {
    const rows = pivots[k]! > 0 ? 1 : 2;
    const pivot = Math.abs(pivots[k]!) - 1;
    const last = k + rows - 1;
    if (pivot !== last) swapRows(b, last, pivot);
    for (let j = 0; j < b.columns; j++) {
      for (let i = k; i <= last; i++) {
        const at = j * n + i;
        addScaled(
          n - last - 1,
          -b.re[at]!,
          -(b.im?.[at] ?? 0),
          a,
          i * n + last + 1,
          1,
          b,
          j * n + last + 1,
          1,
        );
      }
    }
    divideBlock(a, k, rows, b, hermitian);
    k += rows;
  }
  for (let k = n - 1; k >= 0; ) {
    const rows = pivots[k]! > 0 ? 1 : 2;
    const pivot = Math.abs(pivots[k]!) - 1;
    for (let j = 0; j < b.columns; j++) {
      for (let i = k - rows + 1; i <= k; i++)
        subtractDot(a, i * n + k + 1, n - k - 1, b, j * n, i, hermitian);
    }
    if (pivot !== k) swapRows(b, k, pivot);
    k -= rows;
  }
}

function divideBlock(a: Matrix, k: number, rows: number, b: Matrix, hermitian: boolean): void {
  const n = a.rows;
  const pair = rows === 2 ? new Pair(a, k, hermitian) : undefined;
  for (let j = 0; j < b.columns; j++) {
    const at = j * n + k;
    const value = (p: number): Complex => ({ re: b.re[p]!, im: b.im?.[p] ?? 0 });
    if (pair === undefined)
      divide(work, b.re[at]!, b.im?.[at] ?? 0, a.re[k * n + k]!, a.im?.[k * n + k] ?? 0);
    else pair.divideColumn(value(at), value(at + 1));
    const results = pair === undefined ? [work] : [pair.first, pair.second];
    results.forEach(({ re, im }, i) => {
      b.re[at + i] = re;
      if (b.im !== undefined) b.im[at + i] = im;
    });
  }
}

/** `b_i -= l' b` with the rest of a column of L, conjugated when Hermitian. */
function subtractDot(
  a: Matrix,
  from: number,
  count: number,
  b: Matrix,
  start: number,
  i: number,
  hermitian: boolean,
): void {
  const below = start + b.rows - count;
  if (hermitian || a.im === undefined || b.im === undefined) dot(work, count, a, from, 1, b, below, 1);
  else {
    // The conjugate of (b' conj(l)) is the product without conjugation.
    work.re = work.im = 0;
    for (let k = 0; k < count; k++) {
      const [x, y, u, v] = [a.re[from + k]!, a.im[from + k]!, b.re[below + k]!, b.im[below + k]!];
      work.re += x * u - y * v;
      work.im += x * v + y * u;
    }
  }
  b.re[start + i]! -= work.re;
  if (b.im !== undefined) b.im[start + i]! -= work.im;
}
