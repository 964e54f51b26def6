/** @file Norms of vectors, and what is defined by them. */
import { type FakeTensor, type IntLike, float as pythonFloat } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { type DType, isComplexDType, promoteTypes } from "@sconce/tensor";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { convert, numberOf } from "../rules/decompose.js";
import { reducedByReference, requireElements, requireFloat } from "../rules/dim-reduction.js";
import { wrapDim, wrapDims } from "../rules/dims.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { elementwise } from "../rules/elementwise.js";
import { numelOf, rowMajorLike } from "../rules/fake.js";
import { computationDType, toRealDType } from "../rules/promote.js";
import type { ScalarArg } from "../schema/schema-types.js";

const REDUCTION: readonly OpTag[] = ["reduction"];
type Dims = readonly IntLike[] | null;

function normMeta(
  env: SymEnv,
  self: FakeTensor,
  ord: number,
  dim: Dims,
  keepdim: boolean,
  dtype: DType | null,
): FakeTensor {
  requireFloat(
    self.dtype,
    `linalg.vector_norm: Expected a floating point or complex tensor as input. Got ${self.dtype}`,
  );
  checkNormDType(self.dtype, dtype);
  if (ord < 0 || ord === Number.POSITIVE_INFINITY) requireElements(self, dim, "linalg.vector_norm");
  return reducedByReference(env, self, dim, keepdim, toRealDType(dtype ?? self.dtype));
}

function checkNormDType(input: DType, dtype: DType | null): void {
  if (dtype === null) return;
  requireFloat(dtype, `linalg.vector_norm: dtype should be floating point or complex. Got ${dtype}`);
  const kind = isComplexDType(input) ? "complex" : "real";
  if (isComplexDType(input) !== isComplexDType(dtype)) {
    throw dtypeMismatch(
      `linalg.vector_norm: dtype should be ${kind} for ${kind} inputs, but got ${scalarTypeName(dtype)}`,
    );
  }
  if (promoteTypes(input, dtype) !== dtype) {
    throw dtypeMismatch(
      `linalg.vector_norm: the dtype of the input (${scalarTypeName(input)}) should be convertible without narrowing ` +
        `to the specified dtype (${scalarTypeName(dtype)})`,
    );
  }
}

interface NormArgs {
  readonly self: FakeTensor;
  readonly ord: ScalarArg;
  readonly dim: Dims;
  readonly keepdim: boolean;
  readonly dtype: DType | null;
}

function vectorNorm(emit: Emit, { self, ord, dim, keepdim, dtype }: NormArgs): FakeTensor {
  const order = numberOf(ord);
  const target = dtype ?? self.dtype;
  const result = toRealDType(target);
  if (order === 0) {
    return emit("aten.sum.dim_IntList", [emit("aten.ne.Scalar", [self, pythonFloat(0)]), dim, keepdim], {
      dtype: result,
    });
  }
  if (!Number.isFinite(order)) {
    const extremum = order > 0 ? "aten.amax.default" : "aten.amin.default";
    return convert(emit, emit(extremum, [emit("aten.abs.default", [self]), dim ?? [], keepdim]), result);
  }
  const input = convert(emit, self, computationDType(target));
  const dims = dim === null || dim.length === 0 ? null : dim.map((d) => wrapDim(d, self.ndim));
  if (reducesNothing(input, dims)) return convert(emit, magnitude(emit, input, dims, keepdim), result);
  const even = order % 2 === 0 && !isComplexDType(input.dtype);
  const base = even ? input : emit("aten.abs.default", [input]);
  const sum = emit("aten.sum.dim_IntList", [emit("aten.pow.Tensor_Scalar", [base, ord]), dims, keepdim]);
  return convert(emit, emit("aten.pow.Tensor_Scalar", [sum, pythonFloat(1 / order)]), result);
}

/**
 * Returns whether every reduced dimension has one element, so that the norm is the absolute value.
 */
const reducesNothing = (self: FakeTensor, dims: readonly number[] | null): boolean =>
  dims === null ? numelOf(self.shape) === 1 : self.ndim > 0 && dims.every((d) => self.shape[d] === 1);

function magnitude(
  emit: Emit,
  self: FakeTensor,
  dims: readonly number[] | null,
  keepdim: boolean,
): FakeTensor {
  const size = emit("aten.abs.default", [self]);
  if (keepdim || self.ndim === 0) return emit("aten.contiguous.default", [size]);
  if (dims === null) return emit("aten.select.int", [emit("aten.flatten.using_ints", [size]), 0, 0]);
  const shape = self.shape.filter((_, d) => !dims.includes(d));
  return emit("aten.contiguous.default", [emit("aten.view.default", [size, shape])]);
}

const vectorNormOp = defineOp({
  schema:
    "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  tags: REDUCTION,
  meta: ({ self, ord, dim, keepdim, dtype }, { env }) =>
    normMeta(env, self, numberOf(ord), dim, keepdim, dtype),
  decompose: vectorNorm,
});

