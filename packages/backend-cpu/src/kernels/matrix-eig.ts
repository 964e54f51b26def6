/** @file Eigenvalues and right eigenvectors of any square matrix, in the steps of LAPACK's `geev`. */
import { type Complex, divide, type Matrix, multiply, norm, scale, zeros } from "./matrix.js";
import { balance, undoBalance } from "./matrix-balance.js";
import { formQ, hessenberg } from "./matrix-householder.js";
import { newRotation, rotate } from "./matrix-rotation.js";
import { schur } from "./matrix-schur.js";

export interface GeneralEigenpairs {
  /** One column of complex numbers. */
  readonly values: Matrix;
  readonly vectors: Matrix;
  readonly code: number;
}

/** Of a matrix, which is overwritten. */
export function generalEigenpairs(matrix: Matrix, epsilon: number): GeneralEigenpairs {
  const n = matrix.rows;
  if (n === 0) return { values: zeros(0, 1, true), vectors: zeros(0, 0, true), code: 0 };
  const balanced = balance(matrix);
  const { low, high } = balanced;
  const z = formQ(hessenberg(matrix, low, high), n);
  const code = schur({ h: matrix, z, low, high, epsilon });
  const values = diagonalValues(matrix);
  const vectors = multiply(z, triangularVectors(matrix, values, epsilon));
  undoBalance(balanced, vectors);
  normalize(vectors, values, matrix.im === undefined);
  return { values, vectors, code };
}

/** Of a triangular matrix, or one with blocks of two on the diagonal. */
function diagonalValues({ rows: n, re, im }: Matrix): Matrix {
  const values = zeros(n, 1, true);
  for (let k = 0; k < n; k++) {
    const at = k * n + k;
    values.re[k] = re[at]!;
    values.im![k] = im?.[at] ?? 0;
    if (im !== undefined || k === n - 1 || re[at + 1] === 0) continue;
    const size = Math.sqrt(Math.abs(re[at + 1]!)) * Math.sqrt(Math.abs(re[at + n]!));
    values.im![k] = size;
    values.re[k + 1] = re[at + n + 1]!;
    values.im![k + 1] = -size;
    k++;
  }
  return values;
}

const value = ({ re, im }: Matrix, at: number): Complex => ({ re: re[at]!, im: im?.[at] ?? 0 });

/** Eigenvectors of a triangular matrix (with blocks of two), as columns, by substitution from below. */
function triangularVectors(t: Matrix, values: Matrix, epsilon: number): Matrix {
  const n = t.rows;
  const x = zeros(n, n, true);
  for (let k = 0; k < n; k++) {
    const lambda = value(values, k);
    const isPair = t.im === undefined && lambda.im !== 0;
    x.re[k * n + k] = 1;
    if (isPair) startPair(t, x, k, lambda.im);
    substituteUp(t, x, k, isPair ? k + 1 : k, lambda, epsilon);
    if (!isPair) continue;
    for (let i = 0; i < n; i++) {
      x.re[(k + 1) * n + i] = x.re[k * n + i]!;
      x.im![(k + 1) * n + i] = -x.im![k * n + i]!;
    }
    k++;
  }
  return x;
}

function startPair({ rows: n, re }: Matrix, x: Matrix, k: number, size: number): void {
  const [above, below] = [re[(k + 1) * n + k]!, re[k * n + k + 1]!];
  const at = k * n + k;
  if (Math.abs(above) >= Math.abs(below)) x.im![at + 1] = size / above;
  else {
    x.re[at] = -size / below;
    x.im![at + 1] = 1;
  }
}

/** Solves `(T - lambda) x = 0` for the elements above the last given one. */
function substituteUp(
  t: Matrix,
  x: Matrix,
  column: number,
  last: number,
  lambda: Complex,
  epsilon: number,
): void {
  const n = t.rows;
  const start = column * n;
  const least = Math.max(epsilon * (Math.abs(lambda.re) + Math.abs(lambda.im)), 2 ** -1022 / epsilon);
  const rest = (i: number, from: number): Complex => {
    const sum = { re: 0, im: 0 };
    for (let j = from; j <= last; j++) {
      const [a, b] = [value(t, j * n + i), value(x, start + j)];
      sum.re -= a.re * b.re - a.im * b.im;
      sum.im -= a.re * b.im + a.im * b.re;
    }
    return sum;
  };
  const shifted = (i: number): Complex => {
    const own = value(t, i * n + i);
    const difference = { re: own.re - lambda.re, im: own.im - lambda.im };
    // An eigenvalue that comes twice: LAPACK moves it by the least that counts.
    return Math.abs(difference.re) + Math.abs(difference.im) < least ? { re: least, im: 0 } : difference;
  };
  const out = { re: 0, im: 0 };
  const set = (i: number, numerator: Complex, denominator: Complex): void => {
    divide(out, numerator.re, numerator.im, denominator.re, denominator.im);
    x.re[start + i] = out.re;
    x.im![start + i] = out.im;
  };
  const first = t.im === undefined && last > column ? column - 1 : last - 1;
  for (let i = first; i >= 0; i--) {
    const isBlock = t.im === undefined && i > 0 && t.re[(i - 1) * n + i] !== 0;
    if (!isBlock) {
      set(i, rest(i, i + 1), shifted(i));
      continue;
    }
    const [a, d] = [shifted(i - 1), shifted(i)];
    const [b, c] = [t.re[i * n + i - 1]!, t.re[(i - 1) * n + i]!];
    const [upper, lower] = [rest(i - 1, i + 1), rest(i, i + 1)];
    const determinant = { re: a.re * d.re - a.im * d.im - b * c, im: a.re * d.im + a.im * d.re };
    if (determinant.re === 0 && determinant.im === 0) determinant.re = least;
    const times = (p: Complex, q: Complex): Complex => ({
      re: p.re * q.re - p.im * q.im,
      im: p.re * q.im + p.im * q.re,
    });
    const [du, al] = [times(d, upper), times(a, lower)];
    set(i - 1, { re: du.re - b * lower.re, im: du.im - b * lower.im }, determinant);
    set(i, { re: al.re - c * upper.re, im: al.im - c * upper.im }, determinant);
    i--;
  }
}

/** Makes vectors of length one whose largest element is real, except for those of real values of real matrices. */
function normalize(v: Matrix, values: Matrix, real: boolean): void {
  const n = v.rows;
  const im = v.im!;
  const out = newRotation();
  for (let k = 0; k < n; k++) {
    const start = k * n;
    scale(n, 1 / norm(n, v, start, 1), 0, v, start, 1);
    if (real && values.im![k] === 0) continue;
    let largest = start;
    for (let p = start; p < start + n; p++) {
      if (v.re[p]! ** 2 + im[p]! ** 2 > v.re[largest]! ** 2 + im[largest]! ** 2) largest = p;
    }
    if (real) rotate(out, v.re[largest]!, (values.im![k]! < 0 ? -1 : 1) * im[largest]!);
    const size = Math.hypot(v.re[largest]!, im[largest]!);
    const [c, s] = real ? [out.c, out.s] : [v.re[largest]! / size, im[largest]! / size];
    scale(n, c, real && values.im![k]! < 0 ? s : -s, v, start, 1);
    im[largest] = 0;
  }
}
