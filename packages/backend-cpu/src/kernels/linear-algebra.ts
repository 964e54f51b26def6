/**
 * @file Triangular factors of matrices, and what follows from them: determinants, inverses,
 * solutions.
 */

import { dtypeInfo, isComplexDType, isContiguous, type Tensor } from "@sconce/tensor";
import { finishOutput, readNumbers, writeComplex } from "../kernel/dense.js";
import { invalidArgument, singularMatrix } from "../kernel/errors.js";
import { defineKernels, emptyOutput, emptyOutputs, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { identity, type Matrix, readMatrices, transposed, writeMatrices } from "./matrix.js";
import { type Factors, factorLU, solveFactored, substitute } from "./matrix-lu.js";

/** Returns whether LAPACK has an algorithm for numbers of this type. */
const hasAlgorithms = (dtype: Tensor["dtype"]): boolean => {
  const { kind, itemSize, lanes } = dtypeInfo(dtype);
  return (kind === "float" || kind === "complex") && itemSize / lanes >= 4;
};

/**
 * Copies of the matrices of a tensor, broadcast to the shape when given.
 *
 * @throws SconceError `INVALID_ARGUMENT` for integers and numbers of low precision
 */
export function lapackMatrices(
  name: string,
  tensor: Tensor,
  shape: readonly number[] = tensor.shape,
): Matrix[] {
  if (!hasAlgorithms(tensor.dtype)) throw invalidArgument(`${name} of '${tensor.dtype}' is not implemented`);
  return readMatrices(tensor, shape);
}

/** Rounding error of numbers of this type, relative to them. */
export const epsilonOf = (dtype: Tensor["dtype"]): number =>
  dtypeInfo(dtype).itemSize / dtypeInfo(dtype).lanes === 8 ? 2 ** -52 : 2 ** -23;

/** Returns the same memory with rows and columns exchanged. */
function exchanged(matrix: Tensor): Tensor {
  const swap = <T>(list: readonly T[]): T[] => [...list.slice(0, -2), list.at(-1)!, list.at(-2)!];
  return matrix.asStrided(swap(matrix.shape), swap(matrix.strides), matrix.storageOffset);
}

/** A row-major real matrix is factored as its transpose, which LAPACK takes without a copy. */
export const exchangedIfRowMajor = (matrix: Tensor): Tensor =>
  !isComplexDType(matrix.dtype) && isContiguous(matrix.shape, matrix.strides) ? exchanged(matrix) : matrix;

/** Pivots of all matrices one after the other, counted from 1 as LAPACK does. */
export function onePivots(factors: readonly Factors[], each: number): Int32Array {
  const places = scratch(Int32Array, factors.length * each);
  factors.forEach(({ pivots }, m) => {
    for (let k = 0; k < each; k++) places[m * each + k] = pivots[k]! + 1;
  });
  return places;
}

/** Stores (real, imaginary) pairs, of which a real tensor takes the first. */
export function writePairs(tensor: Tensor, pairs: Float64Array): Tensor {
  if (!isComplexDType(tensor.dtype))
    return finishOutput(
      tensor,
      pairs.filter((_, i) => i % 2 === 0),
    );
  writeComplex(tensor, pairs);
  return tensor;
}

const determinant = kernel(
  "aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
  ({ A }, context) => {
    const [result, lu, pivots] = emptyOutputs(context);
    const matrices = lapackMatrices("linalg.det", exchangedIfRowMajor(A));
    const factors = matrices.map(factorLU);
    const products = scratch(Float64Array, 2 * matrices.length);
    matrices.forEach(({ rows, re, im }, m) => {
      let [real, imaginary] = [factors[m]!.sign, 0];
      for (let p = 0; p < rows * rows; p += rows + 1) {
        const [x, y] = [re[p]!, im?.[p] ?? 0];
        [real, imaginary] =
          im === undefined ? [real * x, 0] : [real * x - imaginary * y, real * y + imaginary * x];
      }
      products.set([real, imaginary], 2 * m);
    });
    writePairs(result, products);
    finishOutput(pivots, onePivots(factors, A.shape.at(-1)!));
    return [result, writeMatrices(lu, matrices), pivots];
  },
);

const inverse = kernel(
  "aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
  ({ A, check_errors: checks }, context) => {
    const [result, info] = emptyOutputs(context);
    const matrices = lapackMatrices("linalg.inv", A);
    const codes = scratch(Int32Array, matrices.length);
    const inverses = matrices.map((matrix, m) => {
      const { pivots, singularAt } = factorLU(matrix);
      const solution = identity(matrix.rows, matrix.rows, matrix.im !== undefined);
      solveFactored(matrix, pivots, solution);
      codes[m] = singularAt;
      return solution;
    });
    if (checks) checkCodes(codes, "linalg.inv_ex", A.ndim === 2);
    return [writeMatrices(result, inverses), finishOutput(info, codes)];
  },
);

const solveTriangular = kernel(
  "aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor",
  ({ self, B, upper, left, unitriangular }, context) => {
    const out = emptyOutput(context);
    const n = self.shape.at(-1)!;
    const triangles = lapackMatrices("linalg.solve_triangular", self, [...out.shape.slice(0, -2), n, n]);
    const sides = readMatrices(B, out.shape).map((side, m) => {
      // X A = B is A' X' = B'.
      const b = left ? side : transposed(side);
      substitute(left ? triangles[m]! : transposed(triangles[m]!), b, upper === left, unitriangular);
      return left ? b : transposed(b);
    });
    return writeMatrices(out, sides);
  },
);

/** @throws SconceError `INVALID_ARGUMENT` */
export function checkCodes(codes: ArrayLike<number>, name: string, isMatrix: boolean): void {
  for (let m = 0; m < codes.length; m++) {
    if (codes[m] !== 0) throw singularMatrix(name, codes[m]!, isMatrix ? undefined : m);
  }
}

const checkErrors = kernel(
  "aten::_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) -> ()",
  ({ info, api_name: name, is_matrix: isMatrix }) => {
    checkCodes(readNumbers(info), name, isMatrix);
    return null;
  },
);

export const linearAlgebraKernels = defineKernels([determinant, inverse, solveTriangular, checkErrors]);
