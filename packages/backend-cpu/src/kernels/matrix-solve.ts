/**
 * @file Least squares, pseudoinverses and functions of matrices, by their singular values or
 * eigenvalues.
 */
import type { Tensor } from "@sconce/tensor";
import { finishOutput, readFloat64, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, emptyOutputs, emptyStrided, kernel } from "../kernel/kernel.js";
import { epsilonOf, lapackMatrices } from "./linear-algebra.js";
import {
  adjoint,
  copyOf,
  type Matrix,
  multiply,
  norm,
  readMatrices,
  readVectors,
  scale,
  writeMatrices,
} from "./matrix.js";
import { exponential } from "./matrix-exponential.js";
import { decompositions, hermitianPairs } from "./matrix-spectrum.js";
import { type SingularValues, singularValues } from "./matrix-svd.js";

/** `A = left diag(values) right'`. */
interface Spectrum {
  readonly left: Matrix;
  readonly values: Float64Array;
  readonly right: Matrix;
}

/** `left diag(f(values)) right'`. */
function apply({ left, values, right }: Spectrum, f: (value: number) => number): Matrix {
  const scaled = copyOf(left);
  values.forEach((value, j) => {
    scale(left.rows, f(value), 0, scaled, j * left.rows, 1);
  });
  return multiply(scaled, adjoint(right));
}

const ofSingular = ({ u, values, v }: SingularValues): Spectrum => ({ left: u!, values, right: v! });

/** Numbers of an optional tolerance for each matrix. */
function tolerances(
  tensor: Tensor | null,
  batch: readonly number[],
  missing: (m: number) => number,
): Float64Array {
  if (tensor !== null) return readFloat64(tensor, batch);
  return Float64Array.from({ length: batch.reduce((a, b) => a * b, 1) }, (_, m) => missing(m));
}

/** Matrices repeated for each of a batch's tolerances. */
function repeated(self: Tensor, batch: readonly number[]): Tensor {
  const lead = batch.length + 2 - self.ndim;
  const steps = batch.map((size, d) => (self.shape[d - lead] === size ? self.strides[d - lead]! : 0));
  return self.asStrided(
    [...batch, ...self.shape.slice(-2)],
    [...steps, ...self.strides.slice(-2)],
    self.storageOffset,
  );
}

const pseudoinverse = kernel(
  "aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
  ({ self: given, atol, rtol, hermitian }, context) => {
    const out = emptyOutput(context);
    if (out.numel === 0) return out;
    const batch = out.shape.slice(0, -2);
    const self = repeated(given, batch);
    const spectra: Spectrum[] = hermitian
      ? hermitianPairs(self, false, true).map(({ values, vectors }) => ({
          left: vectors!,
          values,
          right: vectors!,
        }))
      : decompositions(self, "reduced")
          .map(ofSingular)
          .map(({ left, values, right }) => ({
            left: right,
            values,
            right: left,
          }));
    const absolute = tolerances(atol, batch, () => 0);
    const longest = Math.max(...self.shape.slice(-2));
    const usual = epsilonOf(self.dtype) * longest;
    const relative = tolerances(rtol, batch, (m) => (atol !== null && absolute[m]! > 0 ? 0 : usual));
    const inverses = spectra.map((spectrum, m) => {
      const largest = spectrum.values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const least = Math.max(absolute[m]!, relative[m]! * largest);
      return apply(spectrum, (value) => (Math.abs(value) > least ? 1 / value : 0));
    });
    return writeMatrices(out, inverses);
  },
);

const squareRoot = kernel("aten::linalg_matrix_sqrth(Tensor self) -> Tensor", ({ self }, context) => {
  const out = emptyOutput(context);
  const roots = hermitianPairs(self, false, true).map(({ values, vectors }) =>
    apply({ left: vectors!, values, right: vectors! }, (value) => Math.sqrt(Math.max(value, 0))),
  );
  return writeMatrices(out, roots);
});

