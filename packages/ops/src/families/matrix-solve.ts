/** @file Solutions from factors, least squares, functions of matrices and polar decomposition. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { broadcastShapes } from "../rules/dims.js";
import { fake, numelOf, rowMajorLike } from "../rules/fake.js";
import {
  columnMajor,
  matrices,
  requireFloat,
  requireLapack,
  requireMatrices,
  requirePrecision,
  requireSquare,
  smallerOf,
} from "../rules/matrix.js";
import { toRealDType } from "../rules/promote.js";
import { requireSystem } from "./matrix-factor.js";

const choleskySolve = defineOp({
  schema: "aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
  meta: ({ self, input2 }, context) => {
    const side = (name: string, tensor: FakeTensor): void => {
      if (tensor.ndim >= 2) return;
      throw shapeMismatch(
        `${name} should have at least 2 dimensions, but has ${tensor.ndim} dimensions instead`,
      );
    };
    side("b", self);
    side("u", input2);
    const batch = broadcastShapes(context.env, self.shape.slice(0, -2), input2.shape.slice(0, -2));
    requireSystem("cholesky_solve", self, input2, context);
    requireLapack("cholesky_solve_cpu", self);
    return matrices(self, [...batch, ...self.shape.slice(-2)]);
  },
});

const choleskyInverse = defineOp({
  schema: "aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
  meta: ({ self }, context) => {
    requireSquare("cholesky_inverse", self, context);
    requireLapack("cholesky_inverse_out_cpu", self);
    return matrices(self, self.shape);
  },
});

const triangularSolve = defineOp({
  schema:
    "aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
  meta: ({ self, A }, context) => {
    for (const [name, tensor] of [["b", self] as const, ["A", A] as const]) {
      if (tensor.ndim >= 2) continue;
      throw shapeMismatch(
        `torch.triangular_solve: Expected ${name} to have at least 2 dimensions, but it has ${tensor.ndim} dimensions instead`,
      );
    }
    requireSystem("triangular_solve", self, A, context);
    requireLapack("triangular_solve_cpu", self);
    const batch = broadcastShapes(context.env, self.shape.slice(0, -2), A.shape.slice(0, -2));
    return [
      matrices(self, [...batch, ...self.shape.slice(-2)]),
      matrices(A, [...batch, ...A.shape.slice(-2)]),
    ];
  },
});

const DRIVERS: readonly string[] = ["gels", "gelsy", "gelsd", "gelss"];

/**
 * Refuses what PyTorch does; returns the right-hand sides' shape, vectors as matrices of one
 * column.
 */
function leastSquaresSides(
  self: FakeTensor,
  b: FakeTensor,
  driver: string | null,
  env: MetaContext["env"],
): { isVector: boolean; sides: readonly IntLike[] } {
  const name = "torch.linalg.lstsq";
  if (self.ndim < 2) throw shapeMismatch(`${name}: input must have at least 2 dimensions.`);
  if (b.ndim < 1) throw shapeMismatch(`${name}: other must have at least 1 dimension.`);
  if (self.dtype !== b.dtype) {
    throw dtypeMismatch(
      `${name}: Expected input and other to have the same dtype, but got input's dtype ${self.dtype} and other's dtype ${b.dtype}`,
    );
  }
  requirePrecision(name, self);
  if (driver !== null && !DRIVERS.includes(driver)) {
    throw invalidArgument(`${name}: parameter \`driver\` should be one of (gels, gelsy, gelsd, gelss)`);
  }
  const isVector = self.ndim - 1 === b.ndim && b.shape.every((size, d) => isEqual(env, size, self.shape[d]!));
  const sides = isVector ? [...b.shape, 1] : b.shape;
  if (sides.length < 2 || mayDiffer(env, sides.at(-2)!, self.shape.at(-2)!)) {
    throw shapeMismatch(`${name}: input.size(-2) should match other.size(${b.ndim > 1 ? -2 : -1})`);
  }
  return { isVector, sides };
}

