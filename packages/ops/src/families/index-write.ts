/** @file Writing elements by index or by mask into a copy. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, le, ne, neg, type SymEnv, sub } from "@sconce/symbolic";
import { isIntegralDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { dimOutOfRange, dtypeMismatch, invalidArgument, requireWord, shapeMismatch } from "../rows/errors.js";
import { check, isEqual } from "../rules/comparison.js";
import { isIntLiteral } from "../rules/decompose.js";
import { describeSize, describeSizes, placesMismatch } from "../rules/describe.js";
import {
  broadcastOperands,
  broadcastShapes,
  sizeEquals,
  sizesEqual,
  stridesEqual,
  wrapDim,
} from "../rules/dims.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { elementwiseStrides } from "../rules/elementwise.js";
import { fake, isNonOverlappingAndDense, numelOf, rowMajorLike } from "../rules/fake.js";
import { checkIndexAdd, checkVector } from "../rules/index-checks.js";
import { emitNewZeros, toContiguous } from "../rules/mask.js";
import { areOther, isOther } from "../rules/operand-sizes.js";
import { scalarKind } from "../rules/promote.js";
import { withoutQuestions } from "../rules/without-questions.js";
import { checkMaskedIndices, planIndex, sizeAt } from "./index-read.js";

/** Fresh memory like `self`, its layout kept when that is dense. */
const like = (self: FakeTensor, env: SymEnv): FakeTensor =>
  fake({
    dtype: self.dtype,
    shape: self.shape,
    strides: elementwiseStrides(env, self.shape, [self]),
    like: self,
  });
type Indices = readonly (FakeTensor | null)[];

interface IndexPut {
  readonly self: FakeTensor;
  readonly indices: readonly (FakeTensor | null)[];
  readonly values: FakeTensor;
  readonly accumulate: boolean;
}

/**
 * One value under one mask fills, and may be of any dtype (`canDispatchToMaskedFill` in
 * TensorAdvancedIndexing.cpp).
 */
function isMaskedFill({ indices, values, accumulate }: IndexPut, env: SymEnv): boolean {
  const given = indices.filter((index) => index !== null);
  return (
    !accumulate && given.length === 1 && given[0]!.dtype === "bool" && isEqual(env, numelOf(values.shape), 1)
  );
}

function indexPutMeta(args: IndexPut, env: SymEnv): FakeTensor {
  const { self, indices, values } = args;
  if (self.dtype !== values.dtype && !isMaskedFill(args, withoutQuestions(env))) {
    throw dtypeMismatch(
      "Index put requires the source and destination dtypes match, got " +
        `${self.dtype} for the destination and ${values.dtype} for the source.`,
    );
  }
  // PyTorch's rule asks nothing of dynamic sizes.
  const quiet = withoutQuestions(env);
  const { shape } = planIndex(self, indices, quiet);
  const fits =
    values.ndim <= shape.length &&
    values.shape.every((size, d) => {
      const target = shape[d + shape.length - values.ndim]!;
      return isEqual(quiet, size, 1) || sizeEquals(size, target, quiet);
    });
  if (!fits && !leadingOnes(values, shape)) {
    throw shapeMismatch(placesMismatch(describeSizes(values.shape), `shape ${describeSizes(shape)}`));
  }
  return like(self, env);
}

/** Extra dimensions of 1 in front of the values are let through. */
function leadingOnes(values: FakeTensor, shape: readonly IntLike[]): boolean {
  const extra = values.ndim - shape.length;
  return extra > 0 && values.shape.slice(0, extra).every((size) => size === 1);
}

const indexPut = defineOp({
  schema: "aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
  tags: ["core"],
  meta: (args, { env }) => indexPutMeta(args as IndexPut, env),
});

const unsafeIndexPut = defineOp({
  schema:
    "aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
  meta: (args, { env }) => indexPutMeta(args as IndexPut, env),
  decompose: (emit, { self, indices, values, accumulate }) =>
    emit("aten.index_put.default", [self, indices as Indices, values, accumulate]),
});

const unsafeMaskedIndexPut = defineOp({
  schema:
    "aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor",
  decompose: (emit, { self, mask, indices, values }) => {
    checkMaskedIndices(self, indices as Indices);
    if (isEqual(emit.env, numelOf(self.shape), 0)) return emit("aten.clone.default", [self]);
    const clamped = (indices as Indices).map(
      (index, d) =>
        index && emit("aten.clamp.default", [index, neg(self.shape[d] ?? 1), sub(self.shape[d] ?? 1, 1)]),
    );
    const kept = emit("aten.masked_fill.Scalar", [values, emit("aten.bitwise_not.default", [mask]), 0]);
    return emit("aten._unsafe_index_put.default", [self, clamped, kept, true]);
  },
});

