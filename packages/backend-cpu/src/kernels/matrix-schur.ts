/**
 * @file Schur forms of Hessenberg matrices by implicit QR steps (LAPACK's `lahqr`), and their
 * eigenvectors.
 */
import { type Complex, divide, type Matrix, rotateColumns, size1 } from "./matrix.js";
import { applyLeft, applyRight, newReflector, type Reflector, reflect } from "./matrix-householder.js";
import { standardPair } from "./matrix-rotation.js";

/** A matrix on its way to triangular form, and the basis that is turned along. */
export interface SchurProblem {
  readonly h: Matrix;
  readonly z: Matrix;
  readonly low: number;
  readonly high: number;
  readonly epsilon: number;
}

const SAFE_MINIMUM = 2 ** -1022;
/** After so many steps without an eigenvalue a step takes an exceptional shift. */
const PATIENCE = 10;

/**
 * Brings a matrix to triangular form, with blocks of two for pairs of a real one; returns the place
 * that failed or 0.
 */
export function schur(problem: SchurProblem): number {
  const { h, low, high } = problem;
  const real = h.im === undefined;
  const limit = 30 * Math.max(10, high - low + 1);
  const reflector = newReflector(3, !real);
  for (let last = high; last >= low; ) {
    let first = low;
    let steps = 0;
    for (; steps <= limit; steps++) {
      first = splitBefore(problem, last, first);
      if (first >= last - (real ? 1 : 0)) break;
      if (real) doubleStep(problem, first, last, steps + 1, reflector);
      else singleStep(problem, first, last, steps + 1, reflector);
    }
    if (steps > limit) return last + 1;
    if (first === last - 1 && real) standardize(problem, first);
    last = first - 1;
  }
  return 0;
}

/**
 * Returns the start of the block that ends at `last`; what is small below the diagonal before it
 * becomes zero.
 */
function splitBefore({ h, low, high, epsilon }: SchurProblem, last: number, from: number): number {
  const n = h.rows;
  const small = SAFE_MINIMUM * ((high - low + 1) / epsilon);
  const at = (i: number, j: number): number => size1(h, j * n + i);
  let k = last;
  for (; k > from; k--) {
    const below = at(k, k - 1);
    if (below <= small) break;
    let size = at(k - 1, k - 1) + at(k, k);
    if (size === 0) {
      if (k - 2 >= low) size += at(k - 1, k - 2);
      if (k + 1 <= high) size += at(k + 1, k);
    }
    // Ahues and Tisseur, "A New Deflation Criterion for the QR Algorithm" (1997).
    if (below > epsilon * size) continue;
    const above = at(k - 1, k);
    const [most, least] = [Math.max(below, above), Math.min(below, above)];
    const difference = differenceOf(h, k);
    const [large, little] = [Math.max(at(k, k), difference), Math.min(at(k, k), difference)];
    const sum = large + most;
    if (least * (most / sum) <= Math.max(small, epsilon * (little * (large / sum)))) break;
  }
  if (k > low) {
    h.re[(k - 1) * n + k] = 0;
    if (h.im !== undefined) h.im[(k - 1) * n + k] = 0;
  }
  return k;
}

function differenceOf({ rows: n, re, im }: Matrix, k: number): number {
  const [p, q] = [(k - 1) * (n + 1), k * (n + 1)];
  return Math.abs(re[p]! - re[q]!) + Math.abs((im?.[p] ?? 0) - (im?.[q] ?? 0));
}

