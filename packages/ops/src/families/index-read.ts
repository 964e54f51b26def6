/** @file Reading elements by index or by mask. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, MAX_SIZE, neg, type SymEnv, sub } from "@sconce/symbolic";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isEqual, pythonLe } from "../rules/comparison.js";
import { freshSize, mostOf, remembered } from "../rules/data-dependent.js";
import { describeSizes } from "../rules/describe.js";
import { broadcastOperands, broadcastShapes, specializeSizes, wrapDim } from "../rules/dims.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { memoryOrder } from "../rules/elementwise.js";
import { contiguousStridesOf, fake, isContiguousFake, numelOf, stridesInOrder } from "../rules/fake.js";
import { viewOf } from "../rules/view-geometry.js";

const MASKS: ReadonlySet<string> = new Set(["bool", "uint8"]);
const INDEX_DTYPES: ReadonlySet<string> = new Set(["int64", "int32", "bool", "uint8"]);

/** Returns how many elements of a mask are set: one symbol for one mask. */
function countNonzero(env: SymEnv, mask: FakeTensor): IntLike {
  const numel = numelOf(mask.shape);
  return numel === 0 ? 0 : remembered(env, "nonzero", mask, () => freshSize(env, mostOf(env, numel)));
}

/** Replaces each mask by one index list for each of its dimensions. */
function expandMasks(
  self: FakeTensor,
  indices: readonly (FakeTensor | null)[],
  env: SymEnv,
): readonly (readonly IntLike[] | null)[] {
  const shapes: (readonly IntLike[] | null)[] = [];
  for (const index of indices) {
    if (index === null) shapes.push(null);
    else if (!INDEX_DTYPES.has(index.dtype)) {
      throw dtypeMismatch("tensors used as indices must be long, int, byte or bool tensors");
    } else if (!MASKS.has(index.dtype)) shapes.push(index.shape);
    else {
      checkMask(self, index, shapes.length, env);
      const count = [countNonzero(env, index)];
      for (let d = 0; d < index.ndim; d++) shapes.push(count);
    }
  }
  if (shapes.length > self.ndim) {
    throw invalidArgument(`too many indices for tensor of dimension ${self.ndim} (got ${shapes.length})`);
  }
  return shapes;
}

function checkMask(self: FakeTensor, mask: FakeTensor, at: number, env: SymEnv): void {
  if (at + mask.ndim > self.ndim)
    throw invalidArgument(`too many indices for tensor of dimension ${self.ndim}`);
  mask.shape.forEach((size, d) => {
    check(env, eq(size, self.shape[at + d]!), () =>
      shapeMismatch(
        `The shape of the mask ${describeSizes(mask.shape)} at index ${d} does not match the shape of the indexed tensor ` +
          `${describeSizes(self.shape)} at index ${at + d}`,
      ),
    );
  });
}

/** What indexing gives: the indexed dimensions are replaced by those of the broadcast indices. */
export interface Indexed {
  /** Sizes before the index dimensions, of them, and after. */
  readonly before: readonly IntLike[];
  readonly replaced: readonly IntLike[];
  readonly after: readonly IntLike[];
  /** The dimensions of `self` in the order in which they appear. */
  readonly order: readonly number[];
  readonly shape: readonly IntLike[];
}

/** @throws SconceError `DTYPE_MISMATCH`, `INVALID_ARGUMENT`, `SHAPE_MISMATCH` */
export function planIndex(self: FakeTensor, indices: readonly (FakeTensor | null)[], env: SymEnv): Indexed {
  if (indices.length === 0) throw invalidArgument("at least one index must be provided");
  const shapes = expandMasks(self, indices, env);
  const given = shapes.map((shape, d) => (shape === null ? -1 : d)).filter((d) => d >= 0);
  const replaced = broadcastIndices(
    env,
    given.map((d) => shapes[d]!),
  );
  const adjacent = given.length === 0 || given.at(-1)! - given[0]! === given.length - 1;
  const rest = self.shape.map((_, d) => d).filter((d) => !given.includes(d));
  const split = adjacent && given.length > 0 ? given[0]! : 0;
  const beforeDims = adjacent ? rest.filter((d) => d < split) : [];
  const afterDims = rest.filter((d) => !beforeDims.includes(d));
  const before = beforeDims.map((d) => self.shape[d]!);
  const after = afterDims.map((d) => self.shape[d]!);
  return {
    before,
    replaced,
    after,
    order: [...beforeDims, ...given, ...afterDims],
    shape: [...before, ...replaced, ...after],
  };
}

function broadcastIndices(env: SymEnv, shapes: readonly (readonly IntLike[])[]): readonly IntLike[] {
  try {
    return broadcastOperands(env, ...shapes);
  } catch {
    throw shapeMismatch(
      `shape mismatch: indexing tensors could not be broadcast together with shapes ${shapes.map(describeSizes).join(", ")}`,
    );
  }
}