/** `[None, ..., index]` with the index at a dimension. */
const at = (dim: number, index: FakeTensor): Indices => [...new Array<null>(dim).fill(null), index];

/** Runs on a tensor of at least one dimension and takes the added one off again. */
function overVector(emit: Emit, self: FakeTensor, body: (self: FakeTensor) => FakeTensor): FakeTensor {
  if (self.ndim > 0) return toContiguous(emit, body(self));
  return emit("aten.squeeze.dim", [body(emit("aten.unsqueeze.default", [self, 0])), 0]);
}

const indexAdd = defineOp({
  schema: "aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
  meta: (bound, { env }) => {
    checkIndexAdd(env, bound);
    const { self, alpha } = bound;
    // Of bools any factor is a truth value, which the decomposition does not know.
    if (self.dtype !== "bool" && isIntegralDType(self.dtype) && scalarKind(alpha) === "float")
      throw dtypeMismatch("alpha argument of type float cannot be safely cast to type int!");
    return rowMajorLike(self);
  },
  decompose: (emit, bound) => {
    checkIndexAdd(emit.env, bound);
    const { self, dim, index, source, alpha } = bound;
    const axis = wrapDim(dim, self.ndim);
    const values = isIntLiteral(alpha, 1) ? source : emit("aten.mul.Tensor", [source, alpha as EmitArg]);
    return overVector(emit, self, (base) =>
      emit("aten.index_put.default", [base, at(axis, index), values, true]),
    );
  },
});

function checkIndexCopy(
  env: SymEnv,
  self: FakeTensor,
  dim: number,
  index: FakeTensor,
  source: FakeTensor,
): void {
  checkVector(index);
  const count = numelOf(index.shape);
  if (source.ndim === 0) {
    check(env, eq(count, 1), () =>
      shapeMismatch(
        `index_copy_(): When source is scalar, index should have one element (got ${describeSize(count)})`,
      ),
    );
    return;
  }
  if (self.ndim !== 0 && source.ndim !== self.ndim) {
    throw shapeMismatch(
      "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality " +
        `(${source.ndim}), destination dimensionality (${self.ndim})`,
    );
  }
  const rest = self.ndim > 0 ? self.shape.toSpliced(dim, 1) : [];
  if (!sizesEqual(rest, source.shape.toSpliced(dim, 1), env)) {
    throw shapeMismatch(
      "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: " +
        `${describeSizes(rest)} at dimension ${dim} and source slice shape: ${describeSizes(source.shape.toSpliced(dim, 1))} ` +
        "at dimension 0.",
    );
  }
  check(env, eq(count, source.shape[dim]!), () =>
    shapeMismatch(
      `index_copy_(): Number of indices (${describeSize(count)}) should be equal to source.size(dim) (${describeSize(source.shape[dim]!)})`,
    ),
  );
}

const indexCopy = defineOp({
  schema: "aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
  decompose: (emit, { self, dim, index, source }) => {
    const axis = wrapDim(dim, self.ndim);
    checkIndexCopy(emit.env, self, axis, index, source);
    return overVector(emit, self, (base) => {
      const vector = index.ndim === 0 ? emit("aten.unsqueeze.default", [index, 0]) : index;
      return emit("aten.index_put.default", [base, at(axis, vector), source]);
    });
  },
});

function emitIndexFill(
  emit: Emit,
  self: FakeTensor,
  dim: IntLike,
  index: FakeTensor,
  value: FakeTensor,
): FakeTensor {
  const axis = wrapDim(dim, self.ndim);
  const base = self.ndim === 0 ? emit("aten.unsqueeze.default", [self, 0]) : self;
  const values = emit("aten.expand.default", [value, base.shape.with(axis, numelOf(index.shape))]);
  const filled = emit("aten.index_copy.default", [base, dim, index, values]);
  if (self.ndim === 0) return emit("aten.clone.default", [emit("aten.squeeze.dim", [filled, 0])]);
  // `index_copy` is row-major, where the kernel keeps the layout of what has no gaps.
  const isAsWanted = stridesEqual(filled.strides, self.strides, emit.env);
  if (isAsWanted || !isNonOverlappingAndDense(self, emit.env)) return filled;
  return emit("prims.copy_strided.default", [filled, self.strides]);
}

/**
 * Returns the result of the kernel, which fills a clone and so keeps the layout; the
 * decomposition's `index_copy` is row-major.
 */
function indexFillMeta(self: FakeTensor, dim: IntLike, index: FakeTensor, env: SymEnv): FakeTensor {
  wrapDim(dim, self.ndim);
  checkVector(index);
  return like(self, env);
}

function checkFillValue(value: FakeTensor): void {
  if (value.ndim === 0) return;
  throw invalidArgument(
    `Only supports 0-dimensional value tensor. Got a tensor with ${value.ndim} dimensions.`,
  );
}

