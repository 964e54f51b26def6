/**
 * @file Exponential of a matrix by scaling and squaring a Padé approximation: Higham, "The Scaling
 * and Squaring Method for the Matrix Exponential Revisited" (2005), Algorithm 2.3 with its
 * approximation of degree 13.
 */
import { addScaled, identity, type Matrix, multiply, scale, zeros } from "./matrix.js";
import { factorLU, solveFactored } from "./matrix-lu.js";

/** Numerator of the approximation of degree 13. */
const PADE = [
  64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
  670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
];
/** Up to this 1-norm the approximation is exact to the last digit. */
const LARGEST_NORM = 5.371920351148152;

export function exponential(a: Matrix): Matrix {
  const n = a.rows;
  const size = columnNorm(a);
  if (!Number.isFinite(size)) {
    const result = zeros(n, n, a.im !== undefined);
    result.re.fill(Number.NaN);
    result.im?.fill(Number.NaN);
    return result;
  }
  const squarings = size <= LARGEST_NORM ? 0 : Math.ceil(Math.log2(size / LARGEST_NORM));
  scale(n * n, 2 ** -squarings, 0, a, 0, 1);
  let result = approximation(a);
  for (let i = 0; i < squarings; i++) result = multiply(result, result);
  return result;
}

function columnNorm({ rows, columns, re, im }: Matrix): number {
  let largest = 0;
  for (let j = 0; j < columns; j++) {
    let sum = 0;
    for (let p = j * rows; p < (j + 1) * rows; p++) sum += Math.hypot(re[p]!, im?.[p] ?? 0);
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

/** `(V - U)^-1 (V + U)` with the odd terms U and the even terms V. */
function approximation(a: Matrix): Matrix {
  const n = a.rows;
  const one = identity(n, n, a.im !== undefined);
  const two = multiply(a, a);
  const four = multiply(two, two);
  const six = multiply(two, four);
  const sum = (...terms: readonly (readonly [factor: number, term: Matrix])[]): Matrix => {
    const total = zeros(n, n, a.im !== undefined);
    for (const [factor, term] of terms) addScaled(n * n, factor, 0, term, 0, 1, total, 0, 1);
    return total;
  };
  /** Of the coefficients of one parity. */
  const half = (odd: 0 | 1): Matrix => {
    const b = (power: number): number => PADE[power + odd]!;
    const high = multiply(six, sum([b(12), six], [b(10), four], [b(8), two]));
    return sum([1, high], [b(6), six], [b(4), four], [b(2), two], [b(0), one]);
  };
  const [u, v] = [multiply(a, half(1)), half(0)];
  const [lower, upper] = [sum([1, v], [-1, u]), sum([1, v], [1, u])];
  solveFactored(lower, factorLU(lower).pivots, upper);
  return upper;
}
