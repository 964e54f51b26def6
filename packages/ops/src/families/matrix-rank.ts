/** @file Rank, condition number and pseudoinverse of a matrix, from its singular values. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { dtypeInfo, isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual } from "../rules/comparison.js";
import { convert, numberOf } from "../rules/decompose.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { broadcastShapes } from "../rules/dims.js";
import { fake, numelOf } from "../rules/fake.js";
import { requireMatrices } from "../rules/matrix.js";
import type { ScalarArg } from "../schema/schema-types.js";

/** Returns the usual relative tolerance: rounding error times the longer side (`_get_epsilon`). */
function usualTolerance(self: FakeTensor): number {
  const { kind, itemSize, lanes } = dtypeInfo(self.dtype);
  const size = itemSize / lanes;
  if ((kind !== "float" && kind !== "complex") || size < 4) {
    throw dtypeMismatch("This function doesn't handle types other than float and double");
  }
  return (size === 8 ? 2 ** -52 : 2 ** -23) * Math.max(...self.shape.slice(-2).map(Number));
}

const doubles = (self: FakeTensor) => ({
  dtype: "float64" as const,
  layout: self.layout,
  device: self.device,
});
const filled = (emit: Emit, self: FakeTensor, value: number): FakeTensor =>
  emit("aten.full.default", [[], float(value)], doubles(self));

/** Returns an absolute and a relative tolerance as numbers (`get_atol_rtol`). */
function numberTolerances(
  emit: Emit,
  self: FakeTensor,
  atol: number | null,
  rtol: number | null,
): readonly [FakeTensor, FakeTensor] {
  const absolute = atol ?? 0;
  const relative = rtol ?? (absolute > 0 ? 0 : usualTolerance(self));
  const first = filled(emit, self, absolute);
  return [first, filled(emit, self, relative)];
}

function tensorTolerances(
  emit: Emit,
  self: FakeTensor,
  atol: FakeTensor | null,
  rtol: FakeTensor | null,
): readonly [FakeTensor, FakeTensor] {
  const absolute = atol ?? emit("aten.zeros.default", [[]], doubles(self));
  if (rtol !== null) return [absolute, rtol];
  const usual = filled(emit, self, usualTolerance(self));
  if (atol === null) return [absolute, usual];
  const none = emit("aten.zeros.default", [[]], doubles(self));
  return [absolute, emit("aten.where.self", [emit("aten.gt.Scalar", [atol, 0]), none, usual])];
}

const numberOrNull = (value: number | null): number | null => (value === null ? null : numberOf(value));

function requireReal(name: string, argument: string, tensor: FakeTensor | null): void {
  if (tensor === null || !isComplexDType(tensor.dtype)) return;
  throw dtypeMismatch(`${name}: ${argument} tensor of complex type is not supported. Got ${tensor.dtype}`);
}

const pinvParts = defineOp({
  schema:
    "aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
  meta: ({ self, atol, rtol, hermitian }, { env }) => {
    const { kind, itemSize, lanes } = dtypeInfo(self.dtype);
    if (self.ndim < 2 || (kind !== "float" && kind !== "complex") || itemSize / lanes < 4) {
      throw dtypeMismatch(
        `linalg.pinv(${self.dtype}{${describeSizes(self.shape)}}): expected a tensor with 2 or more dimensions of float, ` +
          "double, cfloat or cdouble types",
      );
    }
    requireReal("torch.linalg.pinv", "atol", atol);
    requireReal("torch.linalg.pinv", "rtol", rtol);
    const [rows, columns] = self.shape.slice(-2) as [IntLike, IntLike];
    if (hermitian && !isEqual(env, rows, columns)) {
      throw shapeMismatch(
        `linalg.eigh: A must be batches of square matrices, but they are ${describeSize(rows)} by ${describeSize(columns)} matrices`,
      );
    }
    const batch = broadcastShapes(env, self.shape.slice(0, -2), atol?.shape ?? [], rtol?.shape ?? []);
    return fake({ dtype: self.dtype, shape: [...batch, columns, rows], like: self });
  },
  kernelCalls: (emit, { self, atol, rtol, hermitian }) => {
    if (isEqual(emit.env, numelOf(self.shape), 0)) return undefined;
    const tolerances = tensorTolerances(emit, self, atol, rtol);
    const adjoint = (x: FakeTensor): FakeTensor => emit("aten.mH.default", [x]);
    const scaled = (vectors: FakeTensor, values: FakeTensor, sizes: FakeTensor): FakeTensor => {
      const inverse = reciprocals(emit, values, sizes, tolerances);
      const factors = convert(emit, emit("aten.unsqueeze.default", [inverse, -2]), self.dtype);
      return emit("aten.mul.Tensor", [vectors, factors]);
    };
    if (hermitian) {
      const [values, vectors] = emit.many("aten.linalg_eigh.default", [self]);
      const sizes = emit("aten.abs.default", [values!]);
      return emit("aten.matmul.default", [scaled(vectors!, values!, sizes), adjoint(vectors!)]);
    }
    const [left, values, right] = emit.many("aten.linalg_svd.default", [self, false]);
    return emit("aten.matmul.default", [scaled(adjoint(right!), values!, values!), adjoint(left!)]);
  },
});

