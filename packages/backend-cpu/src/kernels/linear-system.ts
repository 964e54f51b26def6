/** @file Solutions of linear equations, Cholesky factors, determinants by sign and logarithm. */
import { numel, type Tensor } from "@sconce/tensor";
import { finishOutput, readFloat64 } from "../dense.js";
import { defineKernels, emptyOutputs, kernel } from "../kernel.js";
import {
  checkCodes,
  exchangedIfRowMajor,
  factor,
  squareMatrices,
  substitute,
  swapRows,
  transposed,
} from "./linear-algebra.js";

type System = {
  readonly A: Tensor;
  readonly B: Tensor;
  readonly left: boolean;
  readonly check_errors: boolean;
};

const solve = kernel<System>(({ A, B, left, check_errors: checks }, context) => {
  const [result, lu, pivots, info] = emptyOutputs(context) as [Tensor, Tensor, Tensor, Tensor];
  const n = A.shape.at(-1)!;
  const factors = squareMatrices("linalg.solve", A);
  const isVector =
    result.ndim < 2 || result.ndim < B.ndim || (B.ndim === A.ndim - 1 && result.ndim === A.ndim - 1);
  const [rows, columns] = isVector ? [n, 1] : (result.shape.slice(-2) as [number, number]);
  const batch = isVector ? result.shape.slice(0, -1) : result.shape.slice(0, -2);
  const wide = readFloat64(A, [...batch, n, n]);
  const values = Float64Array.from(readFloat64(B, result.shape));
  for (let m = 0; m < numel(batch); m++) {
    const source = wide.subarray(m * n * n, (m + 1) * n * n);
    const matrix = left ? Float64Array.from(source) : transposed(source, n, n);
    const b = values.subarray(m * rows * columns, (m + 1) * rows * columns);
    // X A = B is A' X' = B'.
    const side = left ? b : transposed(b, rows, columns);
    const width = left ? columns : rows;
    const { pivots: places } = factor(matrix, n);
    for (let k = 0; k < n; k++) if (places[k] !== k) swapRows(side, width, places[k]!, k);
    substitute(matrix, n, side, width, false, true);
    substitute(matrix, n, side, width, true, false);
    if (!left) b.set(transposed(side, columns, rows));
  }
  const found = factorAll(factors.values, n, factors.count);
  if (checks) checkCodes(found.codes, "torch.linalg.solve", A.ndim === 2);
  return [
    finishOutput(result, values),
    finishOutput(lu, factors.values),
    finishOutput(pivots, found.places),
    finishOutput(info, found.codes),
  ];
});

interface Found {
  /** One-based rows, as LAPACK counts. */
  readonly places: Int32Array;
  readonly codes: Int32Array;
  readonly signs: Int32Array;
}

/** Factors matrices in place. */
function factorAll(values: Float64Array, n: number, count: number): Found {
  const [places, codes, signs] = [new Int32Array(count * n), new Int32Array(count), new Int32Array(count)];
  for (let m = 0; m < count; m++) {
    const { pivots, sign, singularAt } = factor(values.subarray(m * n * n, (m + 1) * n * n), n);
    for (let k = 0; k < n; k++) places[m * n + k] = pivots[k]! + 1;
    codes[m] = singularAt;
    signs[m] = sign;
  }
  return { places, codes, signs };
}

const signedLog = kernel<{ A: Tensor }>(({ A }, context) => {
  const [sign, logarithm, lu, pivots] = emptyOutputs(context) as [Tensor, Tensor, Tensor, Tensor];
  const { values, size, count } = squareMatrices("linalg.slogdet", exchangedIfRowMajor(A));
  const { places, signs } = factorAll(values, size, count);
  const [signValues, sums] = [new Float64Array(count), new Float64Array(count)];
  for (let m = 0; m < count; m++) {
    signValues[m] = signs[m]!;
    for (let k = 0; k < size; k++) {
      const pivot = values[(m * size + k) * size + k]!;
      signValues[m]! *= Math.sign(pivot);
      sums[m]! += Math.log(Math.abs(pivot));
    }
  }
  return [
    finishOutput(sign, signValues),
    finishOutput(logarithm, sums),
    finishOutput(lu, values),
    finishOutput(pivots, places),
  ];
});

type Cholesky = { readonly self: Tensor; readonly upper: boolean; readonly check_errors: boolean };

const cholesky = kernel<Cholesky>(({ self, upper, check_errors: checks }, context) => {
  const [result, info] = emptyOutputs(context) as [Tensor, Tensor];
  const { values, size, count } = squareMatrices("linalg.cholesky", self);
  const codes = new Int32Array(count);
  for (let m = 0; m < count; m++) {
    const matrix = values.subarray(m * size * size, (m + 1) * size * size);
    // The other triangle is not looked at.
    if (upper) matrix.set(transposed(matrix, size, size));
    codes[m] = choleskyInPlace(matrix, size);
    if (upper) matrix.set(transposed(matrix, size, size));
  }
  if (checks) checkCodes(codes, "linalg.cholesky", self.ndim === 2);
  return [finishOutput(result, values), finishOutput(info, codes)];
});

/** Replaces a matrix by its lower factor; gives the one-based order of the first minor that is not positive. */
function choleskyInPlace(a: Float64Array, n: number): number {
  for (let j = 0; j < n; j++) {
    let diagonal = a[j * n + j]!;
    for (let k = 0; k < j; k++) diagonal -= a[j * n + k]! ** 2;
    if (!(diagonal > 0)) return j + 1;
    const root = Math.sqrt(diagonal);
    a[j * n + j] = root;
    for (let i = j + 1; i < n; i++) {
      let sum = a[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= a[i * n + k]! * a[j * n + k]!;
      a[i * n + j] = sum / root;
    }
    for (let i = 0; i < j; i++) a[i * n + j] = 0;
  }
  return 0;
}

/** Systems of equations and factors. */
export const linearSystemKernels = defineKernels({
  "aten._linalg_solve_ex.default": solve,
  "aten._linalg_slogdet.default": signedLog,
  "aten.linalg_cholesky_ex.default": cholesky,
});
