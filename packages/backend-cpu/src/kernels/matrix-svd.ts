/**
 * @file Singular values and vectors: bidiagonal form, then implicit QR steps without shift or with
 * one (`bdsqr`).
 */
import {
  adjoint,
  firstColumns,
  type Matrix,
  multiply,
  resized,
  rotateColumns,
  scale,
  triangle,
} from "./matrix.js";
import { diagonalizeBidiagonal } from "./matrix-bidiagonal.js";
import { bidiagonalize, factorQR, formQ } from "./matrix-householder.js";
import { newRotation, rotate } from "./matrix-rotation.js";

/** `A = U diag(values) V'`. */
export interface SingularValues {
  /** In descending order. */
  readonly values: Float64Array;
  /** Columns; undefined when only the values were asked for. */
  readonly u: Matrix | undefined;
  readonly v: Matrix | undefined;
  /** How many values did not converge. */
  readonly code: number;
}

/**
 * What is wanted besides the values: nothing, as many vectors as there are values, or whole bases.
 */
export type Wanted = "values" | "reduced" | "full";

/**
 * Of any matrix; it is overwritten. The way is `gesdd`'s, so that signs come out as there (for up
 * to 25 values).
 */
export function singularValues(matrix: Matrix, epsilon: number, wanted: Wanted): SingularValues {
  if (matrix.columns > matrix.rows) {
    const { values, u, v, code } = ofTall(adjoint(matrix), epsilon, wanted, true);
    return { values, u: v, v: u, code };
  }
  return ofTall(matrix, epsilon, wanted, false);
}

/** From how many times more rows than columns on the matrix is first brought to triangular form. */
const isVeryTall = ({ rows, columns, im }: Matrix): boolean =>
  rows >= Math.floor((columns * (im === undefined ? 11 : 17)) / (im === undefined ? 6 : 9));

/** `flipped` says that the matrix is the conjugate transpose of the one that is meant. */
function ofTall(matrix: Matrix, epsilon: number, wanted: Wanted, flipped: boolean): SingularValues {
  const { rows, columns: n } = matrix;
  if (!isVeryTall(matrix)) return direct(matrix, epsilon, wanted, flipped);
  const q = factorQR(matrix);
  const r = triangle(resized(matrix, n, n), "upper");
  const inner = direct(flipped ? adjoint(r) : r, epsilon, wanted, false);
  if (inner.u === undefined || inner.v === undefined) return inner;
  const [short, other] = flipped ? [inner.v, inner.u] : [inner.u, inner.v];
  const basis = formQ(q, wanted === "full" ? rows : n);
  const turned = multiply(firstColumns(basis, n), short);
  basis.re.set(turned.re);
  basis.im?.set(turned.im!);
  return { values: inner.values, u: basis, v: other, code: inner.code };
}

function direct(matrix: Matrix, epsilon: number, wanted: Wanted, flipped: boolean): SingularValues {
  const { rows, columns: n } = matrix;
  const { q, p, diagonal, above } = bidiagonalize(matrix);
  const u = wanted === "values" ? undefined : formQ(q, wanted === "full" ? rows : n);
  const v = wanted === "values" ? undefined : formQ(p, n);
  if (n === 1) {
    // `bdsdc` flips the left vector here, `bdsqr` the right one elsewhere.
    const left = flipped ? v : u;
    if (diagonal[0]! < 0 && left !== undefined) scale(left.rows, -1, 0, left, 0, 1);
    diagonal[0] = Math.abs(diagonal[0]!);
    return { values: diagonal, u, v, code: Number.isFinite(diagonal[0]!) ? 0 : 1 };
  }
  const [left, right] = flipped ? [v, u] : [u, v];
  // The bidiagonal form of the matrix that is meant is lower then.
  if (flipped) lowerToUpper(diagonal, above, left);
  const code = diagonalizeBidiagonal({ diagonal, above, left, right, epsilon });
  return { values: diagonal, u, v, code };
}

/** Brings a lower bidiagonal matrix to upper form by turning its rows. */
function lowerToUpper(diagonal: Float64Array, beside: Float64Array, left: Matrix | undefined): void {
  const out = newRotation();
  for (let i = 0; i < beside.length; i++) {
    rotate(out, diagonal[i]!, beside[i]!);
    diagonal[i] = out.r;
    beside[i] = out.s * diagonal[i + 1]!;
    diagonal[i + 1] = out.c * diagonal[i + 1]!;
    if (left !== undefined) rotateColumns(left, i, i + 1, out.c, out.s);
  }
}
