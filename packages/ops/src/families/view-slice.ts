/** @file Views of a part of a tensor, and views by strides. */
import type { FakeTensor, IntLike, SymScalar } from "@sconce/ir";
import {
  add,
  and,
  eq,
  floorDiv,
  ge,
  ite,
  le,
  lt,
  mul,
  neg,
  or,
  type SymEnv,
  sub,
  symMax,
  symMin,
} from "@sconce/symbolic";
import { isIntegralDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import {
  check,
  isAtLeast,
  isAtMost,
  isBelow,
  isNegative,
  pythonGe,
  pythonGt,
  pythonLe,
  pythonLt,
} from "../rules/comparison.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { sizeMath } from "../rules/size-math.js";
import { viewOf } from "../rules/view-geometry.js";

/** The largest int64, 2^63 - 1, as the nearest double. */
const INT64_MAX = 2 ** 63;

/** @throws SconceError `INVALID_ARGUMENT` when the index is out of range */
export function selectMeta(self: FakeTensor, dim: IntLike, index: IntLike, { env }: MetaContext): FakeTensor {
  if (self.ndim === 0) throw invalidArgument("select() cannot be applied to a 0-dim tensor.");
  const at = wrapDim(dim, self.ndim);
  const size = self.shape[at]!;
  if (isAtLeast(env, index, size) || isBelow(env, index, neg(size))) {
    throw invalidArgument(
      `select(): index ${describeSize(index)} out of range for tensor of size ${describeSizes(self.shape)} at dimension ${at}`,
    );
  }
  const stride = self.strides[at]!;
  let offset: IntLike;
  if (isAtLeast(env, index, 0)) offset = add(self.storageOffset, mul(index, stride));
  else if (isBelow(env, index, 0)) offset = add(self.storageOffset, mul(add(index, size), stride));
  else offset = env.freshUnbackedInt("offset");
  return viewOf(self, self.shape.toSpliced(at, 1), self.strides.toSpliced(at, 1), offset);
}

const select = defineOp({
  schema: "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, dim, index }, context) => selectMeta(self, dim, index, context),
});

/** Returns the place that a bound of a slice means; undefined when its sign is unknown. */
function sliceBound(env: SymEnv, size: IntLike, index: IntLike): IntLike | undefined {
  if (typeof index === "number" && typeof size === "number") {
    return index < 0 ? Math.max(index + size, 0) : Math.min(index, size);
  }
  if (env.orFalse(and(pythonGe(index, 0), pythonLe(index, size)))) return index;
  if (env.orFalse(and(lt(index, 0), pythonGe(index, neg(size))))) return add(index, size);
  if (env.orFalse(pythonLt(index, neg(size)))) return 0;
  if (env.orFalse(pythonGt(index, size))) return size;
  if (env.orFalse(ge(index, 0))) return symMin(index, size);
  return env.orFalse(lt(index, 0)) ? symMax(add(index, size), 0) : undefined;
}

/** Returns how many steps there are from start to end. */
function sliceLength(env: SymEnv, start: IntLike, end: IntLike, step: IntLike): IntLike {
  const steps = (span: IntLike): IntLike => (step === 1 ? span : floorDiv(sub(add(span, step), 1), step));
  if (isAtLeast(env, end, start)) return steps(sub(end, start));
  return isAtLeast(env, start, end) ? 0 : steps(symMax(sub(end, start), 0));
}

/** @throws SconceError `INVALID_ARGUMENT` */
export function sliceMeta(
  self: FakeTensor,
  dim: IntLike,
  start: IntLike | null,
  end: IntLike | null,
  step: IntLike,
  { env }: MetaContext,
): FakeTensor {
  if (self.ndim === 0) throw invalidArgument("slice() cannot be applied to a 0-dim tensor.");
  const at = wrapDim(dim, self.ndim);
  if (isAtMost(env, step, 0)) throw invalidArgument("slice step must be positive");
  const size = self.shape[at]!;
  const from = start === null ? 0 : sliceBound(env, size, start);
  const to =
    end === null || (typeof end === "number" && end >= INT64_MAX) ? size : sliceBound(env, size, end);
  const length =
    from === undefined || to === undefined ? unknownLength(env, size) : sliceLength(env, from, to, step);
  const stride = self.strides[at]!;
  const offset = from === undefined ? unknownOffset(env) : add(self.storageOffset, mul(from, stride));
  return viewOf(self, self.shape.with(at, length), self.strides.with(at, mul(stride, step)), offset);
}

function unknownLength(env: SymEnv, size: IntLike): IntLike {
  const length = env.freshUnbackedInt("length");
  env.check(ge(length, 0));
  env.check(le(length, size));
  return length;
}

function unknownOffset(env: SymEnv): IntLike {
  const offset = env.freshUnbackedInt("offset");
  env.check(ge(offset, 0));
  return offset;
}

const slice = defineOp({
  schema:
    "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, dim, start, end, step }, context) => sliceMeta(self, dim, start, end, step, context),
});

/** What a `narrow` takes: undefined where only the data decide the sign of its start. */
interface NarrowPlace {
  readonly dim: number;
  /** The start, counted from the beginning of the dimension. */
  readonly from: IntLike | undefined;
}

/** Refuses a `narrow` that leaves the dimension. */
export function checkNarrow(
  env: SymEnv,
  self: FakeTensor,
  dim: IntLike,
  start: IntLike,
  length: IntLike,
): NarrowPlace {
  if (self.ndim === 0) throw invalidArgument("narrow() cannot be applied to a 0-dim tensor.");
  const at = wrapDim(dim, self.ndim);
  const size = self.shape[at]!;
  check(env, ge(length, 0), () => invalidArgument("narrow(): length must be non-negative."));
  check(env, and(le(neg(size), start), le(start, size)), () =>
    invalidArgument(
      `start out of range (expected to be in range of [${describeSize(neg(size))}, ${describeSize(size)}], but got ${describeSize(start)})`,
    ),
  );
  const tooLong = (from: IntLike) => (): Error =>
    invalidArgument(
      `start (${describeSize(from)}) + length (${describeSize(length)}) exceeds dimension size (${describeSize(size)}).`,
    );
  const negative = isNegative(env, start);
  if (negative !== undefined) {
    const from = negative ? add(start, size) : start;
    check(env, le(from, sub(size, length)), tooLong(from));
    return { dim: at, from };
  }
  const end = add(start, length);
  const fits = or(and(lt(start, 0), le(end, 0)), and(ge(start, 0), le(end, size)));
  check(env, fits, tooLong(start));
  return { dim: at, from: undefined };
}

const narrow = defineOp({
  schema: "aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, dim, start, length }) => {
    const place = checkNarrow(emit.env, self, dim, start, length);
    if (place.from === undefined) return narrowUnknown(emit, self, dim, start, length);
    const from = place.from === start ? start : sizeMath(emit, "add", start, self.shape[place.dim]!);
    return emit("aten.slice.Tensor", [self, dim, from, sizeMath(emit, "add", from, length)]);
  },
});