const polar = kernel("aten::linalg_polar(Tensor A) -> (Tensor U, Tensor H)", ({ A }, context) => {
  const [u, h] = emptyOutputs(context);
  const found = decompositions(A, "reduced").map(ofSingular);
  writeMatrices(
    u,
    found.map(({ left, right }) => multiply(left, adjoint(right))),
  );
  const parts = found.map(({ values, right }) => apply({ left: right, values, right }, (value) => value));
  return [u, writeMatrices(h, parts)];
});

const matrixExponential = kernel("aten::linalg_matrix_exp(Tensor self) -> Tensor", ({ self }, context) => {
  const out = emptyOutput(context);
  const isHalf = self.dtype === "float16" || self.dtype === "bfloat16";
  // PyTorch's kernel reads its coefficients as halves, although they are doubles.
  if (isHalf && self.shape.at(-1)! > 1 && self.numel > 0)
    throw invalidArgument(
      `PyTorch computes no exponential of ${self.dtype} matrices: convert them to float32`,
    );
  return writeMatrices(out, readMatrices(self).map(exponential));
});

const leastSquares = kernel(
  "aten::linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
  ({ self, b, rcond, driver }, context) => {
    const [solution, residuals, rank, singular] = emptyOutputs(context);
    const [rows, columns] = self.shape.slice(-2) as [number, number];
    const isVector = solution.ndim < self.ndim && b.ndim < self.ndim && solution.ndim === b.ndim;
    const batch = solution.shape.slice(0, isVector ? -1 : -2);
    const matrices = lapackMatrices("linalg.lstsq", self, [...batch, rows, columns]);
    const sides = isVector ? readVectors(b) : readMatrices(b, [...batch, rows, b.shape.at(-1)!]);
    const least = driver === "gels" ? 0 : (rcond ?? epsilonOf(self.dtype) * Math.max(rows, columns));
    const solved = matrices.map((matrix, m) => solveLeast(matrix, sides[m]!, least, epsilonOf(self.dtype)));
    writeMatrices(
      solution,
      solved.map((one) => one.solution),
    );
    if (rank.numel === solved.length)
      writeNumbers(
        rank,
        solved.map((one) => one.rank),
      );
    if (singular.numel > 0) {
      finishOutput(singular, Float64Array.from(solved.flatMap((one) => [...one.values])));
    }
    // Residuals of rank-deficient matrices are left empty.
    const whole = driver === "gels" || solved.every((one) => one.rank === columns);
    if (residuals.ndim > 0 && residuals.numel > 0 && !whole) {
      return [solution, emptyStrided([0], [1], residuals.dtype), rank, singular];
    }
    if (residuals.numel > 0)
      finishOutput(residuals, Float64Array.from(solved.flatMap((one) => one.residuals)));
    return [solution, residuals, rank, singular];
  },
);

/**
 * Returns the shortest of the best solutions, with singular values below a part of the largest
 * taken for zero.
 */
function solveLeast(
  matrix: Matrix,
  side: Matrix,
  least: number,
  epsilon: number,
): { solution: Matrix; values: Float64Array; rank: number; residuals: number[] } {
  const found = singularValues(copyOf(matrix), epsilon, "reduced");
  const bound = (found.values[0] ?? 0) * least;
  const rank = found.values.reduce((count, value) => (value > bound ? count + 1 : count), 0);
  const coordinates = multiply(adjoint(found.u!), side);
  for (let k = 0; k < coordinates.rows; k++) {
    const factor = found.values[k]! > bound ? 1 / found.values[k]! : 0;
    scale(side.columns, factor, 0, coordinates, k, coordinates.rows);
  }
  const solution = multiply(found.v!, coordinates);
  const difference = multiply(matrix, solution);
  difference.re.forEach((value, i) => {
    difference.re[i] = value - side.re[i]!;
    if (difference.im !== undefined) difference.im[i]! -= side.im![i]!;
  });
  const residuals = Array.from(
    { length: side.columns },
    (_, j) => norm(side.rows, difference, j * side.rows, 1) ** 2,
  );
  return { solution, values: found.values, rank, residuals };
}

/** Least squares and functions of matrices. */
export const matrixSolveKernels = defineKernels([
  pseudoinverse,
  squareRoot,
  polar,
  matrixExponential,
  leastSquares,
]);