/**
 * Fresh memory laid out as the kernel does: in the order of the strides of `self`, index dimensions
 * counting as 0.
 */
function indexMeta(
  self: FakeTensor,
  indices: readonly (FakeTensor | null)[],
  { env }: MetaContext,
): FakeTensor {
  const plan = planIndex(self, indices, env);
  const { before, replaced, after, shape, order } = plan;
  const result = (strides: readonly IntLike[]): FakeTensor =>
    fake({ dtype: self.dtype, shape, strides, like: self });
  if (isContiguousFake(self, env) && order.every((d, i) => d === i))
    return result(contiguousStridesOf(shape));
  const stride = (d: number): IntLike => self.strides[d]!;
  const strides = [
    ...order.slice(0, before.length).map(stride),
    ...replaced.map(() => 0),
    ...order.slice(order.length - after.length).map(stride),
  ];
  if (isEqual(env, numelOf(self.shape), 0)) return result(contiguousStridesOf(shape));
  return result(stridesInOrder(shape, memoryOrder(env, shape, [viewOf(self, shape, strides)])));
}

const index = defineOp({
  schema: "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
  tags: ["core", "dynamic_output_shape"],
  meta: ({ self, indices }, context) => indexMeta(self, indices as readonly (FakeTensor | null)[], context),
});

const unsafeIndex = defineOp({
  schema: "aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
  doc: "Indexing that leaves out the check of bounds.",
  meta: ({ self, indices }, context) => indexMeta(self, indices as readonly (FakeTensor | null)[], context),
  decompose: (emit, { self, indices }) =>
    emit("aten.index.Tensor", [self, indices as readonly (FakeTensor | null)[]]),
});

/**
 * Refuses what the kernels of `_unsafe_masked_index` refuse: masks among the indices, and no index
 * at all.
 */
export function checkMaskedIndices(self: FakeTensor, indices: readonly (FakeTensor | null)[]): void {
  for (const index of indices) {
    if (index && index.dtype !== "int64" && index.dtype !== "int32") {
      const name = scalarTypeName(index.dtype);
      throw dtypeMismatch(`_unsafe_masked_index found unexpected index type ${name}`);
    }
  }
  if (indices.every((index) => index === null) && !self.shape.includes(0))
    throw invalidArgument("at least one index must be provided");
}

const unsafeMaskedIndex = defineOp({
  schema: "aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor",
  decompose: (emit, { self, mask, indices, fill }) => {
    const plan = indices as readonly (FakeTensor | null)[];
    checkMaskedIndices(self, plan);
    if (isEqual(emit.env, numelOf(self.shape), 0)) {
      return emit("aten.new_full.default", [self, planIndex(self, plan, emit.env).shape, fill], {
        pin_memory: false,
      });
    }
    // The kernel lets negative indices count from the end.
    const least = (size: IntLike): IntLike => (emit.runsKernels === true ? neg(size) : 0);
    const clamped = plan.map((index, d) => {
      const size = self.shape[d] ?? 1;
      return index && emit("aten.clamp.default", [index, least(size), sub(size, 1)]);
    });
    const values = emit("aten._unsafe_index.Tensor", [self, clamped]);
    return emit("aten.masked_fill.Scalar", [values, emit("aten.bitwise_not.default", [mask]), fill]);
  },
});

const indexSelect = defineOp({
  schema: "aten::index_select(Tensor self, int dim, Tensor index) -> Tensor",
  tags: ["core"],
  meta: ({ self, dim, index }) => {
    const at = wrapDim(dim, self.ndim);
    if (index.ndim > 1) throw invalidArgument("index_select(): Index is supposed to be a vector");
    if (self.ndim === 0) return fake({ dtype: self.dtype, shape: [], like: self });
    return fake({ dtype: self.dtype, shape: self.shape.with(at, numelOf(index.shape)), like: self });
  },
});

/** Returns the size of a dimension; a tensor without dimensions has one element. */
export const sizeAt = (tensor: FakeTensor, dim: number): IntLike =>
  tensor.ndim === 0 ? 1 : tensor.shape[dim]!;

const gather = defineOp({
  schema: "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
  tags: ["core"],
  meta: ({ self, dim, index }, { env }) => {
    const at = wrapDim(dim, self.ndim);
    if (!isEqual(env, numelOf(index.shape), 0)) checkGather(env, self, at, index);
    return fake({ dtype: self.dtype, shape: index.shape, like: self });
  },
});

function checkGather(env: SymEnv, self: FakeTensor, dim: number, index: FakeTensor): void {
  if (index.dtype !== "int64" && index.dtype !== "int32") {
    throw dtypeMismatch("gather(): Expected dtype int32/int64 for index");
  }
  if (Math.max(self.ndim, 1) !== Math.max(index.ndim, 1)) {
    throw shapeMismatch("Index tensor must have the same number of dimensions as input tensor");
  }
  for (let d = 0; d < Math.max(self.ndim, 1); d++) {
    if (d === dim) continue;
    check(env, pythonLe(sizeAt(index, d), sizeAt(self, d)), () =>
      shapeMismatch(
        `Size does not match at dimension ${d} expected index ${describeSizes(index.shape)} to be no larger than self ` +
          `${describeSizes(self.shape)} apart from dimension ${dim}`,
      ),
    );
  }
}

