/**
 * @file Factors of matrices as results: LU, QR and its reflections, LDL; and solutions from them.
 */

import { broadcastView, type Tensor } from "@sconce/tensor";
import { finishOutput, readNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { checkCodes, lapackMatrices, onePivots } from "./linear-algebra.js";
import {
  adjoint,
  identity,
  type Matrix,
  readMatrices,
  readVectors,
  resized,
  transposed,
  triangle,
  writeMatrices,
} from "./matrix.js";
import { applyReflections, factorQR, formQ } from "./matrix-householder.js";
import { factorLDL, solveLDL } from "./matrix-ldl.js";
import { factorLU, permuteRows, solveFactored, substitute } from "./matrix-lu.js";

const luFactor = kernel(
  "aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)",
  ({ A, check_errors: checks }, context) => {
    const [lu, pivots, info] = emptyOutputs(context);
    const found = lapackMatrices("linalg.lu_factor", A);
    const factors = found.map(factorLU);
    const codes = Int32Array.from(factors, ({ singularAt }) => singularAt);
    if (checks) checkCodes(codes, "torch.linalg.lu_factor_ex", A.ndim === 2);
    finishOutput(pivots, onePivots(factors, pivots.shape.at(-1)!));
    return [writeMatrices(lu, found), pivots, finishOutput(info, codes)];
  },
);

/** Returns the matrix P of `A = P L U`. */
function permutation(rows: number, pivots: ArrayLike<number>): Matrix {
  const p = identity(rows, rows, false);
  permuteRows(p, pivots);
  return transposed(p);
}

function writeFactors([, l, u]: readonly Tensor[], lu: readonly Matrix[]): void {
  const cut = (matrix: Matrix, tensor: Tensor): Matrix =>
    resized(matrix, tensor.shape.at(-2)!, tensor.shape.at(-1)!);
  const lower = lu.map((matrix) => {
    const factor = triangle(cut(matrix, l!), "lower", -1);
    for (let k = 0; k < factor.columns; k++) factor.re[k * factor.rows + k] = 1;
    return factor;
  });
  writeMatrices(l!, lower);
  writeMatrices(
    u!,
    lu.map((matrix) => triangle(cut(matrix, u!), "upper")),
  );
}

const lu: Kernel<{ A: Tensor; pivot: boolean }, readonly [Tensor, Tensor, Tensor]> = (
  { A, pivot },
  context,
) => {
  const out = emptyOutputs(context);
  const found = lapackMatrices("linalg.lu", A);
  const permutations = found.map((matrix) => permutation(matrix.rows, factorLU(matrix).pivots));
  if (pivot) writeMatrices(out[0], permutations);
  writeFactors(out, found);
  return out;
};

const luUnpack = kernel(
  "aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)",
  ({ LU_data: data, LU_pivots: pivots, unpack_data, unpack_pivots }, context) => {
    const out = emptyOutputs(context);
    if (unpack_data) writeFactors(out, readMatrices(data));
    if (!unpack_pivots) return out;
    const [rows, each] = [data.shape.at(-2)!, pivots.shape.at(-1)!];
    const places = readNumbers(pivots);
    if (places.some((place) => place < 1 || place > rows)) {
      throw invalidArgument(
        "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive." +
          "Did you properly pass the result of lu_factor?",
      );
    }
    const count = each === 0 ? pivots.shape.slice(0, -1).reduce((a, b) => a * b, 1) : places.length / each;
    const permutations = Array.from({ length: count }, (_, m) =>
      permutation(
        rows,
        Array.from(places.subarray(m * each, (m + 1) * each), (place) => place - 1),
      ),
    );
    writeMatrices(out[0], permutations);
    return out;
  },
);

/** Pivots of each matrix of a batch, as they are. */
function pivotsOf(pivots: Tensor, batch: readonly number[], each: number): Int32Array[] {
  const shape = [...batch, each];
  const { strides } = broadcastView(pivots, shape);
  const all = readNumbers(pivots.asStrided(shape, [...strides], pivots.storageOffset));
  const count = batch.reduce((a, b) => a * b, 1);
  return Array.from({ length: count }, (_, m) => Int32Array.from(all.subarray(m * each, (m + 1) * each)));
}

const luSolve = kernel(
  "aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
  ({ LU, pivots, B, left, adjoint: turned }, context) => {
    const out = emptyOutput(context);
    const batch = out.shape.slice(0, -2);
    const n = LU.shape.at(-1)!;
    const factors = lapackMatrices("linalg.lu_solve", LU, [...batch, n, n]);
    const places = pivotsOf(pivots, batch, n);
    const sides = readMatrices(B, out.shape).map((side, m) => {
      // X A = B is A' X' = B'.
      const b = left ? side : adjoint(side);
      solveFactored(
        factors[m]!,
        places[m]!.map((place) => place - 1),
        b,
        turned === left,
      );
      return left ? b : adjoint(b);
    });
    return writeMatrices(out, sides);
  },
);

const qr = kernel(
  'aten::linalg_qr(Tensor A, str mode="reduced") -> (Tensor Q, Tensor R)',
  ({ A, mode }, context) => {
    const [q, r] = emptyOutputs(context);
    const found = lapackMatrices("linalg.qr", A);
    const factors = found.map(factorQR);
    const [height, width] = r.shape.slice(-2) as [number, number];
    writeMatrices(
      r,
      found.map((matrix) => triangle(resized(matrix, height, width), "upper")),
    );
    return [
      mode === "r"
        ? q
        : writeMatrices(
            q,
            factors.map((factor) => formQ(factor, q.shape.at(-1)!)),
          ),
      r,
    ];
  },
);

const geqrf = kernel("aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)", ({ self }, context) => {
  const [a, tau] = emptyOutputs(context);
  const found = lapackMatrices("geqrf", self);
  const taus = found.map((matrix) => factorQR(matrix).taus);
  return [writeMatrices(a, found), writeMatrices(tau, taus)];
});

const householderProduct = kernel(
  "aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
  ({ input, tau }, context) => {
    const out = emptyOutput(context);
    const taus = readVectors(tau);
    const products = lapackMatrices("linalg.householder_product", input).map((vectors, m) =>
      formQ({ vectors, taus: taus[m]!, shift: 0 }, vectors.columns),
    );
    return writeMatrices(out, products);
  },
);

const ormqr = kernel(
  "aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor",
  ({ self, input2, input3, left, transpose }, context) => {
    const out = emptyOutput(context);
    const [vectors, taus] = [lapackMatrices("ormqr", self), readVectors(input2)];
    const products = readMatrices(input3);
    products.forEach((matrix, m) => {
      applyReflections({ vectors: vectors[m]!, taus: taus[m]!, shift: 0 }, matrix, left, transpose);
    });
    return writeMatrices(out, products);
  },
);

const ldlFactor = kernel(
  "aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)",
  ({ self, hermitian, check_errors: checks }, context) => {
    const [ld, pivots, info] = emptyOutputs(context);
    const found = lapackMatrices("linalg.ldl_factor", self).map((matrix) => triangle(matrix, "lower"));
    const n = self.shape.at(-1)!;
    const places = scratch(Int32Array, found.length * n);
    const codes = Int32Array.from(found, (matrix, m) => {
      const factors = factorLDL(matrix, hermitian && matrix.im !== undefined);
      places.set(factors.pivots, m * n);
      return factors.singularAt;
    });
    if (checks) checkCodes(codes, "torch.linalg.ldl_factor_ex", self.ndim === 2);
    return [writeMatrices(ld, found), finishOutput(pivots, places), finishOutput(info, codes)];
  },
);

const ldlSolve = kernel(
  "aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor",
  ({ LD, pivots, B, hermitian }, context) => {
    const out = emptyOutput(context);
    const batch = out.shape.slice(0, -2);
    const n = LD.shape.at(-1)!;
    const factors = lapackMatrices("linalg.ldl_solve", LD, [...batch, n, n]);
    const places = pivotsOf(pivots, batch, n);
    const sides = readMatrices(B, out.shape);
    sides.forEach((side, m) => {
      solveLDL(factors[m]!, places[m]!, side, hermitian && side.im !== undefined);
    });
    return writeMatrices(out, sides);
  },
);

const triangularSolve = kernel(
  "aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
  ({ self, A, upper, transpose, unitriangular }, context) => {
    const [solution, cloned] = emptyOutputs(context);
    const triangles = lapackMatrices("triangular_solve", A, cloned.shape);
    const sides = readMatrices(self, solution.shape);
    sides.forEach((side, m) => {
      const t = transpose ? transposed(triangles[m]!) : triangles[m]!;
      substitute(t, side, upper !== transpose, unitriangular);
    });
    return [writeMatrices(solution, sides), writeMatrices(cloned, triangles)];
  },
);

/** Factors of matrices, and solutions from them. */
export const matrixFactorKernels = defineKernels([
  luFactor,
  kernel("aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", lu),
  luUnpack,
  luSolve,
  qr,
  geqrf,
  householderProduct,
  ormqr,
  ldlFactor,
  ldlSolve,
  triangularSolve,
]);
