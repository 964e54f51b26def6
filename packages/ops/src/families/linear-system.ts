/**
 * @file Systems of linear equations, Cholesky factors, and determinants by their sign and
 * logarithm.
 */
import { type FakeTensor, float } from "@sconce/ir";
import { isComplexDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { broadcastShapes } from "../rules/dims.js";
import { fake } from "../rules/fake.js";
import {
  codes,
  matrices,
  requireFloat,
  requireLapack,
  requirePrecision,
  requireSquare,
} from "../rules/matrix.js";
import { toRealDType } from "../rules/promote.js";
import { sizeProduct } from "../rules/size-product.js";

/** Returns whether the right-hand sides are vectors: one for every matrix. */
function isVectorSide(a: FakeTensor, b: FakeTensor, env: MetaContext["env"]): boolean {
  if (b.ndim === 1) return true;
  return b.ndim === a.ndim - 1 && b.shape.every((size, d) => isEqual(env, size, a.shape[d]!));
}

const solveParts = defineOp({
  schema:
    "aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)",
  meta: ({ A, B, left }, context) => {
    requireSquare("linalg.solve", A, context);
    requireFloat("linalg.solve", A);
    requireLapack("lu_cpu", A);
    const isVector = isVectorSide(A, B, context.env);
    const sides = isVector ? [...B.shape, 1] : B.shape;
    if (mayDiffer(context.env, sides.at(left ? -2 : -1)!, A.shape.at(-1)!)) {
      throw shapeMismatch("linalg.solve: Incompatible shapes of A and B for the equation");
    }
    const batch = broadcastShapes(context.env, sides.slice(0, -2), A.shape.slice(0, -2));
    const shape = [...batch, ...sides.slice(-2)].slice(0, isVector ? -1 : undefined);
    return [
      left && shape.length > 1 ? matrices(B, shape) : fake({ dtype: B.dtype, shape, like: B }),
      matrices(A, A.shape),
      codes(A, A.shape.slice(0, -1)),
      codes(A, A.shape.slice(0, -2)),
    ];
  },
});

const solveWithInfo = defineOp({
  schema:
    "aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)",
  tags: ["composite"],
  decompose: (emit, { A, B, left, check_errors }) => {
    const [result, , , info] = emit.many("aten._linalg_solve_ex.default", [A, B], { left, check_errors });
    return [result!, info!];
  },
});

const checkCodes = (emit: Emit, info: FakeTensor, name: string, a: FakeTensor): void => {
  emit.value("aten._linalg_check_errors.default", [info, name], { is_matrix: a.ndim === 2 });
};

const solve = defineOp({
  schema: "aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { A, B, left }) => {
    const [result, , , info] = emit.many("aten._linalg_solve_ex.default", [A, B], { left });
    checkCodes(emit, info!, "torch.linalg.solve", A);
    return result!;
  },
});

const choleskyParts = defineOp({
  schema:
    "aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)",
  meta: ({ self }, context) => {
    requireSquare("linalg.cholesky", self, context);
    requireFloat("linalg.cholesky", self);
    requireLapack("cholesky_cpu", self);
    return [matrices(self, self.shape), codes(self, self.shape.slice(0, -2))];
  },
});

const cholesky = defineOp({
  schema: "aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, upper }) => {
    const [result, info] = emit.many("aten.linalg_cholesky_ex.default", [self], { upper });
    checkCodes(emit, info!, "linalg.cholesky", self);
    return result!;
  },
});

const signedLogParts = defineOp({
  schema: "aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
  meta: ({ A }, context) => {
    requireSquare("linalg.slogdet", A, context);
    requirePrecision("linalg.slogdet", A);
    const batch = A.shape.slice(0, -2);
    const value = (dtype: FakeTensor["dtype"]): FakeTensor => fake({ dtype, shape: batch, like: A });
    return [
      value(A.dtype),
      value(toRealDType(A.dtype)),
      matrices(A, A.shape),
      codes(A, A.shape.slice(0, -1)),
    ];
  },
});

const signedLog = (emit: Emit, a: FakeTensor): readonly [FakeTensor, FakeTensor] => {
  const [sign, logarithm] = emit.many("aten._linalg_slogdet.default", [a]);
  return [sign!, logarithm!];
};

const slogdet = defineOp({
  schema: "aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)",
  tags: ["composite"],
  decompose: (emit, { A }) => signedLog(emit, A),
});

const slogdetOfTensor = defineOp({
  schema: "aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)",
  tags: ["composite"],
  decompose: (emit, { self }) => signedLog(emit, self),
});

const logdet = defineOp({
  schema: "aten::logdet(Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self }) => {
    const [sign, logarithm] = signedLog(emit, self);
    if (isComplexDType(self.dtype))
      return emit("aten.add.Tensor", [emit("aten.log.default", [sign]), logarithm]);
    const negative = emit("aten.eq.Scalar", [sign, float(-1)]);
    return emit("aten.where.ScalarSelf", [negative, float(Number.NaN), logarithm]);
  },
});

const det = defineOp({
  schema: "aten::det(Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self }) => emit("aten.linalg_det.default", [self]),
});

const inverse = defineOp({
  schema: "aten::inverse(Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self }) => emit("aten.linalg_inv.default", [self]),
});

const tensorSolve = defineOp({
  schema: "aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, other, dims }) => {
    const from = dims === null ? [] : dims.map((dim) => Number(dim));
    const to = from.map((_, i) => self.ndim - from.length + i);
    const a = dims === null ? self : emit("aten.movedim.intlist", [self, from, to]);
    const shape = a.shape.slice(other.ndim);
    const columns = sizeProduct(emit, shape);
    const matrix = emit("aten.reshape.default", [a, [columns, columns]]);
    const vector = emit("aten.reshape.default", [other, [columns]]);
    return emit("aten.reshape.default", [emit("aten.linalg_solve.default", [matrix, vector]), shape]);
  },
});

const tensorInverse = defineOp({
  schema: "aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, ind }) => {
    const split = Number(ind);
    if (split <= 0 || split > self.ndim)
      throw invalidArgument(`ArrayRef: invalid slice, N = ${split}; size = ${self.ndim}`);
    const [rows, columns] = [self.shape.slice(0, split), self.shape.slice(split)];
    const matrix = emit("aten.reshape.default", [
      self,
      [sizeProduct(emit, rows), sizeProduct(emit, columns)],
    ]);
    const [result, info] = emit.many("aten.linalg_inv_ex.default", [matrix]);
    checkCodes(emit, info!, "inv", matrix);
    return emit("aten.reshape.default", [result!, [...columns, ...rows]]);
  },
});

/** Systems of equations and factors. */
export const linearSystemOps: readonly OpDefinition[] = [
  solveParts,
  solveWithInfo,
  solve,
  choleskyParts,
  cholesky,
  signedLogParts,
  slogdet,
  slogdetOfTensor,
  logdet,
  det,
  inverse,
  tensorSolve,
  tensorInverse,
];
