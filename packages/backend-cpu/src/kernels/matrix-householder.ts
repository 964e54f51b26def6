/**
 * @file Householder reflections `H = I - tau v v'` with LAPACK's signs, and the factors made of
 * them (LAPACK Users' Guide, "Orthogonal factorizations"; `larfg`, `geqr2`, `ung2r`, `unm2r`,
 * `gebd2`, `hetd2`, `gehd2`).
 */
import { scratch } from "../kernel/scratch.js";
import { addScaled, type Complex, divide, dot, type Matrix, norm, type Parts, zeros } from "./matrix.js";

/** A reflection with its vector, whose first element is one. */
export interface Reflector {
  readonly v: Parts;
  length: number;
  readonly tau: Complex;
  /** What the first element becomes. */
  beta: number;
}

export const newReflector = (length: number, complex: boolean): Reflector => ({
  v: zeros(length, 1, complex),
  length,
  tau: { re: 0, im: 0 },
  beta: 0,
});

const work: Complex = { re: 0, im: 0 };

/**
 * Makes the reflection for which `H' x = (beta, 0, ...)` with a real beta, x being a run of a
 * matrix (conjugated when asked). In place of the run's rest comes the rest of v; its first element
 * is left to the caller.
 */
export function reflect(
  h: Reflector,
  count: number,
  x: Parts,
  px: number,
  dx: number,
  conjugated = false,
): void {
  const { v, tau } = h;
  const sign = conjugated ? -1 : 1;
  h.length = count;
  const [alphaRe, alphaIm] = [x.re[px]!, sign * (x.im?.[px] ?? 0)];
  const rest = count > 1 ? norm(count - 1, x, px + dx, dx) : 0;
  v.re[0] = 1;
  if (v.im !== undefined) v.im[0] = 0;
  if (rest === 0 && alphaIm === 0) {
    [tau.re, tau.im, h.beta] = [0, 0, alphaRe];
    v.re.fill(0, 1, count);
    v.im?.fill(0, 1, count);
    return;
  }
  const size = Math.hypot(alphaRe, alphaIm, rest);
  h.beta = alphaRe >= 0 && !Object.is(alphaRe, -0) ? -size : size;
  tau.re = (h.beta - alphaRe) / h.beta;
  tau.im = -alphaIm / h.beta;
  for (let i = 1, p = px + dx; i < count; i++, p += dx) {
    divide(work, x.re[p]!, sign * (x.im?.[p] ?? 0), alphaRe - h.beta, alphaIm);
    v.re[i] = x.re[p] = work.re;
    if (v.im === undefined) continue;
    v.im[i] = work.im;
    x.im![p] = sign * work.im;
  }
}

/**
 * `C := (I - tau v v') C` on the rows from `row` of columns; the conjugate of tau when `adjoint`.
 */
export function applyLeft(
  { v, length, tau }: Reflector,
  adjoint: boolean,
  c: Matrix,
  row: number,
  from: number,
  to = c.columns,
): void {
  const tauIm = adjoint ? -tau.im : tau.im;
  if (tau.re === 0 && tauIm === 0) return;
  for (let j = from; j < to; j++) {
    const start = j * c.rows + row;
    dot(work, length, v, 0, 1, c, start, 1);
    const { re, im } = work;
    addScaled(length, tauIm * im - tau.re * re, -tau.re * im - tauIm * re, v, 0, 1, c, start, 1);
  }
}

/**
 * `C := C (I - tau v v')` on the columns from `column` of rows; the conjugate of tau when
 * `adjoint`.
 */