/** Returns the reciprocals of the values whose sizes are above both tolerances; 0 for others. */
function reciprocals(
  emit: Emit,
  values: FakeTensor,
  sizes: FakeTensor,
  [atol, rtol]: readonly [FakeTensor, FakeTensor],
): FakeTensor {
  const largest = emit("aten.amax.default", [sizes, [-1], true]);
  const column = (x: FakeTensor): FakeTensor => emit("aten.unsqueeze.default", [x, -1]);
  const relative = emit("aten.mul.Tensor", [column(rtol), largest]);
  const least = emit("aten.maximum.default", [column(atol), relative]);
  const zero = emit("aten.zeros.default", [[]], { dtype: values.dtype });
  const isKept = emit("aten.gt.Tensor", [sizes, least]);
  return emit("aten.where.self", [isKept, emit("aten.reciprocal.default", [values]), zero]);
}

const inverted = (
  emit: Emit,
  self: FakeTensor,
  [atol, rtol]: readonly [FakeTensor, FakeTensor],
  hermitian: boolean,
): FakeTensor => emit("aten.linalg_pinv.atol_rtol_tensor", [self], { atol, rtol, hermitian });

const pinvOps = [
  defineOp({
    schema:
      "aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, atol, rtol, hermitian }) => {
      if (self.ndim < 2)
        throw shapeMismatch("Dimension out of range (expected to be in range of [-1, 0], but got -2)");
      return inverted(
        emit,
        self,
        numberTolerances(emit, self, numberOrNull(atol), numberOrNull(rtol)),
        hermitian,
      );
    },
  }),
  defineOp({
    schema: "aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, rcond, hermitian }) =>
      inverted(emit, self, numberTolerances(emit, self, 0, numberOf(rcond)), hermitian),
  }),
  defineOp({
    schema: "aten::linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, rcond, hermitian }) =>
      inverted(emit, self, tensorTolerances(emit, self, null, rcond), hermitian),
  }),
  defineOp({
    schema: "aten::pinverse(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, rcond }) =>
      inverted(emit, self, numberTolerances(emit, self, 0, numberOf(rcond)), false),
  }),
];

/** Counts the values above both tolerances (`matrix_rank_impl`). */
function rankOf(
  emit: Emit,
  self: FakeTensor,
  tolerances: () => readonly [FakeTensor, FakeTensor],
  hermitian: boolean,
): FakeTensor {
  requireMatrices("torch.linalg.matrix_rank", self, "input");
  const { layout, device } = self;
  const batch = self.shape.slice(0, -2);
  const out = emit("aten.empty.memory_format", [batch], { dtype: "int64", layout, device });
  const [atol, rtol] = tolerances();
  if (self.shape.includes(0)) return emit("aten.fill.Scalar", [out, 0]);
  const [values, largest] = hermitian ? hermitianSizes(emit, self) : singularSizes(emit, self);
  const scaled = emit("aten.mul.Tensor", [emit("aten.unsqueeze.default", [rtol, -1]), largest]);
  const least = emit("aten.maximum.default", [emit("aten.unsqueeze.default", [atol, -1]), scaled]);
  return emit("aten.sum.dim_IntList", [emit("aten.gt.Tensor", [values, least]), [-1]]);
}

function singularSizes(emit: Emit, self: FakeTensor): readonly [FakeTensor, FakeTensor] {
  const values = emit("aten.linalg_svdvals.default", [self]);
  return [values, emit("aten.narrow.default", [values, -1, 0, 1])];
}

function hermitianSizes(emit: Emit, self: FakeTensor): readonly [FakeTensor, FakeTensor] {
  const values = emit("aten.abs.default", [emit("aten.linalg_eigvalsh.default", [self])]);
  return [values, emit("aten.amax.default", [values, [-1], true])];
}

const rankOps = [
  defineOp({
    schema: "aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, tol, hermitian }) =>
      rankOf(emit, self, () => numberTolerances(emit, self, numberOf(tol), 0), hermitian),
  }),
  defineOp({
    schema:
      "aten::linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { self, atol, rtol, hermitian }) =>
      rankOf(
        emit,
        self,
        () => numberTolerances(emit, self, numberOrNull(atol), numberOrNull(rtol)),
        hermitian,
      ),
  }),
  defineOp({
    schema:
      "aten::linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { input, atol, rtol, hermitian }) => {
      requireReal("torch.linalg.matrix_rank", "atol", atol);
      requireReal("torch.linalg.matrix_rank", "rtol", rtol);
      return rankOf(emit, input, () => tensorTolerances(emit, input, atol, rtol), hermitian);
    },
  }),
  defineOp({
    schema: "aten::linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { input, tol, hermitian }) => {
      requireReal("torch.linalg.matrix_rank", "atol", tol);
      const none = (): FakeTensor =>
        emit("aten.zeros.default", [[]], { dtype: tol.dtype, layout: tol.layout, device: tol.device });
      return rankOf(emit, input, () => [tol, none()], hermitian);
    },
  }),
];

