/** @file Sorting, searching and counting of values. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, ge, MAX_SIZE } from "@sconce/symbolic";
import { type DType, isFloatDType, isIntegralDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, requireWord, shapeMismatch } from "../rows/errors.js";
import { check, pythonGe } from "../rules/comparison.js";
import { freshSize, remembered } from "../rules/data-dependent.js";
import { knownNumber } from "../rules/decompose.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { sizesEqual, wrapDim } from "../rules/dims.js";
import { elementwise } from "../rules/elementwise.js";
import { fake, numelOf } from "../rules/fake.js";

/** Values and places in the layout of `self`. */
function sortMeta(self: FakeTensor, dim: IntLike, context: MetaContext): readonly FakeTensor[] {
  wrapDim(dim, self.ndim);
  return [elementwise(context, [self]), elementwise(context, [self], { dtype: "int64" })];
}

const sort = defineOp({
  schema: "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
  tags: ["core"],
  meta: ({ self, dim }, context) => sortMeta(self, dim, context),
});

const sortStable = defineOp({
  schema:
    "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
  meta: ({ self, dim }, context) => sortMeta(self, dim, context),
});

const argsort = defineOp({
  schema: "aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, dim, descending }) => emit.many("aten.sort.default", [self, dim, descending])[1]!,
});

const argsortStable = defineOp({
  schema: "aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, stable, dim, descending }) =>
    emit.many("aten.sort.stable", [self], { stable, dim, descending })[1]!,
});

const msort = defineOp({
  schema: "aten::msort(Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self }) => emit.many("aten.sort.default", [self, 0])[0]!,
});

const topk = defineOp({
  schema:
    "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
  tags: ["core"],
  meta: ({ self, k, dim }, { env }) => {
    const axis = wrapDim(dim, self.ndim);
    const size = self.ndim === 0 ? 1 : self.shape[axis]!;
    const outOfRange = (): Error => invalidArgument("selected index k out of range");
    check(env, ge(k, 0), outOfRange);
    check(env, pythonGe(size, k), outOfRange);
    const shape = self.ndim === 0 ? [] : self.shape.with(axis, k);
    return [fake({ dtype: self.dtype, shape, like: self }), fake({ dtype: "int64", shape, like: self })];
  },
});

/**
 * Unique values, where each element went, and how often each value occurs; what was not asked for
 * is empty.
 */
function uniqueMeta(
  self: FakeTensor,
  dim: number | null,
  inverse: boolean,
  counts: boolean,
  { env }: MetaContext,
  memo: string | null,
): readonly FakeTensor[] {
  const numel = numelOf(self.shape);
  const most = dim === null ? numel : self.shape[dim]!;
  const make = (): IntLike => (numel === 0 ? 0 : freshSize(env, typeof most === "number" ? most : MAX_SIZE));
  const size = memo === null ? make() : remembered(env, memo, self, make);
  const values = fake({
    dtype: self.dtype,
    shape: dim === null ? [size] : self.shape.with(dim, size),
    like: self,
  });
  const places = dim === null ? self.shape : [self.shape[dim]!];
  return [
    values,
    fake({ dtype: "int64", shape: inverse ? places : [0], like: self }),
    fake({ dtype: "int64", shape: counts ? [size] : [0], like: self }),
  ];
}

const unique2 = defineOp({
  schema:
    "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
  tags: ["dynamic_output_shape"],
  meta: ({ self, return_inverse, return_counts }, context) =>
    uniqueMeta(self, null, return_inverse, return_counts, context, "unique"),
});

const unique = defineOp({
  schema: "aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)",
  tags: ["dynamic_output_shape"],
  meta: ({ self, return_inverse }, context) =>
    uniqueMeta(self, null, return_inverse, false, context, "unique").slice(0, 2),
});

const uniqueDim = defineOp({
  schema:
    "aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
  tags: ["dynamic_output_shape"],
  meta: ({ self, dim }, context) => uniqueMeta(self, wrapDim(dim, self.ndim), true, true, context, null),
});

/** Dimension 0 of a vector, written so, counts as no dimension (`unique_consecutive_cpu`). */
const isOnlyDim = (self: FakeTensor, dim: IntLike): boolean => self.ndim === 1 && dim === 0;

const uniqueConsecutive = defineOp({
  schema:
    "aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)",
  tags: ["dynamic_output_shape"],
  meta: ({ self, return_inverse, return_counts, dim }, context) => {
    if (dim === null || isOnlyDim(self, dim))
      return uniqueMeta(self, null, return_inverse, return_counts, context, "unique_consecutive");
    if (self.ndim === 0) {
      throw shapeMismatch(`Dimension specified as ${describeSize(dim)} but tensor has no dimensions`);
    }
    return uniqueMeta(self, wrapDim(dim, self.ndim), true, true, context, null);
  },
});

