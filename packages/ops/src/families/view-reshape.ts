/** @file Views that keep the order of elements: `view`, `reshape`, `flatten` and their kin. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, type SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, pythonEq } from "../rules/comparison.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { isContiguousNatively, numelOf, rowMajorLike } from "../rules/fake.js";
import { countOf, sizeMath } from "../rules/size-math.js";
import { inferSizes, viewOf, viewStrides } from "../rules/view-geometry.js";
import { hasReferenceView, referenceView } from "../rules/view-reference.js";

/** @throws SconceError `SHAPE_MISMATCH` when the sizes do not fit the elements or their layout. */
export function viewMeta(self: FakeTensor, size: readonly IntLike[], env: SymEnv): FakeTensor {
  if (hasReferenceView(self, size)) {
    const layout = referenceView(self, size, env);
    if (layout !== undefined) return viewOf(self, layout.shape, layout.strides);
  }
  const sizes = inferSizes(env, size, numelOf(self.shape));
  checkElements(self, sizes, env);
  const strides = viewStrides(self, sizes, env);
  if (strides !== undefined) return viewOf(self, sizes, strides);
  throw shapeMismatch(
    `view size ${describeSizes(sizes)} is not compatible with input tensor's size ${describeSizes(self.shape)} and ` +
      `stride ${describeSizes(self.strides)} (at least one dimension spans across two contiguous subspaces). ` +
      "Use .reshape(...) instead",
  );
}

/** Requires as many elements as the sizes have (`_view_unbacked_meta`). */
function checkElements(self: FakeTensor, sizes: readonly IntLike[], env: SymEnv): void {
  const misfit = (): Error =>
    shapeMismatch(
      `Could not reshape a tensor with shape ${describeSizes(self.shape)} as a tensor with shape ${describeSizes(sizes)}!`,
    );
  const ones = self.ndim === 0 ? sizes : sizes.length === 0 ? self.shape : undefined;
  if (ones !== undefined) for (const size of ones) check(env, eq(size, 1), misfit);
  else check(env, pythonEq(numelOf(self.shape), numelOf(sizes)), misfit);
}

const view = defineOp({
  schema: "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, size }, { env }) => viewMeta(self, size, env),
});

const unsafeView = defineOp({
  schema: "aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor",
  doc: "A view that autograd and functionalization take for fresh memory.",
  meta: ({ self, size }, { env }) => viewMeta(self, size, env),
  decompose: (emit, { self, size }) => emit("aten.view.default", [self, size]),
});

const reshapeAlias = defineOp({
  schema: "aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)",
  meta: ({ self, size, stride }) => viewOf(self, size, stride),
  decompose: (emit, { self, size }) => emit("aten.view.default", [self, size]),
});

/**
 * `Tensor.reshape` as the dispatcher decomposes it: a view where the layout allows one, else a view
 * of a copy.
 */
function emitReshape(emit: Emit, self: FakeTensor, shape: readonly IntLike[]): FakeTensor {
  const { env } = emit;
  if (isContiguousNatively(self, env)) return emit("aten.view.default", [self, shape]);
  const sizes = emitInferSizes(emit, shape, self);
  if (viewStrides(self, sizes, env, false) !== undefined) return emit("aten.view.default", [self, sizes]);
  const copy = emit("aten.clone.default", [self], { memory_format: "contiguous_format" });
  return emit("aten._unsafe_view.default", [copy, sizes]);
}

/**
 * Replaces -1, computing on symbolic sizes the way PyTorch records it: all elements by the known
 * sizes.
 */
function emitInferSizes(emit: Emit, shape: readonly IntLike[], self: FakeTensor): readonly IntLike[] {
  const inferred = shape.indexOf(-1);
  const sizes = inferSizes(emit.env, shape, numelOf(self.shape), true);
  if (inferred < 0 || typeof sizes[inferred] === "number") return sizes;
  const product = (factors: readonly IntLike[]): IntLike =>
    factors.reduce((a, b) => sizeMath(emit, "mul", a, b), 1);
  const all = countOf(emit, self);
  const known = product(shape.filter((_, d) => d !== inferred));
  const size = sizeMath(emit, "floordiv", all, known);
  const result = sizes.map((given, d) => (d === inferred ? size : given));
  emit.regrouped?.(self, result);
  return result;
}

/** Returns what `reshape` gives, without emitting. */
function reshapeMeta(self: FakeTensor, shape: readonly IntLike[], env: SymEnv): FakeTensor {
  if (isContiguousNatively(self, env)) return viewMeta(self, shape, env);
  const sizes = inferSizes(env, shape, numelOf(self.shape), true);
  if (viewStrides(self, sizes, env, false) !== undefined) return viewMeta(self, sizes, env);
  const copy = rowMajorLike(self);
  return viewMeta(copy, sizes, env);
}

const reshape = defineOp({
  schema: "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
  tags: ["composite"],
  meta: ({ self, shape }, { env }) => reshapeMeta(self, shape, env),
  decompose: (emit, { self, shape }) => emitReshape(emit, self, shape),
});

const reshapeAs = defineOp({
  schema: "aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, other }) => emit("aten.reshape.default", [self, other.shape]),
});

const viewAs = defineOp({
  schema: "aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, other }) => emit("aten.view.default", [self, other.shape]),
});

const ravel = defineOp({
  schema: "aten::ravel(Tensor(a) self) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self }) => emit("aten.view.default", [emit("aten.contiguous.default", [self]), [-1]]),
});

const flatten = defineOp({
  schema: "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, start_dim, end_dim }) => {
    const start = wrapDim(start_dim, self.ndim);
    const end = wrapDim(end_dim, self.ndim);
    if (start > end) throw invalidArgument("flatten() has invalid args: start_dim cannot come after end_dim");
    if (self.ndim === 0) return emit("aten.reshape.default", [self, [1]]);
    if (start === end) return self;
    const merged = self.shape.slice(start, end + 1).reduce((a, b) => sizeMath(emit, "mul", a, b));
    return emit("aten.reshape.default", [self, self.shape.toSpliced(start, end - start + 1, merged)]);
  },
});

const unflatten = defineOp({
  schema: "aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, dim, sizes }) => {
    if (sizes.length === 0) throw invalidArgument("unflatten: sizes must be non-empty");
    const at = wrapDim(dim, self.ndim);
    const parts = inferUnflattened(emit.env, sizes, self.shape[at]!, dim);
    return emit("aten.view.default", [self, self.shape.toSpliced(at, 1, ...parts)]);
  },
});

function inferUnflattened(
  env: SymEnv,
  sizes: readonly IntLike[],
  size: IntLike,
  dim: IntLike,
): readonly IntLike[] {
  try {
    return inferSizes(env, sizes, size, true);
  } catch {
    throw shapeMismatch(
      `unflatten: Provided sizes ${describeSizes(sizes)} don't multiply up to the size of dim ${describeSize(dim)} ` +
        `(${describeSize(size)}) in the input tensor`,
    );
  }
}

export const viewReshapeOps: readonly OpDefinition[] = [
  view,
  unsafeView,
  reshapeAlias,
  reshape,
  reshapeAs,
  viewAs,
  ravel,
  flatten,
  unflatten,
];
