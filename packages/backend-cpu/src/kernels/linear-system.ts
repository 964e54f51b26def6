/** @file Solutions of linear equations, Cholesky factors, determinants by sign and logarithm. */

import { finishOutput } from "../kernel/dense.js";
import { defineKernels, emptyOutput, emptyOutputs, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { checkCodes, exchangedIfRowMajor, lapackMatrices, onePivots, writePairs } from "./linear-algebra.js";
import {
  adjoint,
  identity,
  type Matrix,
  multiply,
  readMatrices,
  transposed,
  triangle,
  writeMatrices,
} from "./matrix.js";
import { factorCholesky, factorLU, solveFactored, substitute } from "./matrix-lu.js";

const solve = kernel(
  "aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)",
  ({ A, B, left, check_errors: checks }, context) => {
    const [result, lu, pivots, info] = emptyOutputs(context);
    const n = A.shape.at(-1)!;
    const isVector =
      result.ndim < 2 || result.ndim < B.ndim || (B.ndim === A.ndim - 1 && result.ndim === A.ndim - 1);
    const sides = isVector
      ? readMatrices(B.asStrided([...B.shape, 1], [...B.strides, 1], B.storageOffset), [...result.shape, 1])
      : readMatrices(B, result.shape);
    const batch = isVector ? result.shape.slice(0, -1) : result.shape.slice(0, -2);
    const wide = lapackMatrices("linalg.solve", A, [...batch, n, n]);
    const solutions = sides.map((side, m) => solveOne(wide[m]!, side, left || isVector));
    const matrices = readMatrices(A);
    const factors = matrices.map(factorLU);
    const codes = Int32Array.from(factors, ({ singularAt }) => singularAt);
    if (checks) checkCodes(codes, "torch.linalg.solve_ex", A.ndim === 2);
    return [
      writeMatrices(result, solutions),
      writeMatrices(lu, matrices),
      finishOutput(pivots, onePivots(factors, n)),
      finishOutput(info, codes),
    ];
  },
);

/** Factors the matrix in place; X A = B is A' X' = B'. */
function solveOne(matrix: Matrix, side: Matrix, left: boolean): Matrix {
  const a = left ? matrix : transposed(matrix);
  const b = left ? side : transposed(side);
  solveFactored(a, factorLU(a).pivots, b);
  return left ? b : transposed(b);
}

const signedLog = kernel(
  "aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
  ({ A }, context) => {
    const [sign, logarithm, lu, pivots] = emptyOutputs(context);
    const matrices = lapackMatrices("linalg.slogdet", exchangedIfRowMajor(A));
    const factors = matrices.map(factorLU);
    const signs = scratch(Float64Array, 2 * matrices.length);
    const sums = scratch(Float64Array, matrices.length);
    matrices.forEach(({ rows, re, im }, m) => {
      let [real, imaginary] = [factors[m]!.sign, 0];
      for (let p = 0; p < rows * rows; p += rows + 1) {
        const size = im === undefined ? Math.abs(re[p]!) : Math.hypot(re[p]!, im[p]!);
        // PyTorch's sign of a real NaN is 0.
        const isZero = size === 0 || (im === undefined && Number.isNaN(size));
        const [x, y] = isZero ? [0, 0] : [re[p]! / size, (im?.[p] ?? 0) / size];
        [real, imaginary] = [real * x - imaginary * y, real * y + imaginary * x];
        sums[m]! += Math.log(size);
      }
      signs.set([real, imaginary], 2 * m);
    });
    writePairs(sign, signs);
    finishOutput(pivots, onePivots(factors, A.shape.at(-1)!));
    return [sign, finishOutput(logarithm, sums), writeMatrices(lu, matrices), pivots];
  },
);

const cholesky = kernel(
  "aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)",
  ({ self, upper, check_errors: checks }, context) => {
    const [result, info] = emptyOutputs(context);
    const matrices = lapackMatrices("linalg.cholesky", self);
    const codes = scratch(Int32Array, matrices.length);
    const factors = matrices.map((matrix, m) => {
      // The other triangle is not looked at.
      const lower = upper ? adjoint(matrix) : matrix;
      codes[m] = factorCholesky(lower);
      const factor = codes[m] === 0 ? lower : triangle(lower, "lower");
      return upper ? adjoint(factor) : factor;
    });
    if (checks) checkCodes(codes, "linalg.cholesky_ex", self.ndim === 2);
    return [writeMatrices(result, factors), finishOutput(info, codes)];
  },
);

/** Solves `L L' X = B` in place of B. */
function solveCholesky(lower: Matrix, b: Matrix): void {
  substitute(lower, b, false, false);
  substitute(adjoint(lower), b, true, false);
}

const choleskySolve = kernel(
  "aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
  ({ self, input2, upper }, context) => {
    const out = emptyOutput(context);
    const n = input2.shape.at(-1)!;
    const sides = lapackMatrices("cholesky_solve", self, out.shape);
    const factors = readMatrices(input2, [...out.shape.slice(0, -2), n, n]);
    sides.forEach((side, m) => {
      solveCholesky(upper ? adjoint(factors[m]!) : factors[m]!, side);
    });
    return writeMatrices(out, sides);
  },
);

const choleskyInverse = kernel(
  "aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
  ({ self, upper }, context) => {
    const out = emptyOutput(context);
    const factors = lapackMatrices("cholesky_inverse", self);
    const codes = Int32Array.from(factors, ({ rows, re, im }) => {
      for (let k = 0; k < rows; k++) if (re[k * rows + k] === 0 && !im?.[k * rows + k]) return k + 1;
      return 0;
    });
    checkCodes(codes, "cholesky_inverse", self.ndim === 2);
    const inverses = factors.map((factor) => {
      const root = identity(factor.rows, factor.rows, factor.im !== undefined);
      substitute(upper ? adjoint(factor) : factor, root, false, false);
      return multiply(adjoint(triangle(root, "lower")), root);
    });
    return writeMatrices(out, inverses);
  },
);

/** Systems of equations and factors. */
export const linearSystemKernels = defineKernels([
  solve,
  signedLog,
  cholesky,
  choleskySolve,
  choleskyInverse,
]);