/**
 * Returns a `narrow` from a start of unknown sign. An end of 0 then means the end of the dimension.
 */
function narrowUnknown(
  emit: Emit,
  self: FakeTensor,
  dim: IntLike,
  start: IntLike,
  length: IntLike,
): FakeTensor {
  const at = wrapDim(dim, self.ndim);
  const end = sizeMath(emit, "add", start, length);
  const isNegative = lt(start, 0);
  emit.arithmetic?.("operator.lt", [start, 0], isNegative);
  const isZero = eq(end, 0);
  emit.arithmetic?.("operator.eq", [end, 0], isZero);
  const wraps = and(isNegative, isZero);
  emit.arithmetic?.("operator.and_", [isNegative, isZero], wraps);
  const factor = ite<IntLike>(wraps, 1, 0);
  emit.arithmetic?.("torch.sym_ite", [wraps, 1, 0], factor);
  const last = sizeMath(emit, "add", end, sizeMath(emit, "mul", factor, self.shape[at]!));
  const part = emit("aten.slice.Tensor", [self, dim, start, last]);
  emit.env.check(eq(part.shape[at]!, length));
  return part;
}

const narrowTensor = defineOp({
  schema: "aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, dim, start, length }) => {
    if (start.ndim !== 0 || !isIntegralDType(start.dtype))
      throw invalidArgument("start must be an 0-dim integral Tensor.");
    const from = (emit.value("aten.item.default", [start]) as SymScalar).expr as IntLike;
    return emit("aten.narrow.default", [self, dim, from, length]);
  },
});

