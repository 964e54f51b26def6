/** @file Triangular factors of matrices, and what follows from them: determinants, inverses, solutions. */
import { dtypeInfo, isContiguous, numel, type Tensor } from "@sconce/tensor";
import { finishOutput, readFloat64, readNumbers } from "../dense.js";
import { invalidArgument, singularMatrix } from "../errors.js";
import { defineKernels, emptyOutput, emptyOutputs, kernel } from "../kernel.js";

/** Row-major matrices one after the other. */
interface Matrices {
  readonly values: Float64Array;
  readonly size: number;
  readonly count: number;
}

export function squareMatrices(name: string, tensor: Tensor): Matrices {
  if (dtypeInfo(tensor.dtype).kind !== "float") {
    throw invalidArgument(`${name} of '${tensor.dtype}' is not implemented`);
  }
  const size = tensor.shape.at(-1)!;
  return { values: Float64Array.from(readFloat64(tensor)), size, count: numel(tensor.shape.slice(0, -2)) };
}

/** What the factorisation of one matrix found out. */
interface Factors {
  readonly pivots: Int32Array;
  /** -1 after an odd number of row exchanges. */
  readonly sign: number;
  /** One-based place of the first pivot that is zero; 0 when there is none. */
  readonly singularAt: number;
}

/** Factors a matrix in place: ones below the diagonal of L are not stored; rows are exchanged for larger pivots. */
export function factor(values: Float64Array, n: number): Factors {
  const pivots = new Int32Array(n);
  let [sign, singularAt] = [1, 0];
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++)
      if (Math.abs(values[i * n + k]!) > Math.abs(values[best * n + k]!)) best = i;
    pivots[k] = best;
    if (best !== k) {
      swapRows(values, n, best, k);
      sign = -sign;
    }
    const pivot = values[k * n + k]!;
    if (pivot === 0) {
      if (singularAt === 0) singularAt = k + 1;
      continue;
    }
    for (let i = k + 1; i < n; i++) {
      const ratio = values[i * n + k]! / pivot;
      values[i * n + k] = ratio;
      if (ratio !== 0) for (let j = k + 1; j < n; j++) values[i * n + j]! -= ratio * values[k * n + j]!;
    }
  }
  return { pivots, sign, singularAt };
}

export function swapRows(values: Float64Array, width: number, a: number, b: number): void {
  for (let j = 0; j < width; j++) {
    const kept = values[a * width + j]!;
    values[a * width + j] = values[b * width + j]!;
    values[b * width + j] = kept;
  }
}

/** Solves `T X = B` in place for a triangular `T` of `n` rows. */
export function substitute(
  t: Float64Array,
  n: number,
  b: Float64Array,
  width: number,
  upper: boolean,
  unit: boolean,
): void {
  for (let step = 0; step < n; step++) {
    const i = upper ? n - 1 - step : step;
    for (let k = upper ? i + 1 : 0; k < (upper ? n : i); k++) {
      const ratio = t[i * n + k]!;
      if (ratio !== 0) for (let j = 0; j < width; j++) b[i * width + j]! -= ratio * b[k * width + j]!;
    }
    if (!unit) for (let j = 0; j < width; j++) b[i * width + j]! /= t[i * n + i]!;
  }
}

/** The same memory with rows and columns exchanged. */
function exchanged(matrix: Tensor): Tensor {
  const swap = <T>(list: readonly T[]): T[] => [...list.slice(0, -2), list.at(-1)!, list.at(-2)!];
  return matrix.asStrided(swap(matrix.shape), swap(matrix.strides), matrix.storageOffset);
}

/** A row-major matrix is factored as its transpose, which LAPACK takes without a copy. */
export const exchangedIfRowMajor = (matrix: Tensor): Tensor =>
  isContiguous(matrix.shape, matrix.strides) ? exchanged(matrix) : matrix;

