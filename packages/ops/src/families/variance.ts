/** @file Variance and standard deviation. */
import { type FakeTensor, type IntLike, float as pythonFloat } from "@sconce/ir";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { convert, numberOf } from "../rules/decompose.js";
import { reduced, reducedByReference } from "../rules/dim-reduction.js";
import { computationDType, toRealDType } from "../rules/promote.js";
import type { ScalarArg } from "../schema/schema-types.js";

const REDUCTION: readonly OpTag[] = ["reduction"];
const COMPOSITE: readonly OpTag[] = ["composite", "reduction"];
type Dims = readonly IntLike[] | null;

function spread(self: FakeTensor, dim: Dims, keepdim: boolean): FakeTensor {
  return reduced(self, dim, keepdim, toRealDType(self.dtype));
}

const withMean = (self: FakeTensor, dim: Dims, keepdim: boolean): readonly FakeTensor[] => [
  spread(self, dim, keepdim),
  reduced(self, dim, keepdim),
];

/** PyTorch's Python code hands the correction on as a float. */
const floatCorrection = (correction: ScalarArg | null) =>
  pythonFloat(correction === null ? 1 : numberOf(correction));

function std(
  emit: Emit,
  self: FakeTensor,
  dim: Dims,
  correction: ScalarArg | null,
  keepdim: boolean,
): FakeTensor {
  const input = convert(emit, self, computationDType(self.dtype));
  const variance = emit("aten.var.correction", [input, dim], {
    correction: floatCorrection(correction),
    keepdim,
  });
  return convert(emit, emit("aten.sqrt.default", [variance]), toRealDType(self.dtype));
}

function stdMean(emit: Emit, self: FakeTensor, dim: Dims, correction: ScalarArg | null, keepdim: boolean) {
  const input = convert(emit, self, computationDType(self.dtype));
  const [variance, mean] = emit.many("aten.var_mean.correction", [input, dim], {
    correction: floatCorrection(correction),
    keepdim,
  }) as readonly [FakeTensor, FakeTensor];
  const root = emit("aten.sqrt.default", [variance]);
  return [convert(emit, root, toRealDType(self.dtype)), convert(emit, mean, self.dtype)];
}

const varOps = [
  defineOp({
    schema:
      "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    tags: ["core", "reduction"],
    meta: ({ self, dim, keepdim }, { env }) =>
      reducedByReference(env, self, dim, keepdim, toRealDType(self.dtype)),
  }),
  defineOp({
    schema: "aten::var(Tensor self, bool unbiased=True) -> Tensor",
    tags: COMPOSITE,
    meta: ({ self }) => spread(self, null, false),
    decompose: (emit, { self, unbiased }) =>
      emit("aten.var.correction", [self], { correction: Number(unbiased) }),
  }),
  defineOp({
    schema: "aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
    tags: ["core", ...COMPOSITE],
    meta: ({ self, dim, keepdim }, { env }) =>
      reducedByReference(env, self, dim, keepdim, toRealDType(self.dtype)),
    decompose: (emit, { self, dim, unbiased, keepdim }) =>
      emit("aten.var.correction", [self, dim], { correction: Number(unbiased), keepdim }),
  }),
  defineOp({
    schema:
      "aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    tags: REDUCTION,
    meta: ({ self, dim, keepdim }) => withMean(self, dim, keepdim),
  }),
  defineOp({
    schema: "aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
    tags: COMPOSITE,
    meta: ({ self }) => withMean(self, null, false),
    decompose: (emit, { self, unbiased }) =>
      emit.many("aten.var_mean.correction", [self], { correction: Number(unbiased) }),
  }),
  defineOp({
    schema:
      "aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
    tags: COMPOSITE,
    meta: ({ self, dim, keepdim }) => withMean(self, dim, keepdim),
    decompose: (emit, { self, dim, unbiased, keepdim }) =>
      emit.many("aten.var_mean.correction", [self, dim], { correction: Number(unbiased), keepdim }),
  }),
];

const stdOps = [
  defineOp({
    schema:
      "aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    tags: REDUCTION,
    meta: ({ self, dim, keepdim }, { env }) =>
      reducedByReference(env, self, dim, keepdim, toRealDType(self.dtype)),
    decompose: (emit, { self, dim, correction, keepdim }) => std(emit, self, dim, correction, keepdim),
  }),
  defineOp({
    schema: "aten::std(Tensor self, bool unbiased=True) -> Tensor",
    tags: COMPOSITE,
    meta: ({ self }) => spread(self, null, false),
    decompose: (emit, { self, unbiased }) =>
      emit("aten.std.correction", [self], { correction: Number(unbiased) }),
  }),
  defineOp({
    schema: "aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
    tags: COMPOSITE,
    meta: ({ self, dim, keepdim }, { env }) =>
      reducedByReference(env, self, dim, keepdim, toRealDType(self.dtype)),
    decompose: (emit, { self, dim, unbiased, keepdim }) =>
      emit("aten.std.correction", [self, dim], { correction: Number(unbiased), keepdim }),
  }),
  defineOp({
    schema:
      "aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    tags: REDUCTION,
    meta: ({ self, dim, keepdim }) => withMean(self, dim, keepdim),
    decompose: (emit, { self, dim, correction, keepdim }) => stdMean(emit, self, dim, correction, keepdim),
  }),
  defineOp({
    schema: "aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
    tags: COMPOSITE,
    meta: ({ self }) => withMean(self, null, false),
    decompose: (emit, { self, unbiased }) =>
      emit.many("aten.std_mean.correction", [self], { correction: Number(unbiased) }),
  }),
  defineOp({
    schema:
      "aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
    tags: COMPOSITE,
    meta: ({ self, dim, keepdim }) => withMean(self, dim, keepdim),
    decompose: (emit, { self, dim, unbiased, keepdim }) =>
      emit.many("aten.std_mean.correction", [self, dim], { correction: Number(unbiased), keepdim }),
  }),
];

export const varianceOps: readonly OpDefinition[] = [...varOps, ...stdOps];
