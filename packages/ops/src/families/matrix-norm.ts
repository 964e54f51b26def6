/** @file Norms of matrices, and `linalg.norm`, which is of vectors or of matrices. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { type DType, isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, requireWord, shapeMismatch } from "../rows/errors.js";
import { convert, numberOf } from "../rules/decompose.js";
import { describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { requireFloat, requireMatrices, requirePrecision } from "../rules/matrix.js";
import { canCast } from "../rules/promote.js";
import type { ScalarArg } from "../schema/schema-types.js";

/** Returns the two dimensions of the matrices, as `matrix_norm` checks them. */
function matrixDims(self: FakeTensor, dim: readonly IntLike[]): readonly [number, number] {
  requireMatrices("linalg.matrix_norm", self);
  requireFloat("linalg.matrix_norm", self);
  if (dim.length !== 2)
    throw invalidArgument(`linalg.matrix_norm: dim must be a 2-tuple. Got ${dim.join(" ")}`);
  const [first, second] = dim.map((d) => wrapDim(d, self.ndim)) as [number, number];
  if (first === second) {
    throw invalidArgument(`linalg.matrix_norm: dims must be different. Got (${first}, ${second})`);
  }
  return [first, second];
}

function checkDType(self: FakeTensor, dtype: DType | null): void {
  if (dtype === null) return;
  const [complex, wanted] = [isComplexDType(self.dtype), isComplexDType(dtype)];
  if (complex !== wanted) {
    const kind = (is: boolean): string => (is ? "complex" : "real");
    throw dtypeMismatch(
      `linalg.matrix_norm: dtype should be ${kind(complex)} for ${kind(complex)} inputs, but got ${dtype}`,
    );
  }
  if (!canCast(self.dtype, dtype)) {
    throw dtypeMismatch(
      `linalg.matrix_norm: the dtype of the input (${self.dtype}) should be convertible without narrowing to the ` +
        `specified dtype (${dtype})`,
    );
  }
}

/** Returns a norm of the singular values, which `reduce` makes of the last dimension. */
function normOfValues(
  emit: Emit,
  self: FakeTensor,
  dims: readonly [number, number],
  keepdim: boolean,
  dtype: DType | null,
  reduce: (values: FakeTensor) => FakeTensor,
): FakeTensor {
  const input = dtype === null ? self : convert(emit, self, dtype);
  const rest = input.shape.map((_, d) => d).filter((d) => !dims.includes(d));
  const order = [...rest, ...dims];
  const last = emit("aten.permute.default", [input, order]);
  const result = reduce(emit("aten.linalg_svdvals.default", [last]));
  if (!keepdim) return result;
  const back = order.map((_, d) => order.indexOf(d));
  return emit("aten.permute.default", [emit("aten.unsqueeze.default", [result, -1]), back]);
}

/** Returns the largest (or least) of a dimension; the largest of nothing is zero. */
function extreme(emit: Emit, order: number, values: FakeTensor, dim: number, keepdim: boolean): FakeTensor {
  const args = keepdim ? [values, [dim], true] : [values, [dim]];
  if (order < 0) return emit("aten.amin.default", args);
  if (values.shape.at(dim) !== 0) return emit("aten.amax.default", args);
  const { dtype, layout, device } = values;
  const at = wrapDim(dim, values.ndim);
  const shape = keepdim ? values.shape.with(at, 1) : values.shape.toSpliced(at, 1);
  return emit("aten.zeros.default", [shape], { dtype, layout, device });
}

const matrixNorm = defineOp({
  schema:
    "aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, ord, dim, keepdim, dtype }) => {
    let [inner, outer] = matrixDims(self, dim);
    const order = numberOf(ord);
    const size = Math.abs(order);
    if (size !== 1 && size !== 2 && size !== Number.POSITIVE_INFINITY) {
      throw invalidArgument(`linalg.matrix_norm: Order ${order} not supported.`);
    }
    checkDType(self, dtype);
    if (size === 2) {
      requirePrecision("linalg.matrix_norm", { dtype: dtype ?? self.dtype });
      return normOfValues(emit, self, [inner, outer], keepdim, dtype, (values) =>
        extreme(emit, order, values, -1, keepdim),
      );
    }
    if (!Number.isFinite(order)) [inner, outer] = [outer, inner];
    const shifted = !keepdim && inner < outer ? outer - 1 : outer;
    const sums = emit("aten.linalg_vector_norm.default", [self, float(1), [inner], keepdim], { dtype });
    return extreme(emit, order, sums, shifted, keepdim);
  },
});

const matrixNormNamed = defineOp({
  schema:
    'aten::linalg_matrix_norm.str_ord(Tensor self, str ord="fro", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor',
  tags: ["composite"],
  decompose: (emit, { self, ord, dim, keepdim, dtype }) => {
    const dims = matrixDims(self, dim);
    requireWord(ord, ["fro", "nuc"], `linalg.matrix_norm: Order ${ord} not supported.`);
    checkDType(self, dtype);
    if (ord === "fro") return emit("aten.linalg_vector_norm.default", [self, 2, dims, keepdim], { dtype });
    return normOfValues(emit, self, dims, keepdim, dtype, (values) =>
      emit("aten.sum.dim_IntList", keepdim ? [values, [-1], true] : [values, [-1]]),
    );
  },
});

/** With an order, one dimension is of vectors and two are of matrices. */
function requireNormDims(self: FakeTensor, dim: readonly IntLike[] | null): void {
  if (dim !== null && dim.length !== 1 && dim.length !== 2) {
    throw shapeMismatch(
      `linalg.norm: If dim is specified, it must be of length 1 or 2. Got ${describeSizes(dim)}`,
    );
  }
  if (dim === null && self.ndim !== 1 && self.ndim !== 2) {
    throw shapeMismatch(
      `linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ${self.ndim}D.`,
    );
  }
}

const linalgNorm = defineOp({
  schema:
    "aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, ord, dim, keepdim, dtype }) => {
    if (ord !== null) {
      requireNormDims(self, dim);
      if ((dim?.length ?? self.ndim) === 2) {
        return emit("aten.linalg_matrix_norm.default", [self, ord as ScalarArg, dim ?? [0, 1], keepdim], {
          dtype,
        });
      }
    }
    return emit("aten.linalg_vector_norm.default", [self, ord ?? float(2), dim, keepdim], { dtype });
  },
});

const linalgNormNamed = defineOp({
  schema:
    "aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, ord, dim, keepdim, dtype }) => {
    requireNormDims(self, dim);
    return emit("aten.linalg_matrix_norm.str_ord", [self, ord, dim ?? [0, 1], keepdim], { dtype });
  },
});

const olderNorms = [
  defineOp({
    schema: "aten::nuclear_norm(Tensor self, bool keepdim=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, keepdim }) =>
      emit("aten.linalg_matrix_norm.str_ord", [self, "nuc", [-2, -1], keepdim]),
  }),
  defineOp({
    schema: "aten::nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, dim, keepdim }) =>
      emit("aten.linalg_matrix_norm.str_ord", [self, "nuc", dim, keepdim]),
  }),
  defineOp({
    schema: "aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, dim, keepdim }) => {
      if (dim.length > 2) {
        throw invalidArgument(`Expected at most 2 dimensions, but got ${dim.length} dimensions instead.`);
      }
      return emit("aten.norm.ScalarOpt_dim", [self, float(2), dim, keepdim]);
    },
  }),
];

/** Norms of matrices. */
export const matrixNormOps: readonly OpDefinition[] = [
  linalgNorm,
  linalgNormNamed,
  matrixNormNamed,
  matrixNorm,
  ...olderNorms,
];
