/** @file Sums, products, extrema and truth values over dimensions. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { type BoolLike, gt, ne, type SymEnv } from "@sconce/symbolic";
import { type DType, isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { promoted } from "../rules/decompose.js";
import { describeSizes } from "../rules/describe.js";
import {
  reduced,
  reducedByReference,
  reducedShape,
  requireElements,
  requireFloat,
} from "../rules/dim-reduction.js";
import { wrapDim } from "../rules/dims.js";
import { fake, hasNoElements, numelOf } from "../rules/fake.js";
import { toFloatDType, toSumDType } from "../rules/promote.js";

const REDUCTION: readonly OpTag[] = ["reduction"];
const CORE: readonly OpTag[] = ["core", "reduction"];

/** Returns whether a condition holds; true when only the data decide it. */
const mayHold = (env: SymEnv, condition: BoolLike): boolean =>
  typeof condition === "boolean" ? condition : env.orTrue(condition);

const sumOps = [
  defineOp({
    schema: "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    tags: REDUCTION,
    meta: ({ self, dtype }) => reduced(self, null, false, dtype ?? toSumDType(self.dtype)),
    decompose: (emit, { self, dtype }) => emit("aten.sum.dim_IntList", [self, []], { dtype }),
  }),
  defineOp({
    schema:
      "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    tags: CORE,
    meta: ({ self, dim, keepdim, dtype }, { env }) =>
      reducedByReference(env, self, dim, keepdim, dtype ?? toSumDType(self.dtype)),
  }),
  defineOp({
    schema:
      "aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    tags: REDUCTION,
    meta: ({ self, dim, keepdim, dtype }) => {
      if (isComplexDType(self.dtype)) throw dtypeMismatch("nansum on CPU does not support complex inputs");
      return reduced(self, dim, keepdim, dtype ?? toSumDType(self.dtype));
    },
    decompose: (emit, { self, dim, keepdim, dtype }) => {
      const kept = emit("aten.where.ScalarSelf", [emit("aten.isnan.default", [self]), 0, self]);
      return emit("aten.sum.dim_IntList", [kept, dim, keepdim], { dtype });
    },
  }),
  defineOp({
    schema: "aten::sum_to_size(Tensor self, SymInt[] size) -> Tensor",
    tags: ["composite"],
    decompose: sumToSize,
  }),
];

/** Leading dimensions and those that were broadcast from size 1. */
function sumToSizeDims(env: SymEnv, self: FakeTensor, size: readonly IntLike[]): readonly number[] {
  const lead = self.ndim - size.length;
  const differ = (a: IntLike, b: IntLike): boolean => a !== b && env.guard(ne(a, b));
  const fits = lead >= 0 && !size.some((want, d) => differ(want, self.shape[d + lead]!) && differ(want, 1));
  if (!fits) {
    throw shapeMismatch(
      `size {${describeSizes(size)}} is not expandable to size {${describeSizes(self.shape)}}.`,
    );
  }
  return self.shape.flatMap((own, d) =>
    d < lead || (differ(size[d - lead]!, own) && !differ(size[d - lead]!, 1)) ? [d] : [],
  );
}

/** Sums leading dimensions and those that were broadcast from size 1. */
function sumToSize(
  emit: Emit,
  { self, size }: { readonly self: FakeTensor; readonly size: readonly IntLike[] },
): FakeTensor {
  const dims = sumToSizeDims(emit.env, self, size);
  if (size.length === 0) return emit("aten.sum.default", [self]);
  const lead = self.ndim - size.length;
  const summed = dims.length > 0 ? emit("aten.sum.dim_IntList", [self, dims, true]) : self;
  return lead > 0 ? emit("aten.view.default", [summed, size]) : summed;
}

const MEAN_KINDS =
  "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got:";

function meanDType(input: DType, dtype: DType | null): DType {
  requireFloat(dtype ?? input, `${MEAN_KINDS} ${dtype ?? input}`);
  return dtype ?? input;
}

const meanOps = [
  defineOp({
    schema: "aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    tags: CORE,
    meta: ({ self, dtype }) => reduced(self, null, false, meanDType(self.dtype, dtype)),
  }),
  defineOp({
    schema:
      "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    tags: CORE,
    meta: ({ self, dim, keepdim, dtype }, { env }) =>
      reducedByReference(env, self, dim, keepdim, meanDType(self.dtype, dtype)),
  }),
  defineOp({
    schema:
      "aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    tags: ["composite"],
    meta: ({ self, dim, keepdim, dtype }) => {
      requireFloat(
        self.dtype,
        `nanmean(): expected input to have floating point or complex dtype but got ${self.dtype}`,
      );
      return reduced(self, dim, keepdim, dtype ?? self.dtype);
    },
    decompose: (emit, { self, dim, keepdim, dtype }) => {
      const plain = emit("aten.detach.default", [self]);
      const counted = emit("aten.logical_not.default", [emit("aten.ne.Tensor", [plain, plain])]);
      const count = emit("aten.sum.dim_IntList", [counted, dim, keepdim]);
      return emit("aten.div.Tensor", [emit("aten.nansum.default", [self, dim, keepdim], { dtype }), count]);
    },
  }),
];