const indexFillScalar = defineOp({
  schema: "aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
  meta: ({ self, dim, index }, { env }) => indexFillMeta(self, dim, index, env),
  decompose: (emit, { self, dim, index, value }) => {
    checkVector(index);
    const { dtype, layout, device } = self;
    const number = emit("aten.scalar_tensor.default", [value as EmitArg], {
      dtype,
      layout,
      device,
      pin_memory: false,
    });
    return emitIndexFill(emit, self, dim, index, number);
  },
});

const indexFillTensor = defineOp({
  schema: "aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
  meta: ({ self, dim, index, value }, { env }) => {
    checkFillValue(value);
    return indexFillMeta(self, dim, index, env);
  },
  decompose: (emit, { self, dim, index, value }) => {
    checkVector(index);
    checkFillValue(value);
    return emitIndexFill(emit, self, dim, index, value);
  },
});

const REDUCTIONS = ["prod", "mean", "amax", "amin"];

function checkReducedIndex(index: FakeTensor): void {
  if (index.ndim < 2) return;
  throw shapeMismatch(
    `index_reduce_(): Index is supposed to be a vector, but got dim: ${index.ndim} with type: ` +
      `${scalarTypeName(index.dtype)} and size: ${describeSizes(index.shape)}`,
  );
}

/** A slice for each index, of the sizes that slices of the tensor have. */
function checkReducedSource(
  env: SymEnv,
  self: FakeTensor,
  axis: number,
  index: FakeTensor,
  source: FakeTensor,
): void {
  if (source.ndim > 0 && axis >= source.ndim) throw dimOutOfRange(axis, source.ndim);
  const given = source.shape[axis] ?? 1;
  if (isOther(env, numelOf(index.shape), given))
    throw shapeMismatch(
      `index_reduce_(): Number of indices (${describeSize(numelOf(index.shape))}) should be equal to ` +
        `source.size(dim): (${describeSize(given)}), for dim: ${axis}`,
    );
  if (areOther(env, source.shape, self.ndim === 0 ? [] : self.shape.with(axis, given)))
    throw shapeMismatch(
      "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = " +
        `${describeSizes(self.shape)} source.shape = ${describeSizes(source.shape)}`,
    );
}

const indexReduce = defineOp({
  schema:
    "aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor",
  meta: ({ self, dim, index, source, reduce }, { env }) => {
    const axis = wrapDim(dim, self.ndim);
    checkReducedIndex(index);
    checkReducedSource(env, self, axis, index, source);
    requireWord(
      reduce,
      REDUCTIONS,
      `index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ${reduce}.`,
    );
    return rowMajorLike(self);
  },
});

/** What all scatters refuse. */
function checkScatter(
  env: SymEnv,
  self: FakeTensor,
  dim: IntLike,
  index: FakeTensor,
  src: FakeTensor | null,
): void {
  const axis = wrapDim(dim, self.ndim);
  if (src !== null && self.dtype !== src.dtype)
    throw dtypeMismatch("scatter(): Expected self.dtype to be equal to src.dtype");
  if (isEqual(env, numelOf(index.shape), 0)) return;
  if (index.dtype !== "int64" && index.dtype !== "int32") {
    throw dtypeMismatch("scatter(): Expected dtype int32/int64 for index");
  }
  const rank = Math.max(self.ndim, 1);
  if (rank !== Math.max(index.ndim, 1)) {
    throw shapeMismatch("Index tensor must have the same number of dimensions as self tensor");
  }
  if (src !== null && rank !== Math.max(src.ndim, 1)) {
    throw shapeMismatch("Index tensor must have the same number of dimensions as src tensor");
  }
  // All sizes of the tensor are compared before those of the source: guards are in this order.
  const fits = (target: FakeTensor) => (size: IntLike, d: number) =>
    check(env, le(size, sizeAt(target, d)), () => tooLarge(index, self, axis, src));
  const sizes = Array.from({ length: rank }, (_, d) => sizeAt(index, d));
  for (const [d, size] of sizes.entries()) if (d !== axis) fits(self)(size, d);
  if (src !== null) sizes.forEach(fits(src));
}

function tooLarge(index: FakeTensor, self: FakeTensor, dim: number, src: FakeTensor | null): Error {
  const beside = src === null ? "" : ` and to be no larger size than src ${describeSizes(src.shape)}`;
  return shapeMismatch(
    `Expected index ${describeSizes(index.shape)} to be no larger than self ${describeSizes(self.shape)} apart from ` +
      `dimension ${dim}${beside}`,
  );
}

const scatterSrc = defineOp({
  schema: "aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
  tags: ["core"],
  meta: ({ self, dim, index, src }, { env }) => {
    checkScatter(env, self, dim, index, src);
    return rowMajorLike(self);
  },
});

