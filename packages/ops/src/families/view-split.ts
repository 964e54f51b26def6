/** @file Views that cut a dimension into pieces. */
import type { FakeTensor, IntLike, SymScalar } from "@sconce/ir";
import { add, addAll, ceilDiv, eq, ge, mod, mul, type SymEnv, sub } from "@sconce/symbolic";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isAboveIfKnown, isBelow, isEqual } from "../rules/comparison.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { sizeMath } from "../rules/size-math.js";
import { viewOf } from "../rules/view-geometry.js";
import { selectMeta } from "./view-slice.js";

function requireDims(self: FakeTensor, what: string): void {
  if (self.ndim === 0) throw invalidArgument(`${what} expects at least a 1-dimensional tensor`);
}

/** @throws SconceError `SHAPE_MISMATCH` when the sizes do not add up */
function splitWithSizesMeta(
  self: FakeTensor,
  sizes: readonly IntLike[],
  dim: IntLike,
  { env }: MetaContext,
): readonly FakeTensor[] {
  requireDims(self, "split");
  const at = wrapDim(dim, self.ndim);
  const total = addAll(sizes);
  const misfit = (): Error =>
    shapeMismatch(
      `split_with_sizes expects split_sizes to sum exactly to ${describeSize(self.shape[at]!)} (input tensor's size at ` +
        `dimension ${at}), but got split_sizes=${describeSizes(sizes)}`,
    );
  const negative = (): Error =>
    invalidArgument(
      `split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=${describeSizes(sizes)}`,
    );
  for (const size of sizes) check(env, ge(size, 0), negative);
  check(env, typeof total === "number" ? eq(self.shape[at]!, total) : eq(total, self.shape[at]!), misfit);
  let offset = self.storageOffset;
  return sizes.map((size) => {
    const piece = viewOf(self, self.shape.with(at, size), self.strides, offset);
    offset = add(offset, mul(self.strides[at]!, size));
    return piece;
  });
}

/** Returns the sizes of pieces of `split_size`, the last one smaller. */
function evenSizes(env: SymEnv, self: FakeTensor, size: IntLike, dim: IntLike): readonly IntLike[] {
  requireDims(self, "split");
  const at = wrapDim(dim, self.ndim);
  const length = self.shape[at]!;
  if (isBelow(env, size, 0)) {
    throw invalidArgument(
      `split expects split_size be non-negative, but got split_size=${describeSize(size)}`,
    );
  }
  if (isEqual(env, size, 0) && !isEqual(env, length, 0)) {
    throw invalidArgument(
      `split_size can only be 0 if dimension size is 0, but got dimension size of ${describeSize(length)}`,
    );
  }
  if (isEqual(env, length, 0)) return [length];
  const pieces =
    typeof length === "number" && typeof size === "number"
      ? Math.ceil(length / size)
      : countPieces(env, length, size);
  checkCount(pieces);
  const last = sub(length, mul(size, pieces - 1));
  return [...new Array<IntLike>(pieces - 1).fill(size), last];
}

/** Most results of one call: a tensor of a few bytes has any number of rows once it is expanded. */
const MOST_PIECES = 100_000;

/** @throws SconceError `INVALID_ARGUMENT` for more pieces than a call may have */
function checkCount(pieces: number): number {
  if (pieces > MOST_PIECES) {
    throw invalidArgument(
      `the call would give ${pieces} tensors, and one call may give at most ${MOST_PIECES}`,
    );
  }
  return pieces;
}

/** Returns the number of pieces. It is part of the program: a symbolic count is made a number. */
const countPieces = (env: SymEnv, length: IntLike, size: IntLike): number =>
  env.guardInt(ceilDiv(length, size));

const splitTensor = defineOp({
  schema: "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
  meta: ({ self, split_size, dim }, context) =>
    splitWithSizesMeta(self, evenSizes(context.env, self, split_size, dim), dim, context),
  decompose: (emit, { self, split_size, dim }) => emitSplit(emit, self, split_size, dim),
});

function emitSplit(emit: Emit, self: FakeTensor, size: IntLike, dim: IntLike): readonly FakeTensor[] {
  const at = wrapDim(dim, self.ndim);
  const length = self.shape[at]!;
  const sizes = evenSizes(emit.env, self, size, dim);
  if (isEqual(emit.env, length, 0)) return [emit("aten.detach.default", [self])];
  const whole = sizeMath(emit, "mul", size, sizes.length);
  const last = sizeMath(emit, "sub", size, sizeMath(emit, "sub", whole, length));
  return emit.many("aten.split_with_sizes.default", [self, [...sizes.slice(0, -1), last], dim]);
}