const prodOps = [
  defineOp({
    schema: "aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    tags: CORE,
    meta: ({ self, dtype }) => reduced(self, null, false, dtype ?? toSumDType(self.dtype)),
  }),
  defineOp({
    schema:
      "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    tags: CORE,
    meta: ({ self, dim, keepdim, dtype }, { env }) =>
      reducedByReference(env, self, [dim], keepdim, dtype ?? toSumDType(self.dtype)),
  }),
];

type ExtremumSchema = "aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor";
const extremum = (name: "amax" | "amin"): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor` as ExtremumSchema,
    tags: CORE,
    meta: ({ self, dim, keepdim }, { env }) => {
      requireElements(self, dim, name, (size) => env.check(gt(size, 0)));
      return reducedByReference(env, self, dim, keepdim);
    },
  });

const aminmax = defineOp({
  schema: "aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
  tags: REDUCTION,
  meta: ({ self, dim, keepdim }, { env }) => {
    const dims = dim === null ? null : [dim];
    requireElements(self, dims, "aminmax", (size) => mayHold(env, gt(size, 0)));
    return [reducedByReference(env, self, dims, keepdim), reduced(self, dims, keepdim)];
  },
  decompose: (emit, { self, dim, keepdim }) =>
    ["aten.amin.default", "aten.amax.default"].map((target) =>
      emit(target, [self, dim === null ? [] : [dim], keepdim]),
    ),
});

/** The form of `aminmax` before it had its name. */
const olderAminmax: readonly OpDefinition[] = [
  defineOp({
    schema: "aten::_aminmax(Tensor self) -> (Tensor, Tensor)",
    tags: ["not_in_default_table"],
    decompose: (emit, { self }) => emit.many("aten.aminmax.default", [self]),
  }),
  defineOp({
    schema: "aten::_aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)",
    tags: ["not_in_default_table"],
    decompose: (emit, { self, dim, keepdim }) => emit.many("aten.aminmax.default", [self], { dim, keepdim }),
  }),
];

const hashTensor = defineOp({
  schema: "aten::hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor",
  doc: "The exclusive or of the bits of all elements, as float64 or int64.",
  tags: REDUCTION,
  meta: ({ self, dim, keepdim, mode }) => {
    if (mode !== 0) throw invalidArgument(`Unknown hash_tensor mode: ${String(mode)}`);
    requireElements(self, dim.length === 0 ? null : dim, "hash_tensor");
    return reduced(self, dim, keepdim, "uint64");
  },
});

/** `any` and `all` of uint8 give uint8. */
const truth = (dtype: DType): DType => (dtype === "uint8" ? "uint8" : "bool");

/** `all` is `not any not`; an empty list of dimensions reduces nothing. */
function allOf(emit: Emit, self: FakeTensor, any: (inverted: FakeTensor) => FakeTensor): FakeTensor {
  const result = emit("aten.logical_not.default", [any(emit("aten.logical_not.default", [self]))]);
  return self.dtype === "uint8" ? emit("aten._to_copy.default", [result], { dtype: "uint8" }) : result;
}

const truthDims = (self: FakeTensor, dim: readonly IntLike[] | null, keepdim: boolean): FakeTensor =>
  dim !== null && dim.length === 0
    ? fake({ dtype: truth(self.dtype), shape: self.shape, like: self })
    : reduced(self, dim, keepdim, truth(self.dtype));

type AnySchema = "aten::any(Tensor self) -> Tensor";
type AnyDimSchema = "aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor";
type AnyDimsSchema = "aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor";

const truthOps = (["any", "all"] as const).flatMap((name) => {
  const tags = name === "any" ? CORE : REDUCTION;
  return [
    defineOp({
      schema: `aten::${name}(Tensor self) -> Tensor` as AnySchema,
      tags,
      meta: ({ self }) => reduced(self, null, false, truth(self.dtype)),
      ...(name === "all" && {
        decompose: (emit: Emit, { self }: { readonly self: FakeTensor }) =>
          allOf(emit, self, (inverted) => emit("aten.any.dims", [inverted])),
      }),
    }),
    defineOp({
      schema: `aten::${name}.dim(Tensor self, int dim, bool keepdim=False) -> Tensor` as AnyDimSchema,
      tags,
      meta: ({ self, dim, keepdim }) => reduced(self, [dim], keepdim, truth(self.dtype)),
      ...(name === "all" && {
        decompose: (
          emit: Emit,
          args: { readonly self: FakeTensor; readonly dim: IntLike; readonly keepdim: boolean },
        ) => allOf(emit, args.self, (inverted) => emit("aten.any.dim", [inverted, args.dim, args.keepdim])),
      }),
    }),
    defineOp({
      schema:
        `aten::${name}.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor` as AnyDimsSchema,
      tags,
      meta: ({ self, dim, keepdim }) => truthDims(self, dim, keepdim),
      ...(name === "all" && {
        decompose: (
          emit: Emit,
          args: {
            readonly self: FakeTensor;
            readonly dim: readonly IntLike[] | null;
            readonly keepdim: boolean;
          },
        ) => allOf(emit, args.self, (inverted) => emit("aten.any.dims", [inverted, args.dim, args.keepdim])),
      }),
    }),
  ];
});

type ArgSchema = "aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor";
const argExtremum = (name: "argmax" | "argmin"): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor self, int? dim=None, bool keepdim=False) -> Tensor` as ArgSchema,
    tags: CORE,
    meta: ({ self, dim, keepdim }, { env }) => {
      const dims = dim === null ? null : [dim];
      requireElements(self, dims, name, (size) => env.check(ne(size, 0)));
      return reduced(self, dims, keepdim, "int64");
    },
  });