const placeDType = (int32: boolean): DType => (int32 ? "int32" : "int64");

function checkSearch(
  sequence: FakeTensor,
  self: FakeTensor | null,
  right: boolean,
  side: string | null,
  sorter: FakeTensor | null,
  { env }: MetaContext,
): void {
  requireWord(
    side ?? "left",
    ["left", "right"],
    `torch.searchsorted(): side can only be 'left' or 'right' but got ${side}`,
  );
  if (side === "left" && right) {
    throw invalidArgument(
      "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True",
    );
  }
  if (sorter !== null && !sizesEqual(sorter.shape, sequence.shape, env)) {
    throw shapeMismatch(
      `torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor ` +
        `${describeSizes(sequence.shape)}and got sorter tensor ${describeSizes(sorter.shape)}`,
    );
  }
  if (sorter !== null && sorter.dtype !== "int64") {
    throw dtypeMismatch(
      `torch.searchsorted(): sorter must be a tensor of long dtype but got dtype ${sorter.dtype}`,
    );
  }
  if (sequence.ndim <= 1 || self === null) return;
  if (!sizesEqual(sequence.shape.slice(0, -1), self.shape.slice(0, -1), env)) {
    throw shapeMismatch(
      "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and " +
        `input value tensor must match, but we got boundaries tensor ${describeSizes(sequence.shape)} and input value tensor ` +
        describeSizes(self.shape),
    );
  }
}

const searchsortedTensor = defineOp({
  schema:
    "aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
  meta: ({ sorted_sequence, self, out_int32, right, side, sorter }, context) => {
    checkSearch(sorted_sequence, self, right, side, sorter, context);
    return fake({ dtype: placeDType(out_int32), shape: self.shape, like: self });
  },
});

const searchsortedScalar = defineOp({
  schema:
    "aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
  meta: ({ sorted_sequence, out_int32, right, side, sorter }, context) => {
    checkSearch(sorted_sequence, null, right, side, sorter, context);
    return fake({ dtype: placeDType(out_int32), shape: [], like: sorted_sequence });
  },
});

function checkBoundaries(boundaries: FakeTensor): void {
  if (boundaries.ndim === 1) return;
  throw shapeMismatch(`bucketize(): boundaries tensor must be 1 dimension, but got dim(${boundaries.ndim})`);
}

const bucketizeTensor = defineOp({
  schema:
    "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
  meta: ({ self, boundaries, out_int32 }) => {
    checkBoundaries(boundaries);
    return fake({ dtype: placeDType(out_int32), shape: self.shape, like: self });
  },
});

const bucketizeScalar = defineOp({
  schema:
    "aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
  meta: ({ boundaries, out_int32 }) => {
    checkBoundaries(boundaries);
    return fake({ dtype: placeDType(out_int32), shape: [], like: boundaries });
  },
});

const bincount = defineOp({
  schema: "aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor",
  tags: ["dynamic_output_shape"],
  meta: ({ self, weights, minlength }, { env }) => {
    if (self.ndim !== 1 || !isIntegralDType(self.dtype)) {
      throw invalidArgument("bincount only supports 1-d non-negative integral inputs.");
    }
    check(env, ge(minlength, 0), () => invalidArgument("minlength should be >= 0"));
    if (weights !== null) {
      check(env, weights.ndim === 1 ? eq(weights.shape[0]!, self.shape[0]!) : false, () =>
        shapeMismatch("weights should be 1-d and have the same length as input"),
      );
    }
    // Without elements there is nothing to weigh.
    const isCount = weights === null || self.shape[0] === 0;
    const dtype = isCount ? "int64" : weights.dtype === "float32" ? "float32" : "float64";
    const shape = [self.shape[0] === 0 ? minlength : freshSize(env, undefined, minlength)];
    return fake({ dtype, shape, like: self });
  },
});

const histc = defineOp({
  schema: "aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
  meta: ({ self, bins, min, max }) => {
    if (!isFloatDType(self.dtype)) throw dtypeMismatch(`"histogram_cpu" not implemented for '${self.dtype}'`);
    if (Number(bins) <= 0) throw invalidArgument("histc(): bins must be > 0");
    const [low, high] = [knownNumber(min), knownNumber(max)];
    if (low !== undefined && high !== undefined && high < low)
      throw invalidArgument("histc(): max must be larger than min");
    return fake({ dtype: self.dtype, shape: [bins], like: self });
  },
});

