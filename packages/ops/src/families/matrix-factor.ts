/**
 * @file Factors of matrices with exchanged rows: LU, and LDL of symmetric ones; and solutions from
 * them.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { dtypeInfo } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { broadcastShapes } from "../rules/dims.js";
import { fake } from "../rules/fake.js";
import {
  codes,
  matrices,
  matrixSizes,
  nothing,
  requireFloat,
  requireLapack,
  requireMatrices,
  requireSides,
  requireSquare,
  sameSizes,
} from "../rules/matrix.js";

function requireRank(name: string, tensor: FakeTensor): void {
  if (tensor.ndim < 2) {
    throw shapeMismatch(
      `${name}: Expected tensor with 2 or more dimensions. Got size: ${describeSizes(tensor.shape)} instead`,
    );
  }
}

const needsPivots = (pivot: boolean, a: FakeTensor): void => {
  if (!pivot && !a.shape.includes(0)) {
    throw invalidArgument("linalg.lu_factor: LU without pivoting is not implemented on the CPU");
  }
};

const luFactorParts = defineOp({
  schema:
    "aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)",
  meta: ({ A, pivot }) => {
    requireRank("torch.lu_factor", A);
    requireLapack("lu_cpu", A);
    needsPivots(pivot, A);
    const { count, batch } = matrixSizes(A);
    return [matrices(A, A.shape), codes(A, [...batch, count]), codes(A, batch)];
  },
});

const luFactor = defineOp({
  schema: "aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)",
  tags: ["composite"],
  decompose: (emit, { A, pivot }) => {
    const [lu, pivots, info] = emit.many("aten.linalg_lu_factor_ex.default", [A], { pivot });
    emit.value("aten._linalg_check_errors.default", [info!, "torch.linalg.lu_factor"], {
      is_matrix: A.ndim === 2,
    });
    return [lu!, pivots!];
  },
});

const luWithInfo = defineOp({
  schema:
    "aten::_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)",
  tags: ["composite"],
  // PyTorch leaves the check to its caller.
  decompose: (emit, { self, pivot }) => emit.many("aten.linalg_lu_factor_ex.default", [self], { pivot }),
});

const lu = defineOp({
  schema: "aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)",
  meta: ({ A, pivot }) => {
    requireRank("linalg.lu", A);
    requireLapack("lu_cpu", A);
    needsPivots(pivot, A);
    return permutedFactors(A, pivot, true);
  },
});

function permutedFactors(a: FakeTensor, pivots: boolean, data: boolean): FakeTensor[] {
  const { rows, columns, count, batch } = matrixSizes(a);
  const factor = (height: IntLike, width: IntLike): FakeTensor =>
    fake({ dtype: a.dtype, shape: [...batch, height, width], like: a });
  return [
    pivots ? factor(rows, rows) : nothing(a),
    data ? factor(rows, count) : nothing(a),
    data ? factor(count, columns) : nothing(a),
  ];
}

const luUnpack = defineOp({
  schema:
    "aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)",
  meta: ({ LU_data: data, LU_pivots: pivots, unpack_data, unpack_pivots }, context) => {
    if (unpack_pivots && pivots.dtype !== "int32") {
      throw dtypeMismatch(
        "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype. " +
          "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor",
      );
    }
    requireRank("torch.lu_unpack", data);
    const { count, batch } = matrixSizes(data);
    const wanted = [...batch, count];
    if (unpack_pivots && !sameSizes(wanted, pivots.shape, context.env)) {
      throw shapeMismatch(
        `Expected LU_pivots to have shape ${describeSizes(wanted)} but got ${describeSizes(pivots.shape)} instead.`,
      );
    }
    return permutedFactors(data, unpack_pivots, unpack_data);
  },
});

const luSolve = defineOp({
  schema:
    "aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
  meta: ({ LU, pivots, B, left }, context) => {
    const name = "linalg.lu_solve";
    requireSquare(`torch.${name}`, LU, context);
    requireFloat(`torch.${name}`, LU);
    if (LU.dtype !== B.dtype) {
      throw dtypeMismatch(
        `${name}: Expected LU and B to have the same dtype, but found LU of type ${LU.dtype} and B of type ${B.dtype} instead`,
      );
    }
    if (pivots.dtype !== "int32") {
      throw dtypeMismatch(`${name}: pivots should be a Tensor of scalar type torch.int32`);
    }
    requireMatrices(name, B, "B");
    requireSides(name, LU, B, left, context);
    if (pivots.ndim === 0 || mayDiffer(context.env, LU.shape.at(-1)!, pivots.shape.at(-1)!)) {
      throw shapeMismatch(
        `${name}: Number of pivots per batch should be same as the dimension of the matrix`,
      );
    }
    requireSamePivots(name, "LU", LU, pivots, context);
    requireLapack("linalg.lu_solve_cpu", LU);
    const shape = [
      ...broadcastShapes(context.env, LU.shape.slice(0, -2), B.shape.slice(0, -2)),
      ...B.shape.slice(-2),
    ];
    return left ? matrices(B, shape) : fake({ dtype: B.dtype, shape, like: B });
  },
});

function requireSamePivots(
  name: string,
  argument: string,
  a: FakeTensor,
  pivots: FakeTensor,
  { env }: MetaContext,
): void {
  if (sameSizes(a.shape.slice(0, -1), pivots.shape, env)) return;
  throw shapeMismatch(
    `${name}: Expected ${argument}.shape[:-1] and pivots.shape to be the same, but got pivots with shape ` +
      `${describeSizes(pivots.shape)} instead`,
  );
}

const olderLuSolve = defineOp({
  schema: "aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, LU_data, LU_pivots }) =>
    emit("aten.linalg_lu_solve.default", [LU_data, LU_pivots, self]),
});

const ldlParts = defineOp({
  schema:
    "aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)",
  meta: ({ self }, context) => {
    requireSquare("torch.linalg.ldl_factor_ex", self, context);
    requireFloat("torch.linalg.ldl_factor_ex", self);
    requireLapack("ldl_factor_kernel_cpu", self);
    return [
      matrices(self, self.shape),
      codes(self, self.shape.slice(0, -1)),
      codes(self, self.shape.slice(0, -2)),
    ];
  },
});

const ldl = defineOp({
  schema: "aten::linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)",
  tags: ["composite"],
  decompose: (emit: Emit, { self, hermitian }) => {
    const [ld, pivots, info] = emit.many("aten.linalg_ldl_factor_ex.default", [self], { hermitian });
    emit.value("aten._linalg_check_errors.default", [info!, "torch.linalg.ldl_factor"], {
      is_matrix: self.ndim === 2,
    });
    return [ld!, pivots!];
  },
});

/** `linearSolveCheckInputs`, of operators whose names PyTorch does not say first. */
export function requireSystem(name: string, b: FakeTensor, a: FakeTensor, { env }: MetaContext): void {
  if (a.dtype !== b.dtype) {
    throw dtypeMismatch(
      `Expected b and A to have the same dtype, but found b of type ${b.dtype} and A of type ${a.dtype} instead.`,
    );
  }
  const [ar, ac] = a.shape.slice(-2) as [IntLike, IntLike];
  const [br, bc] = b.shape.slice(-2) as [IntLike, IntLike];
  if (mayDiffer(env, ar, ac)) {
    throw shapeMismatch(
      `A must be batches of square matrices, but they are ${describeSize(ar)} by ${describeSize(ac)} matrices`,
    );
  }
  if (mayDiffer(env, ac, br)) {
    throw shapeMismatch(
      `Incompatible matrix sizes for ${name}: each A matrix is ${describeSize(ar)} by ${describeSize(ac)} but each b ` +
        `matrix is ${describeSize(br)} by ${describeSize(bc)}`,
    );
  }
}

const ldlSolve = defineOp({
  schema: "aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor",
  meta: ({ LD, pivots, B }, context) => {
    const name = "torch.linalg.ldl_solve";
    requireSquare(name, LD, context);
    requireFloat(name, LD);
    requireMatrices(name, B, "B");
    requireSystem(name, B, LD, context);
    requireSamePivots(name, "LD", LD, pivots, context);
    if (dtypeInfo(pivots.dtype).kind !== "int") {
      throw dtypeMismatch(`${name}: Expected pivots to be integers. Got ${pivots.dtype}`);
    }
    requireLapack("ldl_solve_kernel_cpu", LD);
    const batch = broadcastShapes(context.env, B.shape.slice(0, -2), LD.shape.slice(0, -2));
    return matrices(B, [...batch, ...B.shape.slice(-2)]);
  },
});

/** Factors of matrices. */
export const matrixFactorOps: readonly OpDefinition[] = [
  luFactorParts,
  luFactor,
  luWithInfo,
  lu,
  luUnpack,
  luSolve,
  olderLuSolve,
  ldlParts,
  ldl,
  ldlSolve,
];