const leastSquares = defineOp({
  schema:
    "aten::linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
  meta: ({ self, b, driver }, { env }) => {
    const { isVector, sides } = leastSquaresSides(self, b, driver, env);
    const [rows, columns] = self.shape.slice(-2) as [IntLike, IntLike];
    const own = self.shape.slice(0, -2);
    const batch = broadcastShapes(env, own, sides.slice(0, -2));
    const width = sides.at(-1)!;
    const least = smallerOf(env, rows, columns);
    const isTall = least !== rows;
    // LAPACK leaves the solution in the first rows of memory for whichever side is longer.
    const strides = columnMajor([...batch, isTall ? rows : columns, width]);
    const dtype = toRealDType(self.dtype);
    const used = driver ?? "gelsy";
    const real = (shape: readonly IntLike[]): FakeTensor => fake({ dtype, shape, like: self });
    return [
      fake({
        dtype: self.dtype,
        shape: isVector ? [...batch, columns] : [...batch, columns, width],
        strides: isVector ? strides.slice(0, -1) : strides,
        like: self,
      }),
      real(isTall && used !== "gelsy" ? [...batch, width] : [0]),
      fake({ dtype: "int64", shape: used === "gels" ? [0] : own, like: self }),
      real(used === "gelsd" || used === "gelss" ? [...own, least] : [0]),
    ];
  },
});

const square =
  (name: string, precise = false) =>
  ({ self }: { self: FakeTensor }, context: Parameters<typeof requireSquare>[2]) => {
    requireSquare(name, self, context);
    if (precise) requirePrecision(name, self);
    else requireFloat(name, self);
    return rowMajorLike(self);
  };

const exponential = defineOp({
  schema: "aten::linalg_matrix_exp(Tensor self) -> Tensor",
  doc: "Of halves too, for which PyTorch 2.14 gives memory that it did not fill.",
  meta: square("linalg.matrix_exp"),
});

const olderExponential = defineOp({
  schema: "aten::matrix_exp(Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self }) => emit("aten.linalg_matrix_exp.default", [self]),
});

const squareRoot = defineOp({
  schema: "aten::linalg_matrix_sqrth(Tensor self) -> Tensor",
  doc: "Square root of a Hermitian matrix; negative eigenvalues count as zero.",
  meta: square("linalg.matrix_sqrth", true),
});

const polar = defineOp({
  schema: "aten::linalg_polar(Tensor A) -> (Tensor U, Tensor H)",
  doc: "`A = U H` with orthonormal columns of U and a positive semidefinite H.",
  meta: ({ A }, { env }) => {
    requireMatrices("linalg.polar", A);
    requireFloat("linalg.polar", A);
    const [rows, columns] = A.shape.slice(-2) as [IntLike, IntLike];
    if (smallerOf(env, columns, rows) !== columns) {
      throw shapeMismatch(
        `linalg.polar: input must have at least as many rows as columns, but got ${describeSize(rows)} by ${describeSize(columns)} matrices`,
      );
    }
    requireLapack("linalg_svd_cpu", A);
    const factor = (shape: readonly IntLike[]): FakeTensor => fake({ dtype: A.dtype, shape, like: A });
    return [factor(A.shape), factor([...A.shape.slice(0, -2), columns, columns])];
  },
  kernelCalls: (emit, { A }) => {
    if (isEqual(emit.env, numelOf(A.shape), 0)) return undefined;
    const [left, values, right] = emit.many("aten.linalg_svd.default", [A, false]);
    const product = (a: FakeTensor, b: FakeTensor): FakeTensor => emit("aten.matmul.default", [a, b]);
    const scaled = emit("aten.mul.Tensor", [
      emit("aten.mH.default", [right!]),
      emit("aten.unsqueeze.default", [values!, -2]),
    ]);
    const h = product(scaled, right!);
    const sum = emit("aten.add.Tensor", [h, emit("aten.mH.default", [h])]);
    const even = emit("aten.mul.Scalar", [sum, float(0.5)]);
    return [product(left!, right!), even].map((x) => convert(emit, x, A.dtype));
  },
});

/** Solutions and functions of matrices. */
export const matrixSolveOps: readonly OpDefinition[] = [
  choleskySolve,
  choleskyInverse,
  triangularSolve,
  leastSquares,
  exponential,
  olderExponential,
  squareRoot,
  polar,
];