/** Francis' step with two shifts, which are real or conjugate. */
function doubleStep(
  { h, z, epsilon }: SchurProblem,
  first: number,
  last: number,
  step: number,
  r: Reflector,
): void {
  const n = h.rows;
  const { re } = h;
  const at = (i: number, j: number): number => re[j * n + i]!;
  const [shift, imaginary] = shiftsOf(h, first, last, step);
  const v = Float64Array.of(0, 0, 0);
  let m = last - 2;
  for (; ; m--) {
    const [a, below] = [at(m, m), at(m + 1, m)];
    // The first column of (H - s1)(H - s2), divided by its size.
    const size = Math.abs(a - shift.second) + Math.abs(imaginary) + Math.abs(below);
    const ratio = below / size;
    v[0] =
      ratio * at(m, m + 1) + (a - shift.first) * ((a - shift.second) / size) + imaginary * (imaginary / size);
    v[1] = ratio * (a + at(m + 1, m + 1) - shift.first - shift.second);
    v[2] = ratio * at(m + 2, m + 1);
    const total = Math.abs(v[0]) + Math.abs(v[1]) + Math.abs(v[2]);
    for (let i = 0; i < 3; i++) v[i]! /= total;
    if (m === first) break;
    const around = Math.abs(at(m - 1, m - 1)) + Math.abs(a) + Math.abs(at(m + 1, m + 1));
    if (Math.abs(at(m, m - 1)) * (Math.abs(v[1]) + Math.abs(v[2])) <= epsilon * Math.abs(v[0]) * around)
      break;
  }
  for (let k = m; k < last; k++) {
    const count = Math.min(3, last - k + 1);
    const before = (k - 1) * n + k;
    if (k > m) v.set(re.subarray(before, before + count));
    reflect(r, count, { re: v, im: undefined }, 0, 1);
    if (k > m) {
      re.fill(0, before, before + count);
      re[before] = r.beta;
    } else if (m > first) re[before]! *= 1 - r.tau.re;
    applyBoth(r, h, z, k, Math.min(k + 3, last));
  }
}

function applyBoth(r: Reflector, h: Matrix, z: Matrix, k: number, until: number): void {
  applyLeft(r, true, h, k, k);
  applyRight(r, false, h, k, 0, until + 1);
  applyRight(r, false, z, k, 0);
}

/** Returns the two shifts: real parts, and the size of the imaginary parts. */
function shiftsOf(
  { rows: n, re }: Matrix,
  first: number,
  last: number,
  step: number,
): readonly [real: { first: number; second: number }, imaginary: number] {
  const at = (i: number, j: number): number => re[j * n + i]!;
  let [a, b, c, d] = [at(last - 1, last - 1), at(last - 1, last), at(last, last - 1), at(last, last)];
  if (step % PATIENCE === 0) {
    const end = step % (2 * PATIENCE) === 0;
    const size = end
      ? Math.abs(at(last, last - 1)) + Math.abs(at(last - 1, last - 2))
      : Math.abs(at(first + 1, first)) + Math.abs(at(first + 2, first + 1));
    a = d = 0.75 * size + (end ? at(last, last) : at(first, first));
    [b, c] = [-0.4375 * size, size];
  }
  const size = Math.abs(a) + Math.abs(b) + Math.abs(c) + Math.abs(d);
  if (size === 0) return [{ first: 0, second: 0 }, 0];
  [a, b, c, d] = [a / size, b / size, c / size, d / size];
  const middle = (a + d) / 2;
  const determinant = (a - middle) * (d - middle) - b * c;
  const root = Math.sqrt(Math.abs(determinant));
  if (determinant >= 0) return [{ first: middle * size, second: middle * size }, root * size];
  const [high, low] = [middle + root, middle - root];
  const shift = (Math.abs(high - d) <= Math.abs(low - d) ? high : low) * size;
  return [{ first: shift, second: shift }, 0];
}

/** Brings a block of two to the form in which its eigenvalues can be seen. */
function standardize({ h, z }: SchurProblem, k: number): void {
  const { rows: n, re } = h;
  const [p, q] = [k * n + k, (k + 1) * n + k];
  const { block, cosine, sine } = standardPair(re[p]!, re[q]!, re[p + 1]!, re[q + 1]!);
  [re[p], re[q], re[p + 1], re[q + 1]] = block as [number, number, number, number];
  for (let j = k + 2; j < n; j++) {
    const at = j * n + k;
    const [x, y] = [re[at]!, re[at + 1]!];
    re[at] = cosine * x + sine * y;
    re[at + 1] = cosine * y - sine * x;
  }
  for (let i = 0; i < k; i++) {
    const [x, y] = [re[k * n + i]!, re[(k + 1) * n + i]!];
    re[k * n + i] = cosine * x + sine * y;
    re[(k + 1) * n + i] = cosine * y - sine * x;
  }
  rotateColumns(z, k, k + 1, cosine, sine);
}