/** Compares every element with every test element. */
function emitIsInPairs(emit: Emit, elements: FakeTensor, test: FakeTensor, invert: boolean): FakeTensor {
  const inverted = (result: FakeTensor): FakeTensor =>
    invert ? emit("aten.bitwise_not.default", [result]) : result;
  if (numelOf(elements.shape) === 0)
    return emit("aten.empty_like.default", [elements], { dtype: "bool", pin_memory: false });
  if (test.ndim === 0) return inverted(emit("aten.eq.Tensor", [elements, test]));
  const wide = emit("aten.view.default", [elements, [...elements.shape, ...test.shape.map(() => 1)]]);
  const equal = emit("aten.eq.Tensor", [wide, test]);
  return inverted(emit("aten.any.dims", [equal, test.shape.map((_, d) => -1 - d)]));
}

/** Searches the sorted test elements. */
function emitIsInSorted(
  emit: Emit,
  elements: FakeTensor,
  test: FakeTensor,
  unique: boolean,
  invert: boolean,
): FakeTensor {
  const flat = emit("aten.flatten.using_ints", [elements]);
  const flatTest = emit("aten.flatten.using_ints", [test]);
  if (unique) return emitIsInUnique(emit, elements, flat, flatTest, invert);
  const sorted = emit.many("aten.sort.default", [flatTest])[0]!;
  const found = emit("aten.searchsorted.Tensor", [sorted, flat]);
  const inside = emit("aten.lt.Scalar", [found, numelOf(sorted.shape)]);
  const places = emit("aten.where.ScalarOther", [inside, found, 0]);
  const equal = emit("aten.eq.Tensor", [emit("aten.index.Tensor", [sorted, [places]]), flat]);
  const result = invert ? emit("aten.logical_not.default", [equal]) : equal;
  return emit("aten.reshape.default", [result, elements.shape]);
}

const INT64_MAX = 9223372036854775807n;

/** Without repetitions on either side, equal neighbors after sorting come from both. */
function emitIsInUnique(
  emit: Emit,
  elements: FakeTensor,
  flat: FakeTensor,
  test: FakeTensor,
  invert: boolean,
): FakeTensor {
  const all = emit("aten.cat.default", [[flat, test]]);
  const [sorted, order] = emit.many("aten.sort.stable", [all], { stable: true }) as readonly [
    FakeTensor,
    FakeTensor,
  ];
  const later = emit("aten.slice.Tensor", [sorted, 0, 1, INT64_MAX as EmitArg]);
  const earlier = emit("aten.slice.Tensor", [sorted, 0, 0, -1]);
  const twice = emit("aten.constant_pad_nd.default", [
    emit("aten.eq.Tensor", [later, earlier]),
    [0, 1],
    false,
  ]);
  const wanted = invert ? emit("aten.logical_not.default", [twice]) : twice;
  const mask = emit("aten.empty_like.default", [wanted], { pin_memory: false });
  const placed = emit("aten.index_copy.default", [mask, 0, order, wanted]);
  const own = emit("aten.slice.Tensor", [placed, 0, 0, numelOf(elements.shape)]);
  return emit("aten.reshape.default", [own, elements.shape]);
}

function emitIsIn(
  emit: Emit,
  elements: FakeTensor,
  test: FakeTensor,
  unique: boolean,
  invert: boolean,
): FakeTensor {
  const [count, tests] = [numelOf(elements.shape), numelOf(test.shape)];
  const few = typeof count === "number" && typeof tests === "number" && tests < 10 * count ** 0.145;
  return few
    ? emitIsInPairs(emit, elements, test, invert)
    : emitIsInSorted(emit, elements, test, unique, invert);
}

const isinTensors = defineOp({
  schema:
    "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
  meta: ({ elements }) => fake({ dtype: "bool", shape: elements.shape, like: elements }),
  decompose: (emit, { elements, test_elements, assume_unique, invert }) =>
    emitIsIn(emit, elements, test_elements, assume_unique, invert),
});

const isinTensorScalar = defineOp({
  schema:
    "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor",
  decompose: (emit, { elements, test_element, invert }) =>
    emit(invert ? "aten.ne.Scalar" : "aten.eq.Scalar", [elements, test_element as EmitArg]),
});

const isinScalarTensor = defineOp({
  schema:
    "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
  decompose: (emit, { element, test_elements, assume_unique, invert }) => {
    const { device } = test_elements;
    const elements = emit("aten.scalar_tensor.default", [element as EmitArg], { device, pin_memory: false });
    return emitIsIn(emit, elements, test_elements, assume_unique, invert);
  },
});

export const sortOps: readonly OpDefinition[] = [
  sort,
  sortStable,
  argsort,
  argsortStable,
  msort,
  topk,
  unique2,
  unique,
  uniqueDim,
  uniqueConsecutive,
  searchsortedTensor,
  searchsortedScalar,
  bucketizeTensor,
  bucketizeScalar,
  bincount,
  histc,
  isinTensors,
  isinTensorScalar,
  isinScalarTensor,
];
