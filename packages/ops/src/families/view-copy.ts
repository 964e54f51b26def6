/** @file The `*_copy` forms of views, and the `*_scatter` forms that write into a copy. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { envWith, ge, lt, ne, neg, type SymEnv, symbol } from "@sconce/symbolic";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isAtMost, isNegative } from "../rules/comparison.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { fake, numelOf, rowMajorLike } from "../rules/fake.js";
import { emitNewZeros, emitRange } from "../rules/mask.js";
import { likeStrides } from "../rules/options.js";
import { sizeMath } from "../rules/size-math.js";
import { inferSizes, viewStrides } from "../rules/view-geometry.js";
import { expandMeta, squeezeMeta } from "./view-expand.js";
import { permuteMeta } from "./view-permute.js";
import { asStridedMeta, checkNarrow, diagonalMeta, selectMeta, sliceMeta, unfoldMeta } from "./view-slice.js";

/** PyTorch's copy of a view, row-major. */
const emitCopy = (emit: Emit, view: FakeTensor): FakeTensor =>
  emit("aten.clone.default", [view], { memory_format: "contiguous_format" });

type UnaryCopy = "aten::_conj_copy(Tensor self) -> Tensor";

/** Defines the copy of a view that takes only `self`. */
const copyOf = (name: string, view: string): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor self) -> Tensor` as UnaryCopy,
    decompose: (emit, { self }) => emitCopy(emit, emit(view, [self])),
    tags: ["not_in_default_table"],
  });

/** Copies of views that read the elements otherwise. */
const VIEW_COPIES_OF_ELEMENTS: readonly OpDefinition[] = [
  copyOf("_conj_copy", "aten._conj.default"),
  copyOf("_neg_view_copy", "aten._neg_view.default"),
  copyOf("view_as_real_copy", "aten.view_as_real.default"),
  copyOf("view_as_complex_copy", "aten.view_as_complex.default"),
  defineOp({
    schema: "aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor",
    decompose: (emit, { self, dtype }) => emitCopy(emit, emit("aten.view.dtype", [self, dtype])),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::_reshape_alias_copy(Tensor self, SymInt[] size, SymInt[] stride) -> Tensor",
    decompose: (emit, { self, size, stride }) =>
      emitCopy(emit, emit("aten._reshape_alias.default", [self, size, stride])),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::_reshape_copy(Tensor self, SymInt[] size) -> Tensor",
    decompose: (emit, { self, size }) => emit("aten.view_copy.default", [self, size]),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::_lazy_clone(Tensor self) -> Tensor",
    doc: "A copy that PyTorch makes at the first write.",
    decompose: (emit, { self }) => emit("aten.clone.default", [self]),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::lift(Tensor self) -> Tensor",
    tags: ["always_decomposed"],
    decompose: (emit, { self }) => emit("aten.view.default", [self, self.shape]),
  }),
];

const viewCopies: readonly OpDefinition[] = [
  defineOp({
    schema: "aten::view_copy(Tensor self, SymInt[] size) -> Tensor",
    meta: ({ self, size }, { env }) =>
      fake({ dtype: self.dtype, shape: inferSizes(env, size, numelOf(self.shape)), like: self }),
    decompose: (emit, { self, size }) => {
      const sizes = inferSizes(emit.env, size, numelOf(self.shape));
      // Where no view is possible, reshaping copies already.
      if (viewStrides(self, sizes, emit.env) === undefined) return emit("aten.reshape.default", [self, size]);
      return emitCopy(emit, emit("aten.view.default", [self, size]));
    },
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::permute_copy(Tensor self, int[] dims) -> Tensor",
    meta: ({ self, dims }, { env }) => rowMajorLike(permuteMeta(self, dims, env)),
    decompose: (emit, { self, dims }) => emitCopy(emit, emit("aten.permute.default", [self, dims])),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor",
    meta: ({ self, dim, index }, context) => rowMajorLike(selectMeta(self, dim, index, context)),
    decompose: (emit, { self, dim, index }) => emitCopy(emit, emit("aten.select.int", [self, dim, index])),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema:
      "aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
    meta: ({ self, dim, start, end, step }, context) =>
      rowMajorLike(sliceMeta(self, dim, start, end, step, context)),
    decompose: (emit, { self, dim, start, end, step }) =>
      emitCopy(emit, emit("aten.slice.Tensor", [self, dim, start, end, step])),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema:
      "aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
    meta: ({ self, size, stride, storage_offset }) =>
      rowMajorLike(asStridedMeta(self, size, stride, storage_offset)),
    decompose: (emit, { self, size, stride, storage_offset }) =>
      emitCopy(emit, emit("aten.as_strided.default", [self, size, stride, storage_offset])),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::detach_copy(Tensor self) -> Tensor",
    meta: ({ self }) => rowMajorLike(self),
    decompose: (emit, { self }) => emitCopy(emit, self),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor",
    meta: ({ self, dim, start, length }, context) => {
      const { dim: at } = checkNarrow(context.env, self, dim, start, length);
      return fake({ dtype: self.dtype, shape: self.shape.with(at, length), like: self });
    },
    decompose: (emit, { self, dim, start, length }) =>
      emitCopy(emit, emit("aten.narrow.default", [self, dim, start, length])),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]",
    decompose: (emit, { self, dim }) =>
      emit.many("aten.unbind.int", [self, dim]).map((piece) => emitCopy(emit, piece)),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
    decompose: (emit, { self, split_size, dim }) =>
      emit.many("aten.split.Tensor", [self, split_size, dim]).map((piece) => emitCopy(emit, piece)),
    tags: ["not_in_default_table"],
  }),
  defineOp({
    schema: "aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
    decompose: (emit, { self, split_sizes, dim }) =>
      emit
        .many("aten.split_with_sizes.default", [self, split_sizes, dim])
        .map((piece) => emitCopy(emit, piece)),
  }),
  defineOp({
    schema: "aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor",
    meta: ({ self, size }, { env }) => rowMajorLike(expandMeta(self, size, env)),
    decompose: (emit, { self, size }) => emitCopy(emit, emit("aten.expand.default", [self, size])),
  }),
  defineOp({
    schema: "aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    meta: ({ self, offset, dim1, dim2 }, { env }) =>
      rowMajorLike(diagonalMeta(self, offset, dim1, dim2, env)),
    decompose: (emit, { self, offset, dim1, dim2 }) =>
      emitCopy(emit, emit("aten.diagonal.default", [self, offset, dim1, dim2])),
  }),
  defineOp({
    schema: "aten::t_copy(Tensor self) -> Tensor",
    decompose: (emit, { self }) => emitCopy(emit, emit("aten.t.default", [self])),
  }),
  defineOp({
    schema: "aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor",
    decompose: (emit, { self, dim0, dim1 }) => emitCopy(emit, emit("aten.transpose.int", [self, dim0, dim1])),
  }),
  defineOp({
    schema: "aten::squeeze_copy(Tensor self) -> Tensor",
    meta: ({ self }, { env }) => rowMajorLike(squeezeMeta(self, null, env)),
    decompose: (emit, { self }) => emitCopy(emit, emit("aten.squeeze.default", [self])),
  }),
  defineOp({
    schema: "aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor",
    decompose: (emit, { self, dim }) => emitCopy(emit, emit("aten.squeeze.dim", [self, dim])),
  }),
  defineOp({
    schema: "aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor",
    decompose: (emit, { self, dim }) => emitCopy(emit, emit("aten.squeeze.dims", [self, dim])),
  }),
  defineOp({
    schema: "aten::unsqueeze_copy(Tensor self, int dim) -> Tensor",
    decompose: (emit, { self, dim }) => emitCopy(emit, emit("aten.unsqueeze.default", [self, dim])),
  }),
  defineOp({
    schema: "aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor",
    meta: ({ self, dimension, size, step }, { env }) =>
      rowMajorLike(unfoldMeta(self, dimension, size, step, env)),
    decompose: (emit, { self, dimension, size, step }) =>
      emitCopy(emit, emit("aten.unfold.default", [self, dimension, size, step])),
  }),
  defineOp({
    schema: "aten::alias_copy(Tensor self) -> Tensor",
    meta: ({ self }) => rowMajorLike(self),
    decompose: (emit, { self }) => emitCopy(emit, emit("aten.alias.default", [self])),
  }),
  ...VIEW_COPIES_OF_ELEMENTS,
];

/**
 * Returns a copy of the memory behind `self` (`clone_preserve_strides`), or of `self` alone where
 * expansion repeats elements.
 */
function scatterResult(self: FakeTensor, env: SymEnv): FakeTensor {
  const expanded = self.strides.some((stride, d) => stride === 0 && !isAtMost(env, self.shape[d]!, 1));
  const strides = expanded ? likeStrides(self, null, env) : self.strides;
  const storageOffset = expanded ? 0 : self.storageOffset;
  return fake({ dtype: self.dtype, shape: self.shape, strides, storageOffset, like: self });
}

function requireSameSizes(env: SymEnv, view: FakeTensor, src: FakeTensor, what: string): void {
  const differs = (size: IntLike, d: number): boolean => env.knownTrue(ne(size, src.shape[d]!));
  if (view.ndim === src.ndim && !view.shape.some(differs)) return;
  throw shapeMismatch(
    `expected src to have a size equal to ${what}. src sizes = ${describeSizes(src.shape)}, ${what} sizes = ` +
      describeSizes(view.shape),
  );
}

const OPEN = symbol("u_open", { unbacked: true });

/** Returns what decides about a view that is not made: only its sizes are compared. */
const withoutNewSymbols = (env: SymEnv): SymEnv =>
  envWith(env, {
    freshUnbackedInt: () => OPEN,
    freshUnbackedFloat: () => OPEN,
    markSizeLike: () => {},
    addAxiom: () => {},
    check: () => true,
  });

/** Returns the sizes that the slice names; broadcasting `src` into it is not allowed. */
function sliceScatterMeta(
  self: FakeTensor,
  src: FakeTensor,
  dim: IntLike,
  start: IntLike | null,
  end: IntLike | null,
  step: IntLike,
  context: MetaContext,
): FakeTensor {
  requireSameSizes(
    context.env,
    sliceMeta(self, dim, start, end, step, { ...context, env: withoutNewSymbols(context.env) }),
    src,
    "the slice of the input",
  );
  return scatterResult(self, context.env);
}

const sliceScatter = defineOp({
  schema:
    "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
  tags: ["core"],
  meta: ({ self, src, dim, start, end, step }, context) =>
    sliceScatterMeta(self, src, dim, start, end, step, context),
});

/**
 * Returns the row of an index, from the start. PyTorch looks at the sign only, and refuses an index
 * of unknown sign: that is asserted to lie in the tensor here, and counted from the start.
 */
function rowOf(emit: Emit, index: IntLike, size: IntLike): IntLike {
  const negative = isNegative(emit.env, index);
  if (negative === undefined || typeof index === "number") {
    const outside = (): Error => invalidArgument(`select(): index ${describeSize(index)} out of range`);
    check(emit.env, lt(index, size), outside);
    check(emit.env, ge(index, neg(size)), outside);
  }
  return negative === false ? index : sizeMath(emit, negative === true ? "add" : "mod", index, size);
}

const selectScatter = defineOp({
  schema: "aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor",
  tags: ["core"],
  meta: ({ self, src, dim, index }, context) => {
    const view = selectMeta(self, dim, index, { ...context, env: withoutNewSymbols(context.env) });
    requireSameSizes(context.env, view, src, "the slice of the input");
    return scatterResult(self, context.env);
  },
  decompose: (emit, { self, src, dim, index }) => {
    const at = wrapDim(dim, self.ndim);
    const place = rowOf(emit, index, self.shape[at]!);
    const range = emitRange(emit, self.shape[at]!, self);
    const column = emit("aten.view.default", [range, self.shape.map((_, d) => (d === at ? -1 : 1))]);
    const mask = emit("aten.eq.Scalar", [column, place]);
    const values = emit("aten.expand.default", [emit("aten.unsqueeze.default", [src, at]), self.shape]);
    return emit("aten.where.self", [mask, values, self]);
  },
});

const diagonalScatter = defineOp({
  schema: "aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
  meta: ({ self, src, offset, dim1, dim2 }, { env }) => {
    requireSameSizes(env, diagonalMeta(self, offset, dim1, dim2, env), src, "the diagonal of the input");
    return scatterResult(self, env);
  },
});

const asStridedScatter = defineOp({
  schema:
    "aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
  meta: ({ self, src, size, stride, storage_offset }, { env }) => {
    requireSameSizes(
      env,
      asStridedMeta(self, size, stride, storage_offset),
      src,
      "the as_strided of the input",
    );
    return scatterResult(self, env);
  },
});

const backwards: readonly OpDefinition[] = [
  defineOp({
    schema:
      "aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor",
    decompose: (emit, { grad_output, input_sizes, dim, index }) =>
      emit("aten.select_scatter.default", [
        emitNewZeros(emit, grad_output, input_sizes),
        grad_output,
        dim,
        index,
      ]),
  }),
  defineOp({
    schema:
      "aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor",
    decompose: (emit, { grad_output, input_sizes, dim, start, end, step }) =>
      emit("aten.slice_scatter.default", [
        emitNewZeros(emit, grad_output, input_sizes),
        grad_output,
        dim,
        start,
        end,
        step,
      ]),
  }),
  defineOp({
    schema:
      "aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor",
    decompose: (emit, { grad_output, input_sizes, offset, dim1, dim2 }) =>
      emit("aten.diagonal_scatter.default", [
        emitNewZeros(emit, grad_output, input_sizes),
        grad_output,
        offset,
        dim1,
        dim2,
      ]),
  }),
];

export const viewCopyOps: readonly OpDefinition[] = [
  ...viewCopies,
  sliceScatter,
  selectScatter,
  diagonalScatter,
  asStridedScatter,
  ...backwards,
];