const take = defineOp({
  schema: "aten::take(Tensor self, Tensor index) -> Tensor",
  meta: ({ self, index }) => {
    if (index.dtype !== "int64")
      throw dtypeMismatch(`take(): Expected a long tensor for index, but got ${index.dtype}`);
    return fake({ dtype: self.dtype, shape: index.shape, like: self });
  },
  decompose: (emit, { self, index }) =>
    emit("aten.index.Tensor", [emit("aten.reshape.default", [self, [-1]]), [index]]),
});

const takeAlongDim = defineOp({
  schema: "aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, indices, dim }) => {
    if (dim === null) return emit("aten.gather.default", [flat(emit, self), 0, flat(emit, indices)]);
    if (self.ndim !== indices.ndim) {
      throw shapeMismatch(
        "torch.take_along_dim(): input and indices should have the same number of dimensions, but got " +
          `${self.ndim} dimensions for input, and ${indices.ndim} dimensions for indices`,
      );
    }
    if (indices.dtype !== "int64" && indices.dtype !== "int32") {
      throw dtypeMismatch(`torch.take_along_dim(): dtype of indices should be Long but got ${indices.dtype}`);
    }
    specializeSizes(emit.env, [indices, self]);
    const at = wrapDim(dim, self.ndim);
    const wide = broadcastShapes(emit.env, self.shape.with(at, indices.shape[at]!), indices.shape);
    const places = emit("aten.broadcast_to.default", [indices, wide]);
    const deep = broadcastShapes(emit.env, indices.shape.with(at, self.shape[at]!), self.shape);
    const source = emit("aten.broadcast_to.default", [self, deep]);
    const wrapped = emit("aten.remainder.Scalar", [places, source.shape[at]!]);
    return emit("aten.gather.default", [source, at, wrapped]);
  },
});

const flat = (emit: Emit, tensor: FakeTensor): FakeTensor => emit("aten.view.default", [tensor, [-1]]);

const maskedSelect = defineOp({
  schema: "aten::masked_select(Tensor self, Tensor mask) -> Tensor",
  tags: ["dynamic_output_shape"],
  meta: ({ self, mask }, { env }) => {
    if (mask.dtype !== "bool") throw dtypeMismatch("masked_select: expected BoolTensor for mask");
    const numel = numelOf(broadcastShapes(env, self.shape, mask.shape));
    const most = mostOf(env, numel);
    const size = numel === 0 ? 0 : freshSize(env, most > 2 ? most : MAX_SIZE);
    return fake({ dtype: self.dtype, shape: [size], like: self });
  },
});

const nonzero = defineOp({
  schema: "aten::nonzero(Tensor self) -> Tensor",
  tags: ["core", "dynamic_output_shape"],
  meta: ({ self }, { env }) => {
    const count = countNonzero(env, self);
    return fake({ dtype: "int64", shape: [count, self.ndim], strides: [1, count], like: self });
  },
});

const nonzeroStatic = defineOp({
  schema: "aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor",
  meta: ({ self, size }) => fake({ dtype: "int64", shape: [size, self.ndim], like: self }),
});

/** Returns the columns of `nonzero`: one index tensor for each dimension. */
function emitNonzeroColumns(emit: Emit, self: FakeTensor): readonly FakeTensor[] {
  const lifted = self.ndim === 0 ? emit("aten.unsqueeze.default", [self, 0]) : self;
  return emit.many("aten.unbind.int", [emit("aten.nonzero.default", [lifted]), 1]);
}

const nonzeroNumpy = defineOp({
  schema: "aten::nonzero_numpy(Tensor self) -> Tensor[]",
  tags: ["composite"],
  decompose: (emit, { self }) => emitNonzeroColumns(emit, self),
});

const argwhere = defineOp({
  schema: "aten::argwhere(Tensor self) -> Tensor",
  tags: ["composite", "dynamic_output_shape"],
  decompose: (emit, { self }) => emit("aten.nonzero.default", [self]),
});

const whereCondition = defineOp({
  schema: "aten::where(Tensor condition) -> Tensor[]",
  tags: ["composite"],
  decompose: (emit, { condition }) => emit.many("aten.nonzero_numpy.default", [condition]),
});

export const indexReadOps: readonly OpDefinition[] = [
  index,
  unsafeIndex,
  unsafeMaskedIndex,
  indexSelect,
  gather,
  take,
  takeAlongDim,
  maskedSelect,
  nonzero,
  nonzeroStatic,
  nonzeroNumpy,
  argwhere,
  whereCondition,
];