const scatterValue = defineOp({
  schema: "aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
  tags: ["core"],
  meta: ({ self, dim, index }, { env }) => {
    checkScatter(env, self, dim, index, null);
    return rowMajorLike(self);
  },
});

const checkScatterReduce = (reduce: string, names: readonly string[]): void =>
  requireWord(reduce, names, `reduce argument must be one of ${names.join(", ")}, got ${reduce}`);

const scatterReduceOld = defineOp({
  schema: "aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
  meta: ({ self, dim, index, src, reduce }, { env }) => {
    checkScatterReduce(reduce, ["add", "multiply"]);
    checkScatter(env, self, dim, index, src);
    return rowMajorLike(self);
  },
});

const scatterValueReduce = defineOp({
  schema:
    "aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
  meta: ({ self, dim, index, reduce }, { env }) => {
    checkScatterReduce(reduce, ["add", "multiply"]);
    checkScatter(env, self, dim, index, null);
    return rowMajorLike(self);
  },
});

const scatterAdd = defineOp({
  schema: "aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
  tags: ["core"],
  meta: ({ self, dim, index, src }, { env }) => {
    checkScatter(env, self, dim, index, src);
    return rowMajorLike(self);
  },
});

const scatterReduce = defineOp({
  schema:
    "aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor",
  tags: ["core"],
  meta: ({ self, dim, index, src, reduce }, { env }) => {
    checkScatterReduce(reduce, ["sum", "prod", "mean", "amax", "amin"]);
    checkScatter(env, self, dim, index, src);
    return rowMajorLike(self);
  },
});

const maskedScatter = defineOp({
  schema: "aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
  tags: ["core"],
  meta: ({ self, mask, source }, { env }) => {
    if (mask.dtype !== "bool") {
      throw dtypeMismatch(
        `masked_scatter_ only supports boolean masks, but got mask with dtype ${mask.dtype}`,
      );
    }
    if (self.dtype !== source.dtype) {
      throw dtypeMismatch(
        `masked_scatter: expected self and source to have same dtypes but got ${self.dtype} and ${source.dtype}`,
      );
    }
    return fake({ dtype: self.dtype, shape: broadcastOperands(env, self.shape, mask.shape), like: self });
  },
});

const put = defineOp({
  schema: "aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
  meta: ({ self, index, source }, { env }) => {
    if (index.dtype !== "int64")
      throw dtypeMismatch(`put_(): Expected a long tensor for index, but got ${index.dtype}`);
    if (self.dtype !== source.dtype)
      throw dtypeMismatch("put_(): self and source expected to have the same dtype");
    // PyTorch's rule asks nothing of dynamic sizes.
    if (env.knownTrue(ne(numelOf(index.shape), numelOf(source.shape))))
      throw shapeMismatch(
        "put_(): Expected source and index to have the same number of elements, but got source.numel() = " +
          `${describeSize(numelOf(source.shape))}, index.numel() = ${describeSize(numelOf(index.shape))}`,
      );
    return like(self, env);
  },
});

const backwards: readonly OpDefinition[] = [
  defineOp({
    schema: "aten::index_select_backward(Tensor grad, SymInt[] self_sizes, int dim, Tensor index) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { grad, self_sizes, dim, index }) =>
      emit("aten.index_add.default", [emitNewZeros(emit, grad, self_sizes), dim, index, grad]),
  }),
  defineOp({
    schema: "aten::masked_select_backward(Tensor grad, Tensor input, Tensor mask) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { grad, input, mask }) => {
      const shape = broadcastShapes(emit.env, input.shape, mask.shape);
      const zeros = emit("aten.zeros_like.default", [emit("aten.expand.default", [input, shape])]);
      return emit("aten.masked_scatter.default", [zeros, mask, grad]);
    },
  }),
  defineOp({
    schema:
      "aten::value_selecting_reduction_backward(Tensor grad, int dim, Tensor indices, SymInt[] sizes, bool keepdim) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { grad, dim, indices, sizes, keepdim }) => {
      const wide = (tensor: FakeTensor): FakeTensor =>
        keepdim || sizes.length === 0 ? tensor : emit("aten.unsqueeze.default", [tensor, dim]);
      const [values, places] = [wide(grad), wide(indices)];
      return emit("aten.scatter.src", [emitNewZeros(emit, grad, sizes), dim, places, values]);
    },
  }),
];

export const indexWriteOps: readonly OpDefinition[] = [
  indexPut,
  unsafeIndexPut,
  unsafeMaskedIndexPut,
  indexAdd,
  indexCopy,
  indexFillScalar,
  indexFillTensor,
  indexReduce,
  scatterSrc,
  scatterValue,
  scatterReduceOld,
  scatterValueReduce,
  scatterAdd,
  scatterReduce,
  maskedScatter,
  put,
  ...backwards,
];
