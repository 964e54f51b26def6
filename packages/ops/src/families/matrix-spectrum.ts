/** @file Eigenvalues and singular values of matrices. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { symMin } from "@sconce/symbolic";
import { complexDType, type DType, isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { fake } from "../rules/fake.js";
import {
  matrices,
  nothing,
  requireFloat,
  requireLapack,
  requireMatrices,
  requireSquare,
} from "../rules/matrix.js";
import { toRealDType } from "../rules/promote.js";

const hermitianParts = defineOp({
  schema:
    'aten::_linalg_eigh(Tensor A, str UPLO="L", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)',
  doc: "Signs of eigenvectors follow LAPACK's steqr; they may differ from PyTorch's by rounding, and for more than 25 rows.",
  meta: ({ A, UPLO, compute_v: wanted }, context) => {
    requireSquare("linalg.eigh", A, context);
    requireLapack("linalg_eigh_cpu", A);
    if (!/^[LUlu]$/.test(UPLO))
      throw invalidArgument(`Expected UPLO argument to be 'L' or 'U', but got ${UPLO}`);
    return [
      fake({ dtype: toRealDType(A.dtype), shape: A.shape.slice(0, -1), like: A }),
      wanted ? matrices(A, A.shape) : nothing(A),
    ];
  },
});

const hermitianPairs = (emit: Emit, self: FakeTensor, uplo: string): readonly FakeTensor[] =>
  emit.many("aten._linalg_eigh.default", [self, uplo]);

const eigh = defineOp({
  schema: 'aten::linalg_eigh(Tensor self, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors)',
  tags: ["composite"],
  decompose: (emit, { self, UPLO }) => hermitianPairs(emit, self, UPLO),
});

const eigvalsh = defineOp({
  schema: 'aten::linalg_eigvalsh(Tensor self, str UPLO="L") -> Tensor',
  tags: ["composite"],
  decompose: (emit, { self, UPLO }) => hermitianPairs(emit, self, UPLO)[0]!,
});

/** Returns the complex type of eigenvalues. */
function spectrumDType(self: FakeTensor): DType {
  requireLapack("linalg_eig_out_cpu", self);
  if (isComplexDType(self.dtype)) return self.dtype;
  return complexDType(self.dtype);
}

const eig = defineOp({
  schema: "aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)",
  doc: "Order and signs follow LAPACK's geev; rounding may change the sign of a vector or the order of values.",
  meta: ({ self }, context) => {
    requireSquare("linalg.eig", self, context);
    const dtype = spectrumDType(self);
    return [fake({ dtype, shape: self.shape.slice(0, -1), like: self }), matrices(self, self.shape, dtype)];
  },
});

const eigenvaluesOnly = defineOp({
  schema: "aten::_linalg_eigvals(Tensor self) -> Tensor",
  tags: ["not_in_default_table"],
  meta: ({ self }, context) => {
    requireSquare("linalg.eigvals", self, context);
    return fake({ dtype: spectrumDType(self), shape: self.shape.slice(0, -1), like: self });
  },
  decompose: (emit, { self }) => emit.many("aten.linalg_eig.default", [self])[0]!,
});

const eigvals = defineOp({
  schema: "aten::linalg_eigvals(Tensor self) -> Tensor",
  tags: ["composite"],
  // For the sake of gradients PyTorch computes the vectors too.
  decompose: (emit, { self }) => emit.many("aten.linalg_eig.default", [self])[0]!,
});

const singularParts = defineOp({
  schema:
    "aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
  doc: "Signs of singular vectors follow LAPACK's gesdd; they may differ from PyTorch's by rounding, and for more than 25 values.",
  meta: ({ A, full_matrices: full, compute_uv: wanted, driver }) => {
    requireMatrices("linalg.svd", A);
    requireFloat("linalg.svd", A);
    requireLapack("linalg_svd_cpu", A);
    if (driver !== null) {
      throw invalidArgument(
        "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.",
      );
    }
    const [rows, columns] = A.shape.slice(-2) as [IntLike, IntLike];
    const batch = A.shape.slice(0, -2);
    const count = symMin(rows, columns);
    return [
      wanted ? matrices(A, [...batch, rows, full ? rows : count]) : nothing(A),
      fake({ dtype: toRealDType(A.dtype), shape: [...batch, count], like: A }),
      wanted ? matrices(A, [...batch, full ? columns : count, columns]) : nothing(A),
    ];
  },
});

const svd = defineOp({
  schema:
    "aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
  tags: ["composite"],
  decompose: (emit, { A, full_matrices, driver }) =>
    emit.many("aten._linalg_svd.default", [A, full_matrices, true], { driver }),
});

const svdvals = defineOp({
  schema: "aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { A, driver }) => emit.many("aten._linalg_svd.default", [A], { driver })[1]!,
});

const olderSvd = defineOp({
  schema: "aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)",
  tags: ["composite"],
  decompose: (emit, { self, some, compute_uv: wanted }) => {
    if (self.ndim < 2) throw invalidArgument("linalg.svd: input should have at least 2 dimensions");
    const adjoint = (matrix: FakeTensor): FakeTensor => emit("aten.adjoint.default", [matrix]);
    if (wanted) {
      const [u, s, vh] = emit.many("aten._linalg_svd.default", [self, !some]);
      return [u!, s!, adjoint(vh!)];
    }
    const values = emit.many("aten._linalg_svd.default", [self])[1]!;
    const { dtype, layout, device } = self;
    const empty = (size: IntLike): FakeTensor =>
      emit("aten.zeros.default", [[...self.shape.slice(0, -2), size, size]], { dtype, layout, device });
    const left = empty(self.shape.at(-2)!);
    return [left, values, adjoint(empty(self.shape.at(-1)!))];
  },
});

/** Eigenvalues and singular values. */
export const matrixSpectrumOps: readonly OpDefinition[] = [
  hermitianParts,
  eigh,
  eigvalsh,
  eig,
  eigenvaluesOnly,
  eigvals,
  singularParts,
  svd,
  svdvals,
  olderSvd,
];