const determinant = kernel<{ A: Tensor }>(({ A }, context) => {
  const [result, lu, pivots] = emptyOutputs(context) as [Tensor, Tensor, Tensor];
  const { values, size, count } = squareMatrices("linalg.det", exchangedIfRowMajor(A));
  const products = new Float64Array(count);
  const places = new Int32Array(count * size);
  for (let m = 0; m < count; m++) {
    const matrix = values.subarray(m * size * size, (m + 1) * size * size);
    const factors = factor(matrix, size);
    let product = factors.sign;
    for (let k = 0; k < size; k++) {
      product *= matrix[k * size + k]!;
      places[m * size + k] = factors.pivots[k]! + 1;
    }
    products[m] = product;
  }
  return [finishOutput(result, products), finishOutput(lu, values), finishOutput(pivots, places)];
});

const inverse = kernel<{ A: Tensor; check_errors: boolean }>(({ A, check_errors: checks }, context) => {
  const [result, info] = emptyOutputs(context) as [Tensor, Tensor];
  const { values, size, count } = squareMatrices("linalg.inv", A);
  const inverses = new Float64Array(values.length);
  const codes = new Int32Array(count);
  for (let m = 0; m < count; m++) {
    const matrix = values.subarray(m * size * size, (m + 1) * size * size);
    const solution = inverses.subarray(m * size * size, (m + 1) * size * size);
    const { pivots, singularAt } = factor(matrix, size);
    for (let k = 0; k < size; k++) solution[k * size + k] = 1;
    for (let k = 0; k < size; k++) if (pivots[k] !== k) swapRows(solution, size, pivots[k]!, k);
    substitute(matrix, size, solution, size, false, true);
    substitute(matrix, size, solution, size, true, false);
    codes[m] = singularAt;
  }
  if (checks) checkCodes(codes, "linalg.inv", A.ndim === 2);
  return [finishOutput(result, inverses), finishOutput(info, codes)];
});

type Triangular = {
  readonly self: Tensor;
  readonly B: Tensor;
  readonly upper: boolean;
  readonly left: boolean;
  readonly unitriangular: boolean;
};

const solveTriangular = kernel<Triangular>(({ self, B, upper, left, unitriangular }, context) => {
  const out = emptyOutput(context);
  const batch = out.shape.slice(0, -2);
  const [rows, columns] = out.shape.slice(-2) as [number, number];
  const n = left ? rows : columns;
  const triangles = readFloat64(self, [...batch, n, n]);
  const values = Float64Array.from(readFloat64(B, out.shape));
  for (let m = 0; m < numel(batch); m++) {
    const t = triangles.subarray(m * n * n, (m + 1) * n * n);
    const b = values.subarray(m * rows * columns, (m + 1) * rows * columns);
    if (left) substitute(t, n, b, columns, upper, unitriangular);
    else {
      // X A = B is A' X' = B'.
      const turned = transposed(b, rows, columns);
      substitute(transposed(t, n, n), n, turned, rows, !upper, unitriangular);
      b.set(transposed(turned, columns, rows));
    }
  }
  return finishOutput(out, values);
});

export function transposed(values: Float64Array, rows: number, columns: number): Float64Array {
  const result = new Float64Array(values.length);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) result[j * rows + i] = values[i * columns + j]!;
  return result;
}

/** @throws SconceError `INVALID_ARGUMENT` */
export function checkCodes(codes: ArrayLike<number>, name: string, isMatrix: boolean): void {
  for (let m = 0; m < codes.length; m++) {
    if (codes[m] !== 0) throw singularMatrix(name, codes[m]!, isMatrix ? undefined : m);
  }
}

const checkErrors = kernel<{ info: Tensor; api_name: string; is_matrix: boolean }>(
  ({ info, api_name: name, is_matrix: isMatrix }) => {
    checkCodes(readNumbers(info), name, isMatrix);
    return null;
  },
);

export const linearAlgebraKernels = defineKernels({
  "aten._linalg_det.default": determinant,
  "aten.linalg_inv_ex.default": inverse,
  "aten.linalg_solve_triangular.default": solveTriangular,
  "aten._linalg_check_errors.default": checkErrors,
});