/** Norm of the matrix times norm of its inverse; infinite for singular ones. */
function conditionByInverse(
  emit: Emit,
  self: FakeTensor,
  norm: (matrix: FakeTensor) => FakeTensor,
): FakeTensor {
  const [inverse, info] = emit.many("aten.linalg_inv_ex.default", [self]);
  const deep = emit("aten.unsqueeze.default", [emit("aten.unsqueeze.default", [info!, -1]), -1]);
  const singular = emit("aten.gt.Scalar", [deep, 0]);
  const known = emit("aten.masked_fill.Scalar", [inverse!, singular, float(Number.POSITIVE_INFINITY)]);
  const own = norm(self);
  const product = emit("aten.mul.Tensor", [own, norm(known)]);
  const infinite = float(Number.POSITIVE_INFINITY);
  return emit("aten.nan_to_num.default", [product, infinite, infinite, float(Number.NEGATIVE_INFINITY)]);
}

/** `linalg_cond` of no elements is zero. */
const emptyCondition = (emit: Emit, self: FakeTensor): FakeTensor => {
  const { layout, device } = self;
  const dtype = self.dtype === "complex64" ? "float32" : self.dtype === "complex128" ? "float64" : self.dtype;
  return emit("aten.zeros.default", [self.shape.slice(0, -2)], { dtype, layout, device });
};

function requireSquareFor(name: string, self: FakeTensor, emit: Emit): void {
  const [rows, columns] = self.shape.slice(-2) as [IntLike, IntLike];
  if (isEqual(emit.env, rows, columns)) return;
  throw shapeMismatch(
    `linalg.cond(ord=${name}): A must be batches of square matrices, but they are ${describeSize(rows)} by ` +
      `${describeSize(columns)} matrices`,
  );
}

const requireCondition = (self: FakeTensor): void => {
  if (self.ndim < 2) throw shapeMismatch("linalg.cond: The input tensor must have at least 2 dimensions.");
};

const cond = defineOp({
  schema: "aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, p }) => {
    requireCondition(self);
    const order = p === null ? 2 : numberOf(p);
    if (![1, 2].includes(Math.abs(order)) && Number.isFinite(order)) {
      throw invalidArgument(`linalg.cond got an invalid norm type: ${order}`);
    }
    if (self.shape.includes(0)) return emptyCondition(emit, self);
    if (Math.abs(order) === 2) return conditionByValues(emit, self, order);
    requireSquareFor(String(order).replace("Infinity", "inf"), self, emit);
    return conditionByInverse(emit, self, (matrix) =>
      emit("aten.linalg_matrix_norm.default", [matrix, p as ScalarArg]),
    );
  },
});

function conditionByValues(emit: Emit, self: FakeTensor, order: number): FakeTensor {
  const values = emit("aten.linalg_svdvals.default", [self]);
  const largest = emit("aten.narrow.default", [values, -1, 0, 1]);
  const least = emit("aten.narrow.default", [values, -1, -1, 1]);
  const ratio = order > 0 ? [largest, least] : [least, largest];
  return emit("aten.squeeze.dim", [emit("aten.div.Tensor", ratio), -1]);
}

const condNamed = defineOp({
  schema: "aten::linalg_cond.p_str(Tensor self, str p) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, p }) => {
    requireCondition(self);
    if (p !== "fro" && p !== "nuc") throw invalidArgument(`linalg.cond got an invalid norm type: ${p}`);
    if (self.shape.includes(0)) return emptyCondition(emit, self);
    requireSquareFor(p, self, emit);
    if (p === "fro") {
      return conditionByInverse(emit, self, (matrix) => emit("aten.linalg_matrix_norm.str_ord", [matrix, p]));
    }
    // The inverse has the inverse singular values.
    const values = emit("aten.linalg_svdvals.default", [self]);
    const inverse = emit("aten.sum.dim_IntList", [emit("aten.reciprocal.default", [values]), [-1]]);
    return emit("aten.mul.Tensor", [emit("aten.sum.dim_IntList", [values, [-1]]), inverse]);
  },
});

/** Ranks, conditions and pseudoinverses. */
export const matrixRankOps: readonly OpDefinition[] = [pinvParts, ...pinvOps, ...rankOps, cond, condNamed];
