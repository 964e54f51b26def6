/**
 * @file Eigenvalues and right eigenvectors of any square matrix, in the steps of LAPACK's `geev`.
 */
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

/**
 * Eigenvectors of a triangular matrix (with blocks of two), as columns, by substitution from below.
 */
function triangularVectors(t: Matrix, values: Matrix, epsilon: number): Matrix {
  const n = t.rows;
  const x = zeros(n, n, true);
  for (let k = 0; k < n; k++) {
    const lambda = value(values, k);
    const isPair = t.im === undefined && lambda.im !== 0;
    x.re[k * n + k] = 1;
    if (isPair) startPair(t, x, k, lambda.im);
    new Substitution(t, x, k, isPair ? k + 1 : k, lambda, epsilon).run();
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

const times = (p: Complex, q: Complex): Complex => ({
  re: p.re * q.re - p.im * q.im,
  im: p.re * q.im + p.im * q.re,
});

/** Elements of vectors before they are brought to length one stay below this. */
const LARGE = 2 ** 400;

/** Substitution in `(T - lambda) x = 0` for one vector, of which the last elements are given. */
class Substitution {
  readonly #out: Complex = { re: 0, im: 0 };
  readonly #least: number;

  constructor(
    readonly t: Matrix,
    readonly x: Matrix,
    readonly column: number,
    readonly last: number,
    readonly lambda: Complex,
    epsilon: number,
  ) {
    this.#least = Math.max(epsilon * (Math.abs(lambda.re) + Math.abs(lambda.im)), 2 ** -1022 / epsilon);
  }

  run(): void {
    const { t, column } = this;
    for (let i = column - 1; i >= 0; i--) {
      const below = i > 0 && t.im === undefined ? t.re[(i - 1) * t.rows + i]! : 0;
      if (below === 0) this.#set(i, [this.#rest(i, i + 1)], this.#shifted(i));
      else this.#solveBlock(--i, below);
    }
  }

  /** Returns what the elements from one on contribute to a row, negated. */
  #rest(i: number, from: number): Complex {
    const { t, x, column, last } = this;
    const sum = { re: 0, im: 0 };
    for (let j = from; j <= last; j++) {
      const product = times(value(t, j * t.rows + i), value(x, column * t.rows + j));
      sum.re -= product.re;
      sum.im -= product.im;
    }
    return sum;
  }

  #shifted(i: number): Complex {
    const own = value(this.t, i * (this.t.rows + 1));
    const difference = { re: own.re - this.lambda.re, im: own.im - this.lambda.im };
    // An eigenvalue that comes twice: LAPACK moves it by the least that counts.
    const isSmall = Math.abs(difference.re) + Math.abs(difference.im) < this.#least;
    return isSmall ? { re: this.#least, im: 0 } : difference;
  }

  /**
   * Stores quotients from row `i` on; the vector shrinks where they would leave the range of
   * numbers.
   */
  #set(i: number, numerators: readonly Complex[], denominator: Complex): void {
    const { t, x, column } = this;
    const start = column * t.rows;
    const most = numerators.reduce((size, { re, im }) => Math.max(size, Math.abs(re), Math.abs(im)), 0);
    const bound = Math.hypot(denominator.re, denominator.im) * LARGE;
    const factor = most > bound ? bound / most : 1;
    if (factor !== 1) scale(t.rows, factor, 0, x, start, 1);
    numerators.forEach(({ re, im }, k) => {
      divide(this.#out, re * factor, im * factor, denominator.re, denominator.im);
      x.re[start + i + k] = this.#out.re;
      x.im![start + i + k] = this.#out.im;
    });
  }

  /** Rows `i` and `i + 1`, by Cramer's rule. */
  #solveBlock(i: number, c: number): void {
    const b = this.t.re[(i + 1) * this.t.rows + i]!;
    const [a, d] = [this.#shifted(i), this.#shifted(i + 1)];
    const [upper, lower] = [this.#rest(i, i + 2), this.#rest(i + 1, i + 2)];
    const determinant = times(a, d);
    determinant.re -= b * c;
    if (determinant.re === 0 && determinant.im === 0) determinant.re = this.#least;
    const [first, second] = [times(d, upper), times(a, lower)];
    const solution = [
      { re: first.re - b * lower.re, im: first.im - b * lower.im },
      { re: second.re - c * upper.re, im: second.im - c * upper.im },
    ];
    this.#set(i, solution, determinant);
  }
}

/**
 * Makes vectors of length one whose largest element is real, except for those of real values of
 * real matrices.
 */
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