export function applyRight(
  { v, length, tau }: Reflector,
  adjoint: boolean,
  c: Matrix,
  column: number,
  from: number,
  to = c.rows,
): void {
  const tauIm = adjoint ? -tau.im : tau.im;
  if (tau.re === 0 && tauIm === 0) return;
  for (let i = from; i < to; i++) {
    const start = column * c.rows + i;
    let [re, im] = [0, 0];
    for (let k = 0, p = start; k < length; k++, p += c.rows) {
      const [vr, vi, x, y] = [v.re[k]!, v.im?.[k] ?? 0, c.re[p]!, c.im?.[p] ?? 0];
      re += x * vr - y * vi;
      im += x * vi + y * vr;
    }
    const [fr, fi] = [tauIm * im - tau.re * re, -tau.re * im - tauIm * re];
    for (let k = 0, p = start; k < length; k++, p += c.rows) {
      const [vr, vi] = [v.re[k]!, -(v.im?.[k] ?? 0)];
      c.re[p]! += fr * vr - fi * vi;
      if (c.im !== undefined) c.im[p]! += fr * vi + fi * vr;
    }
  }
}

/**
 * Reflections one after the other: their vectors below the diagonals of a matrix, and their
 * factors.
 */
export interface Reflections {
  readonly vectors: Matrix;
  readonly taus: Matrix;
  /** 1 when the first vector starts one row below the diagonal. */
  readonly shift: number;
}

function load(h: Reflector, { vectors, taus, shift }: Reflections, k: number): void {
  const start = k * vectors.rows + k + shift;
  h.length = vectors.rows - k - shift;
  h.v.re.set(vectors.re.subarray(start, start + h.length));
  h.v.im?.set(vectors.im!.subarray(start, start + h.length));
  h.v.re[0] = 1;
  if (h.v.im !== undefined) h.v.im[0] = 0;
  h.tau.re = taus.re[k]!;
  h.tau.im = taus.im?.[k] ?? 0;
}

function store({ taus }: Reflections, k: number, { tau }: Reflector): void {
  taus.re[k] = tau.re;
  if (taus.im !== undefined) taus.im[k] = tau.im;
}

/** Replaces a matrix by R on and above its diagonal and the reflections of Q below. */
export function factorQR(matrix: Matrix): Reflections {
  const { rows, columns, im } = matrix;
  const count = Math.min(rows, columns);
  const result = { vectors: matrix, taus: zeros(count, 1, im !== undefined), shift: 0 };
  const h = newReflector(rows, im !== undefined);
  for (let k = 0; k < count; k++) {
    const at = k * rows + k;
    reflect(h, rows - k, matrix, at, 1);
    applyLeft(h, true, matrix, k, k + 1);
    matrix.re[at] = h.beta;
    if (im !== undefined) im[at] = 0;
    store(result, k, h);
  }
  return result;
}

/** `Q C`, `Q' C`, `C Q` or `C Q'` in place of C. */
export function applyReflections(q: Reflections, c: Matrix, left: boolean, adjoint: boolean): void {
  const count = q.taus.rows;
  const h = newReflector(q.vectors.rows, q.vectors.im !== undefined);
  for (let step = 0; step < count; step++) {
    // The rightmost factor meets C first from the left, the leftmost from the right.
    const k = left === adjoint ? step : count - 1 - step;
    load(h, q, k);
    if (left) applyLeft(h, adjoint, c, k + q.shift, 0);
    else applyRight(h, adjoint, c, k + q.shift, 0);
  }
}

/** Returns the first columns of Q. */
export function formQ(q: Reflections, columns: number): Matrix {
  const result = zeros(q.vectors.rows, columns, q.vectors.im !== undefined);
  for (let k = 0; k < Math.min(columns, result.rows); k++) result.re[k * result.rows + k] = 1;
  applyReflections(q, result, true, false);
  return result;
}

/** `A = Q B P'` with real bidiagonal B. */
export interface Bidiagonal {
  readonly q: Reflections;
  readonly p: Reflections;
  readonly diagonal: Float64Array;
  /** Above the diagonal. */
  readonly above: Float64Array;
}