const splitSizes = defineOp({
  schema: "aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]",
  tags: ["composite"],
  decompose: (emit, { self, split_size, dim }) =>
    emit.many("aten.split_with_sizes.default", [self, split_size, dim]),
});

const splitWithSizes = defineOp({
  schema: "aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
  tags: ["core"],
  meta: ({ self, split_sizes, dim }, context) => splitWithSizesMeta(self, split_sizes, dim, context),
});

const unsafeSplit = defineOp({
  schema: "aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
  meta: ({ self, split_size, dim }, context) =>
    splitWithSizesMeta(self, evenSizes(context.env, self, split_size, dim), dim, context),
  decompose: (emit, { self, split_size, dim }) => emit.many("aten.split.Tensor", [self, split_size, dim]),
});

const unsafeSplitWithSizes = defineOp({
  schema: "aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
  meta: ({ self, split_sizes, dim }, context) => splitWithSizesMeta(self, split_sizes, dim, context),
  decompose: (emit, { self, split_sizes, dim }) =>
    emit.many("aten.split_with_sizes.default", [self, split_sizes, dim]),
});

/**
 * Returns the `split_size` that gives at most `chunks` pieces; records the arithmetic as
 * `(size + chunks - 1) / chunks`.
 */
function chunkSize(emit: Emit, self: FakeTensor, chunks: IntLike, dim: IntLike): IntLike {
  requireDims(self, "chunk");
  if (isBelow(emit.env, chunks, 1)) {
    throw invalidArgument(`chunk expects \`chunks\` to be greater than 0, got: ${describeSize(chunks)}`);
  }
  const length = self.shape[wrapDim(dim, self.ndim)]!;
  return sizeMath(emit, "floordiv", sizeMath(emit, "sub", sizeMath(emit, "add", length, chunks), 1), chunks);
}

/** `chunk` of an empty dimension keeps the number of pieces. */
const chunkRule =
  (even: string, sized: string) =>
  (
    emit: Emit,
    { self, chunks, dim }: { self: FakeTensor; chunks: IntLike; dim: IntLike },
  ): readonly FakeTensor[] => {
    const size = chunkSize(emit, self, chunks, dim);
    const empty = emit.env.guard(eq(size, 0)) && self.shape[wrapDim(dim, self.ndim)] === 0;
    if (empty)
      return emit.many(sized, [self, new Array<IntLike>(checkCount(Number(chunks))).fill(size), dim]);
    return emit.many(even, [self, size, dim]);
  };

const chunk = defineOp({
  schema: "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
  tags: ["composite"],
  decompose: chunkRule("aten.split.Tensor", "aten.split_with_sizes.default"),
});

const unsafeChunk = defineOp({
  schema: "aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
  tags: ["composite", "maybe_aliasing_or_mutating"],
  decompose: chunkRule("aten.unsafe_split.Tensor", "aten.unsafe_split_with_sizes.default"),
});

/** Slices between consecutive places. */
function emitSlices(
  emit: Emit,
  self: FakeTensor,
  places: readonly IntLike[],
  dim: IntLike,
): readonly FakeTensor[] {
  let start: IntLike = 0;
  return places.map((end) => {
    const piece = emit("aten.slice.Tensor", [self, dim, start, end]);
    start = end;
    return piece;
  });
}

/** `tensor_split` at given places. */
function emitSplitAt(
  emit: Emit,
  self: FakeTensor,
  indices: readonly IntLike[],
  dim: IntLike,
): readonly FakeTensor[] {
  requireDims(self, "tensor_split");
  const at = wrapDim(dim, self.ndim);
  return emitSlices(emit, self, [...indices, self.shape[at]!], at);
}

/** `tensor_split` into sections of nearly equal length, the first ones longer. */
function emitSections(emit: Emit, self: FakeTensor, count: IntLike, dim: IntLike): readonly FakeTensor[] {
  requireDims(self, "tensor_split");
  const sections = emit.env.guardInt(count);
  if (sections <= 0) {
    throw invalidArgument(`number of sections must be larger than 0, got ${describeSize(sections)}`);
  }
  checkCount(sections);
  const at = wrapDim(dim, self.ndim);
  const length = self.shape[at]!;
  const least = sizeMath(emit, "floordiv", length, sections);
  const longer = sizeMath(emit, "mod", length, sections);
  const sizeOf = (i: number): IntLike => {
    const isLonger = isAboveIfKnown(emit.env, longer, i);
    if (isLonger !== undefined) return isLonger ? sizeMath(emit, "add", least, 1) : least;
    // Without an example size: an expression that is right for all.
    return sizeMath(emit, "floordiv", sizeMath(emit, "add", length, sections - 1 - i), sections);
  };
  let start: IntLike = 0;
  return Array.from({ length: sections }, (_, i) => {
    const end = sizeMath(emit, "add", start, sizeOf(i));
    const piece = emit("aten.slice.Tensor", [self, at, start, end]);
    start = end;
    return piece;
  });
}