const powerSum = defineOp({
  schema:
    "aten::linalg__powsum(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  doc: "The sum of powers of absolute values: a vector norm without its root.",
  tags: ["reduction", "not_in_default_table"],
  decompose: (emit, { self, ord, dim, keepdim, dtype }) => {
    requireFloat(self.dtype, `"powsum_cpu" not implemented for '${scalarTypeName(self.dtype)}'`);
    const target = dtype ?? self.dtype;
    const size = emit("aten.abs.default", [convert(emit, self, computationDType(target))]);
    const powers = emit("aten.pow.Tensor_Scalar", [size, ord]);
    return convert(emit, emit("aten.sum.dim_IntList", [powers, dim, keepdim]), toRealDType(target));
  },
});

/** `p` of the older `norm`; None is the Frobenius norm, and 2 is what the dispatcher leaves out. */
const normOf = (
  emit: Emit,
  self: FakeTensor,
  p: ScalarArg | null,
  dim: Dims,
  keepdim: boolean,
  dtype: DType | null,
) => emit("aten.linalg_vector_norm.default", [self, p ?? 2, dim, keepdim], { dtype });

const olderNorms = [
  defineOp({
    schema: "aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
    tags: REDUCTION,
    meta: ({ self, p }, { env }) => normMeta(env, self, numberOf(p), null, false, null),
    decompose: (emit, { self, p }) => normOf(emit, self, p, null, false, null),
  }),
  defineOp({
    schema: "aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
    tags: REDUCTION,
    meta: ({ self, p, dim, keepdim }, { env }) =>
      normMeta(env, self, p === null ? 2 : numberOf(p), dim, keepdim, null),
    decompose: (emit, { self, p, dim, keepdim }) => normOf(emit, self, p, dim, keepdim, null),
  }),
  defineOp({
    schema:
      "aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor",
    tags: REDUCTION,
    meta: ({ self, p, dim, keepdim, dtype }, { env }) =>
      normMeta(env, self, p === null ? 2 : numberOf(p), dim, keepdim, dtype),
    decompose: (emit, { self, p, dim, keepdim, dtype }) => normOf(emit, self, p, dim, keepdim, dtype),
  }),
  defineOp({
    schema: "aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor",
    tags: REDUCTION,
    meta: ({ self, p, dtype }, { env }) =>
      normMeta(env, self, p === null ? 2 : numberOf(p), null, false, dtype),
    decompose: (emit, { self, p, dtype }) => normOf(emit, self, p, null, false, dtype),
  }),
];

const dist = defineOp({
  schema: "aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
  meta: ({ self, other, p }, context) => {
    const difference = elementwise(context, [self, other], { isFast: true });
    return normMeta(context.env, difference, numberOf(p), null, false, null);
  },
});

/** PyTorch leaves this primitive in the graph; beside complex numbers the factor stays real. */
const narrowed = (emit: Emit, factor: FakeTensor, dtype: DType): FakeTensor =>
  factor.dtype === dtype || isComplexDType(dtype)
    ? factor
    : emit("prims.convert_element_type.default", [factor, dtype]);

const renorm = defineOp({
  schema: "aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor",
  meta: ({ self, p, dim, maxnorm }) => {
    if (!(numberOf(p) > 0)) throw invalidArgument("renorm: non-positive norm not supported");
    if (!(numberOf(maxnorm) >= 0)) {
      throw invalidArgument(`renorm: expected maxnorm to be >= 0 but got ${numberOf(maxnorm)}`);
    }
    if (self.ndim < 2) {
      throw invalidArgument(`renorm: input needs at least 2 dimensions, got ${self.ndim} dimensions`);
    }
    wrapDim(dim, self.ndim);
    return rowMajorLike(self);
  },
  decompose: (emit, { self, p, dim, maxnorm }) => {
    const kept = wrapDim(dim, self.ndim);
    const dims = wrapDims(null, self.ndim).filter((d) => d !== kept);
    const inner = computationDType(self.dtype);
    const norm = emit("aten.linalg_vector_norm.default", [self, p, dims, true], {
      dtype: inner === self.dtype ? undefined : inner,
    });
    const over = emit("aten.gt.Scalar", [norm, maxnorm]);
    const inverse = emit("aten.reciprocal.default", [emit("aten.add.Tensor", [norm, 1e-7])]);
    const scale = emit("aten.mul.Tensor", [inverse, maxnorm]);
    const factor = emit("aten.where.ScalarOther", [over, scale, pythonFloat(1)]);
    return emit("aten.contiguous.default", [
      emit("aten.mul.Tensor", [self, narrowed(emit, factor, self.dtype)]),
    ]);
  },
});

export const normOps: readonly OpDefinition[] = [vectorNormOp, powerSum, ...olderNorms, dist, renorm];