/** A step with Wilkinson's shift, of a complex matrix. */
function singleStep(
  { h, z, epsilon }: SchurProblem,
  first: number,
  last: number,
  step: number,
  r: Reflector,
): void {
  const n = h.rows;
  const { re } = h;
  const im = h.im!;
  const shift = shiftOf(h, first, last, step);
  const v = { re: new Float64Array(2), im: new Float64Array(2) };
  let m = last - 1;
  for (; ; m--) {
    const [p, q] = [m * n + m, (m + 1) * (n + 1)];
    const own = Math.abs(re[p]! - shift.re) + Math.abs(im[p]! - shift.im);
    const below = size1(h, p + 1);
    const size = own + below;
    v.re.set([(re[p]! - shift.re) / size, re[p + 1]! / size]);
    v.im.set([(im[p]! - shift.im) / size, im[p + 1]! / size]);
    if (m === first) break;
    const before = size1(h, (m - 1) * n + m);
    if (before * (below / size) <= epsilon * (own / size) * (size1(h, p) + size1(h, q))) break;
  }
  for (let k = m; k < last; k++) {
    const before = (k - 1) * n + k;
    if (k > m) {
      v.re.set(re.subarray(before, before + 2));
      v.im.set(im.subarray(before, before + 2));
    }
    reflect(r, 2, v, 0, 1);
    if (k > m) {
      [re[before], re[before + 1], im[before], im[before + 1]] = [r.beta, 0, 0, 0];
    } else if (m > first) {
      const [x, y, fr, fi] = [re[before]!, im[before]!, 1 - r.tau.re, r.tau.im];
      re[before] = x * fr - y * fi;
      im[before] = x * fi + y * fr;
    }
    applyBoth(r, h, z, k, Math.min(k + 2, last));
  }
}

/** Returns the eigenvalue of the last block of two that is nearer to its last element. */
function shiftOf(h: Matrix, first: number, last: number, step: number): Complex {
  const { rows: n, re } = h;
  const im = h.im!;
  const end = last * (n + 1);
  if (step % PATIENCE === 0) {
    const atEnd = step % (2 * PATIENCE) === 0;
    const size = 0.75 * (atEnd ? size1(h, (last - 1) * n + last) : size1(h, first * n + first + 1));
    const at = atEnd ? end : first * (n + 1);
    return { re: re[at]! + size, im: im[at]! };
  }
  const [above, below] = [last * n + last - 1, (last - 1) * n + last];
  const product = {
    re: re[above]! * re[below]! - im[above]! * im[below]!,
    im: re[above]! * im[below]! + im[above]! * re[below]!,
  };
  if (product.re === 0 && product.im === 0) return { re: re[end]!, im: im[end]! };
  const corner = (last - 1) * (n + 1);
  const x = { re: (re[corner]! - re[end]!) / 2, im: (im[corner]! - im[end]!) / 2 };
  const y = squareRoot(x.re * x.re - x.im * x.im + product.re, 2 * x.re * x.im + product.im);
  const turned = x.re * y.re + x.im * y.im < 0 ? -1 : 1;
  const out = { re: 0, im: 0 };
  divide(out, product.re, product.im, x.re + turned * y.re, x.im + turned * y.im);
  return { re: re[end]! - out.re, im: im[end]! - out.im };
}

function squareRoot(re: number, im: number): Complex {
  const size = Math.hypot(re, im);
  const large = Math.sqrt((size + Math.abs(re)) / 2);
  const small = large === 0 ? 0 : Math.abs(im) / (2 * large);
  const sign = im < 0 ? -1 : 1;
  return re >= 0 ? { re: large, im: sign * small } : { re: small, im: sign * large };
}