const tensorSplitSections = defineOp({
  schema: "aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]",
  tags: ["composite"],
  decompose: (emit, { self, sections, dim }) => emitSections(emit, self, sections, dim),
});

const tensorSplitIndices = defineOp({
  schema: "aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]",
  tags: ["composite"],
  decompose: (emit, { self, indices, dim }) => emitSplitAt(emit, self, indices, dim),
});

const tensorSplitTensor = defineOp({
  schema:
    "aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]",
  tags: ["composite"],
  decompose: (emit, { self, tensor_indices_or_sections: places, dim }) => {
    requireDims(self, "tensor_split");
    if (places.dtype !== "int64") {
      throw dtypeMismatch(
        `tensor_split expected tensor_indices_or_sections to have dtype of long, but got ${places.dtype}`,
      );
    }
    const read = (tensor: FakeTensor): IntLike =>
      (emit.value("aten.item.default", [tensor]) as SymScalar).expr as IntLike;
    if (places.ndim === 0) return emitSections(emit, self, emit.env.guardInt(read(places)), dim);
    const count = emit.env.guardInt(places.shape[0]!);
    const indices = count === 0 ? [] : emit.many("aten.unbind.int", [places]).map(read);
    return emitSplitAt(emit, self, indices, dim);
  },
});

/** `hsplit`, `vsplit` and `dsplit`: `tensor_split` along a fixed dimension. */
function namedSplit(
  name: string,
  least: number,
  dimOf: (self: FakeTensor) => number,
): readonly OpDefinition[] {
  const along = (self: FakeTensor): number => {
    if (self.ndim < least) {
      throw invalidArgument(
        `torch.${name} requires a tensor with at least ${least} dimension${least > 1 ? "s" : ""}, but got a tensor with ` +
          `${self.ndim} dimensions!`,
      );
    }
    return dimOf(self);
  };
  return [
    defineOp({
      schema: `aten::${name}.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]`,
      tags: ["composite"],
      decompose: (emit, { self, sections }) => {
        const dim = along(self);
        const length = self.shape[dim]!;
        check(emit.env, sections === 0 ? false : eq(mod(length, sections), 0), () =>
          shapeMismatch(
            `torch.${name} attempted to split along dimension ${dim}, but the size of the dimension ${describeSize(length)} is ` +
              `not divisible by the split_size ${describeSize(sections)}!`,
          ),
        );
        return emitSections(emit, self, sections, dim);
      },
    }),
    defineOp({
      schema: `aten::${name}.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]`,
      tags: ["composite"],
      decompose: (emit, { self, indices }) => emitSplitAt(emit, self, indices, along(self)),
    }),
  ];
}

const unbind = defineOp({
  schema: "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
  meta: ({ self, dim }, context) => {
    if (self.ndim === 0) throw invalidArgument("Dimension specified as 0 but tensor has no dimensions");
    const count = checkCount(context.env.guardInt(self.shape[wrapDim(dim, self.ndim)]!));
    return Array.from({ length: count }, (_, i) => selectMeta(self, dim, i, context));
  },
  decompose: (emit, { self, dim }) => {
    if (self.ndim === 0) throw invalidArgument("Dimension specified as 0 but tensor has no dimensions");
    const at = wrapDim(dim, self.ndim);
    const count = checkCount(emit.env.guardInt(self.shape[at]!));
    if (count === 0) return [];
    return emitSections(emit, self, count, at).map((piece) => emit("aten.squeeze.dim", [piece, at]));
  },
});

export const viewSplitOps: readonly OpDefinition[] = [
  splitTensor,
  splitSizes,
  splitWithSizes,
  unsafeSplit,
  unsafeSplitWithSizes,
  chunk,
  unsafeChunk,
  tensorSplitSections,
  tensorSplitIndices,
  tensorSplitTensor,
  ...namedSplit("hsplit", 1, (self) => (self.ndim === 1 ? 0 : 1)),
  ...namedSplit("vsplit", 2, () => 0),
  ...namedSplit("dsplit", 3, () => 2),
  unbind,
];