type WholeSchema = "aten::max(Tensor self) -> Tensor";
type ValuesSchema =
  "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)";

const extremumOps = (["max", "min"] as const).flatMap((name) => [
  defineOp({
    schema: `aten::${name}(Tensor self) -> Tensor` as WholeSchema,
    tags: REDUCTION,
    meta: ({ self }) => {
      if (numelOf(self.shape) === 0) requireElements(self, null, name);
      return reduced(self, null, false);
    },
  }),
  defineOp({
    schema:
      `aten::${name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)` as ValuesSchema,
    tags: CORE,
    meta: ({ self, dim, keepdim }) => {
      requireElements(self, [dim], name);
      const shape = reducedShape(self.shape, [wrapDim(dim, self.ndim)], keepdim);
      return [fake({ dtype: self.dtype, shape, like: self }), fake({ dtype: "int64", shape, like: self })];
    },
  }),
]);

const countOps = [
  defineOp({
    schema: "aten::count_nonzero(Tensor self, int? dim=None) -> Tensor",
    tags: REDUCTION,
    meta: ({ self, dim }) => reduced(self, dim === null ? null : [dim], false, "int64"),
    decompose: (emit, { self, dim }) =>
      emit("aten.sum.dim_IntList", [emit("aten.ne.Scalar", [self, 0]), dim === null ? null : [dim]]),
  }),
  defineOp({
    schema: "aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
    tags: REDUCTION,
    meta: ({ self, dim }) => reduced(self, dim, false, "int64"),
    decompose: (emit, { self, dim }) =>
      emit("aten.sum.dim_IntList", [emit("aten.ne.Scalar", [self, 0]), dim]),
  }),
];

const logsumexp = defineOp({
  schema: "aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
  tags: REDUCTION,
  meta: ({ self, dim, keepdim }, { env }) => {
    hasNoElements(env, self);
    return reduced(self, dim, keepdim, toFloatDType(self.dtype));
  },
  decompose: (emit, { self, dim, keepdim }) =>
    promoted(emit, "int-to-float", [self], (x) => {
      if (numelOf(x.shape) === 0) {
        return emit("aten.log.default", [
          emit("aten.sum.dim_IntList", [emit("aten.exp.default", [x]), dim, keepdim]),
        ]);
      }
      // Complex numbers have no order: their real parts decide.
      const ordered = isComplexDType(x.dtype) ? emit("aten.real.default", [x]) : x;
      const maxes = emit("aten.amax.default", [ordered, dim, true]);
      const unbounded = emit("aten.eq.Scalar", [emit("aten.abs.default", [maxes]), Number.POSITIVE_INFINITY]);
      const shift = emit("aten.masked_fill.Scalar", [maxes, unbounded, 0]);
      const offset = keepdim ? shift : emit("aten.squeeze.dims", [shift, dim]);
      const exps = emit("aten.exp.default", [emit("aten.sub.Tensor", [x, shift])]);
      const log = emit("aten.log.default", [emit("aten.sum.dim_IntList", [exps, dim, keepdim])]);
      return emit("aten.add.Tensor", [log, offset]);
    }),
});

export const reductionOps: readonly OpDefinition[] = [
  ...sumOps,
  ...meanOps,
  ...prodOps,
  extremum("amax"),
  extremum("amin"),
  aminmax,
  ...olderAminmax,
  hashTensor,
  ...truthOps,
  argExtremum("argmax"),
  argExtremum("argmin"),
  ...extremumOps,
  ...countOps,
  logsumexp,
];