/** Brings a matrix with no fewer rows than columns to bidiagonal form; it is overwritten. */
export function bidiagonalize(matrix: Matrix): Bidiagonal {
  const { rows, columns: n, im } = matrix;
  const complex = im !== undefined;
  const q: Reflections = { vectors: matrix, taus: zeros(n, 1, complex), shift: 0 };
  const p: Reflections = {
    vectors: zeros(n, n, complex),
    taus: zeros(Math.max(n - 1, 0), 1, complex),
    shift: 1,
  };
  const [diagonal, above] = [scratch(Float64Array, n), scratch(Float64Array, Math.max(n - 1, 0))];
  const h = newReflector(Math.max(rows, n), complex);
  for (let k = 0; k < n; k++) {
    reflect(h, rows - k, matrix, k * rows + k, 1);
    applyLeft(h, true, matrix, k, k + 1);
    diagonal[k] = h.beta;
    store(q, k, h);
    if (k === n - 1) break;
    reflect(h, n - k - 1, matrix, (k + 1) * rows + k, rows, true);
    applyRight(h, false, matrix, k + 1, k + 1);
    above[k] = h.beta;
    store(p, k, h);
    p.vectors.re.set(h.v.re.subarray(0, h.length), k * n + k + 1);
    p.vectors.im?.set(h.v.im!.subarray(0, h.length), k * n + k + 1);
  }
  return { q, p, diagonal, above };
}

/** `A = Q T Q'` with real tridiagonal T. */
export interface Tridiagonal {
  readonly q: Reflections;
  readonly diagonal: Float64Array;
  readonly below: Float64Array;
}

/**
 * Brings a Hermitian matrix, of which the lower triangle is read, to tridiagonal form; it is
 * overwritten.
 */
export function tridiagonalize(matrix: Matrix): Tridiagonal {
  const { rows: n, re, im } = matrix;
  const complex = im !== undefined;
  mirrorLower(matrix);
  const q: Reflections = {
    vectors: zeros(n, n, complex),
    taus: zeros(Math.max(n - 1, 0), 1, complex),
    shift: 1,
  };
  const [diagonal, below] = [scratch(Float64Array, n), scratch(Float64Array, Math.max(n - 1, 0))];
  const h = newReflector(n, complex);
  for (let k = 0; k < n - 1; k++) {
    reflect(h, n - k - 1, matrix, k * n + k + 1, 1);
    below[k] = h.beta;
    store(q, k, h);
    q.vectors.re.set(h.v.re.subarray(0, h.length), k * n + k + 1);
    q.vectors.im?.set(h.v.im!.subarray(0, h.length), k * n + k + 1);
    applyLeft(h, true, matrix, k + 1, k + 1);
    applyRight(h, false, matrix, k + 1, k + 1);
  }
  for (let k = 0; k < n; k++) diagonal[k] = re[k * n + k]!;
  return { q, diagonal, below };
}

/** Completes a Hermitian matrix from its lower triangle. */
export function mirrorLower({ rows: n, re, im }: Matrix): void {
  for (let j = 0; j < n; j++) {
    if (im !== undefined) im[j * n + j] = 0;
    for (let i = j + 1; i < n; i++) {
      re[i * n + j] = re[j * n + i]!;
      if (im !== undefined) im[i * n + j] = -im[j * n + i]!;
    }
  }
}

/**
 * Brings the rows and columns from `low` to `high` of a matrix to Hessenberg form in place:
 * `A = Q H Q'`.
 */
export function hessenberg(matrix: Matrix, low: number, high: number): Reflections {
  const { rows: n, re, im } = matrix;
  const complex = im !== undefined;
  const q: Reflections = {
    vectors: zeros(n, n, complex),
    taus: zeros(Math.max(n - 1, 0), 1, complex),
    shift: 1,
  };
  const h = newReflector(n, complex);
  for (let k = low; k < high; k++) {
    const at = k * n + k + 1;
    reflect(h, high - k, matrix, at, 1);
    store(q, k, h);
    q.vectors.re.set(h.v.re.subarray(0, h.length), at);
    q.vectors.im?.set(h.v.im!.subarray(0, h.length), at);
    applyRight(h, false, matrix, k + 1, 0, high + 1);
    applyLeft(h, true, matrix, k + 1, k + 1);
    re.fill(0, at + 1, at + h.length);
    im?.fill(0, at, at + h.length);
    re[at] = h.beta;
  }
  return q;
}
