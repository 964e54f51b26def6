/** @file Eigenvalues and singular values, and what is made of them. */

import type { Tensor } from "@sconce/tensor";
import { finishOutput } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutputs, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { checkCodes, epsilonOf, lapackMatrices } from "./linear-algebra.js";
import { adjoint, type Matrix, writeMatrices } from "./matrix.js";
import { generalEigenpairs } from "./matrix-eig.js";
import { type Eigenpairs, eigenpairs } from "./matrix-eigh.js";
import { type SingularValues, singularValues, type Wanted } from "./matrix-svd.js";

/** Values of many matrices one after the other. */
function joined(lists: readonly { readonly values: Float64Array }[], each: number): Float64Array {
  const all = scratch(Float64Array, lists.length * each);
  lists.forEach(({ values }, m) => {
    all.set(values, m * each);
  });
  return all;
}

export function hermitianPairs(a: Tensor, upper: boolean, vectors: boolean): Eigenpairs[] {
  const pairs = lapackMatrices("linalg.eigh", a).map((matrix) =>
    eigenpairs(matrix, upper, epsilonOf(a.dtype), vectors),
  );
  const codes = pairs.map(({ code, values }) => (values.some(Number.isNaN) ? Math.max(code, 1) : code));
  checkCodes(codes, "linalg.eigh", a.ndim === 2);
  return pairs;
}

const hermitian = kernel(
  'aten::_linalg_eigh(Tensor A, str UPLO="L", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)',
  ({ A, UPLO, compute_v: wanted }, context) => {
    const [values, vectors] = emptyOutputs(context);
    const pairs = hermitianPairs(A, UPLO.toUpperCase() === "U", wanted);
    finishOutput(values, joined(pairs, A.shape.at(-1)!));
    return [
      values,
      wanted
        ? writeMatrices(
            vectors,
            pairs.map((pair) => pair.vectors!),
          )
        : vectors,
    ];
  },
);

const isFiniteMatrix = ({ re, im }: Matrix): boolean =>
  re.every(Number.isFinite) && (im === undefined || im.every(Number.isFinite));

/** @throws SconceError `INVALID_ARGUMENT` for values that are not finite */
export function decompositions(a: Tensor, wanted: Wanted): SingularValues[] {
  const matrices = lapackMatrices("linalg.svd", a);
  const codes = matrices.map((matrix) => (isFiniteMatrix(matrix) ? 0 : 1));
  checkCodes(codes, "linalg.svd", a.ndim === 2);
  return matrices.map((matrix) => singularValues(matrix, epsilonOf(a.dtype), wanted));
}

const singular = kernel(
  "aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
  ({ A, full_matrices: full, compute_uv: wanted }, context) => {
    const [u, s, vh] = emptyOutputs(context);
    const found = decompositions(A, wanted ? (full ? "full" : "reduced") : "values");
    finishOutput(s, joined(found, s.shape.at(-1)!));
    if (!wanted) return [u, s, vh];
    writeMatrices(
      u,
      found.map((one) => one.u!),
    );
    return [
      u,
      s,
      writeMatrices(
        vh,
        found.map((one) => adjoint(one.v!)),
      ),
    ];
  },
);

const general = kernel(
  "aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)",
  ({ self }, context) => {
    const [values, vectors] = emptyOutputs(context);
    const matrices = lapackMatrices("linalg.eig", self);
    if (!matrices.every(isFiniteMatrix)) {
      throw invalidArgument("torch.linalg.eig: input tensor should not contain infs or NaNs.");
    }
    const found = matrices.map((matrix) => generalEigenpairs(matrix, epsilonOf(self.dtype)));
    checkCodes(
      found.map(({ code }) => code),
      "linalg.eig",
      self.ndim === 2,
    );
    writeMatrices(
      values,
      found.map((one) => one.values),
    );
    return [
      values,
      writeMatrices(
        vectors,
        found.map((one) => one.vectors),
      ),
    ];
  },
);

/** Linear algebra by eigenvalues and singular values. */
export const matrixSpectrumKernels = defineKernels([hermitian, singular, general]);