/** @throws SconceError `INVALID_ARGUMENT` */
export function diagonalMeta(
  self: FakeTensor,
  offset: IntLike,
  dim1: IntLike,
  dim2: IntLike,
  env: SymEnv,
): FakeTensor {
  const [first, second] = [wrapDim(dim1, self.ndim), wrapDim(dim2, self.ndim)];
  if (first === second) {
    throw invalidArgument(
      `diagonal dimensions cannot be identical ${describeSize(dim1)}, ${describeSize(dim2)}`,
    );
  }
  const rows = self.shape[first]!;
  const columns = self.shape[second]!;
  const above = isAtMost(env, 0, offset);
  const isOpen = !above && typeof offset !== "number" && !env.knownTrue(lt(offset, 0));
  const ends: readonly [IntLike, IntLike] = above
    ? [rows, sub(columns, offset)]
    : [add(rows, offset), columns];
  // Without a decision about the side, the shorter of what either leaves.
  const shortest = isOpen
    ? symMin(symMin(rows, columns), symMin(add(rows, offset), sub(columns, offset)))
    : symMin(...ends);
  const length = symMax(shortest, 0);
  const right = mul(isOpen ? symMax(offset, 0) : offset, self.strides[second]!);
  const down = mul(isOpen ? symMax(neg(offset), 0) : neg(offset), self.strides[first]!);
  const step = isOpen ? add(right, down) : above ? right : down;
  const start = length === 0 ? self.storageOffset : add(self.storageOffset, step);
  const rest = self.shape.map((_, d) => d).filter((d) => d !== first && d !== second);
  return viewOf(
    self,
    [...rest.map((d) => self.shape[d]!), length],
    [...rest.map((d) => self.strides[d]!), add(self.strides[first]!, self.strides[second]!)],
    start,
  );
}

const diagonal = defineOp({
  schema: "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, offset, dim1, dim2 }, { env }) => diagonalMeta(self, offset, dim1, dim2, env),
});

/** @throws SconceError `INVALID_ARGUMENT` */
export function asStridedMeta(
  self: FakeTensor,
  size: readonly IntLike[],
  stride: readonly IntLike[],
  offset: IntLike | null,
): FakeTensor {
  if (size.length !== stride.length) throw invalidArgument("mismatch in length of strides and shape");
  for (const step of stride) {
    if (typeof step === "number" && step < 0) {
      throw invalidArgument(
        `as_strided: Negative strides are not supported at the moment, got strides: ${describeSizes(stride)}`,
      );
    }
  }
  for (const length of size) {
    if (typeof length === "number" && length < 0) {
      throw invalidArgument(
        `Trying to create tensor with negative dimension ${length}: ${describeSizes(size)}`,
      );
    }
  }
  if (typeof offset === "number" && offset < 0)
    throw invalidArgument(`Tensor: invalid storage offset ${offset}`);
  return viewOf(self, size, stride, offset ?? self.storageOffset);
}

const asStrided = defineOp({
  schema:
    "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, size, stride, storage_offset }) => asStridedMeta(self, size, stride, storage_offset),
});

/** Windows of `size` elements along a dimension, at a step of `step`, as a new last dimension. */
export function unfoldMeta(
  self: FakeTensor,
  dimension: IntLike,
  size: IntLike,
  step: IntLike,
  env: SymEnv,
): FakeTensor {
  const at = wrapDim(dimension, self.ndim);
  const have = self.ndim === 0 ? 1 : self.shape[at]!;
  if (isBelow(env, size, 0)) throw invalidArgument(`size is ${describeSize(size)} but must be >= 0`);
  check(env, pythonLe(size, have), () =>
    shapeMismatch(
      `maximum size for tensor at dimension ${at} is ${describeSize(have)} but size is ${describeSize(size)}`,
    ),
  );
  if (isAtMost(env, step, 0)) throw invalidArgument(`step is ${describeSize(step)} but must be > 0`);
  if (self.ndim === 0) return viewOf(self, [size], [1]);
  const stride = self.strides[at]!;
  const windows = add(floorDiv(sub(have, size), step), 1);
  return viewOf(
    self,
    [...self.shape.with(at, windows), size],
    [...self.strides.with(at, mul(step, stride)), stride],
  );
}

const unfold = defineOp({
  schema: "aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
  meta: ({ self, dimension, size, step }, { env }) => unfoldMeta(self, dimension, size, step, env),
});

export const viewSliceOps: readonly OpDefinition[] = [
  select,
  slice,
  narrow,
  narrowTensor,
  diagonal,
  asStrided,
  unfold,
];
