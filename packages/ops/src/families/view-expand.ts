/** @file Views that add, drop or broadcast dimensions. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, mul, or, type SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isEqual, pythonEq } from "../rules/comparison.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { broadcastOperands, sizesEqual, wrapDim, wrapDims } from "../rules/dims.js";
import { equalSizes, sameAs } from "../rules/fake.js";
import { aliasOf, viewOf } from "../rules/view-geometry.js";

/** @throws SconceError `SHAPE_MISMATCH` */
export function expandMeta(self: FakeTensor, size: readonly IntLike[], env: SymEnv): FakeTensor {
  const added = size.length - self.ndim;
  if (added < 0) {
    throw shapeMismatch(
      `expand(${self.dtype}${describeSizes(self.shape)}, size=${describeSizes(size)}): the number of sizes provided ` +
        `(${size.length}) must be greater or equal to the number of dimensions in the tensor (${self.ndim})`,
    );
  }
  const shape = new Array<IntLike>(size.length);
  const strides = new Array<IntLike>(size.length);
  const leading = size.slice(0, added);
  if (leading.includes(-1)) {
    throw shapeMismatch(
      `The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension ${leading.lastIndexOf(-1)}`,
    );
  }
  // All sizes may be expanded before one is compared: guards are in this order.
  for (const [from, have] of self.shape.entries()) guardExpands(env, have, size[from + added]!);
  // A new dimension of 1 steps over those that follow it, as in the C++ kernel; a repetition has
  // stride 0.
  const stepsOver = leading.map((asked) => self.ndim > 0 && isEqual(env, asked, 1));
  for (let d = added; d < size.length; d++)
    expandDim(self, d - added, d, size[d]!, size, shape, strides, env);
  for (let d = added - 1; d >= 0; d--) {
    shape[d] = size[d]!;
    strides[d] = stepsOver[d] ? mul(shape[d + 1]!, strides[d + 1]!) : 0;
  }
  checkNumel(shape);
  return viewOf(self, shape, strides);
}

/**
 * Sizes other than -1 are not checked one by one: a negative one shows as a count that is out of
 * range.
 */
function checkNumel(shape: readonly IntLike[]): void {
  let count = 1;
  for (const size of shape) {
    if (typeof size !== "number" || size === 0) return;
    count *= size < 0 ? Number.POSITIVE_INFINITY : size;
  }
  if (count >= 2 ** 63) throw invalidArgument("numel: integer multiplication overflow");
}

/**
 * Requires a size to be 1 or the size that is asked for, as PyTorch does before it compares the
 * two.
 */
export function guardExpands(env: SymEnv, have: IntLike, asked: IntLike): void {
  if (have === 1 || asked === -1 || sameAs(have, asked)) return;
  if (typeof have === "number" && typeof asked === "number") return;
  env.check(or(pythonEq(asked, have), eq(have, 1)));
}

function expandDim(
  self: FakeTensor,
  from: number,
  to: number,
  asked: IntLike,
  size: readonly IntLike[],
  shape: IntLike[],
  strides: IntLike[],
  env: SymEnv,
): void {
  const have = self.shape[from]!;
  shape[to] = asked === -1 || typeof have === "number" ? have : asked;
  strides[to] = self.strides[from]!;
  if (asked === -1) return;
  if (isEqual(env, have, 1)) {
    if (isEqual(env, have, asked)) return;
    shape[to] = asked;
    strides[to] = 0;
    return;
  }
  check(env, pythonEq(have, asked), () =>
    shapeMismatch(
      `The expanded size of the tensor (${describeSize(asked)}) must match the existing size (${describeSize(have)}) at non-singleton ` +
        `dimension ${to}.  Target sizes: ${describeSizes(size)}.  Tensor sizes: ${describeSizes(self.shape)}`,
    ),
  );
}

const expand = defineOp({
  schema: "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, size }, { env }) => expandMeta(self, size, env),
});

const expandAs = defineOp({
  schema: "aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, other }) => emit("aten.expand.default", [self, other.shape]),
});

const broadcastTo = defineOp({
  schema: "aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, size }) => emit("aten.expand.default", [self, size]),
});

const broadcastTensors = defineOp({
  schema: "aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]",
  tags: ["composite"],
  meta: ({ tensors }, { env }) => {
    const shape = broadcastOperands(env, ...tensors.map((tensor) => tensor.shape));
    return tensors.map((tensor) => expandMeta(tensor, shape, env));
  },
  decompose: (emit, { tensors }) => {
    const shape = broadcastOperands(emit.env, ...tensors.map((tensor) => tensor.shape));
    return tensors.map((tensor) =>
      sizesEqual(tensor.shape, shape, emit.env) ? tensor : emit("aten.expand.default", [tensor, shape]),
    );
  },
});

/** Size and stride of a dimension of 1 inserted at `at`. */
function unsqueezeMeta(self: FakeTensor, dim: IntLike): FakeTensor {
  const at = wrapDim(dim, self.ndim + 1);
  const stride = at < self.ndim ? mul(self.shape[at]!, self.strides[at]!) : 1;
  return viewOf(self, self.shape.toSpliced(at, 0, 1), self.strides.toSpliced(at, 0, stride));
}

const unsqueeze = defineOp({
  schema: "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, dim }, { env }) => {
    // `broadcast_in_dim` asks whether a dimension is broadcast.
    for (const size of self.shape) equalSizes(env, size, 1);
    return unsqueezeMeta(self, dim);
  },
});

/** Drops those of the given dimensions whose size is 1. */
export function squeezeMeta(self: FakeTensor, dims: readonly IntLike[] | null, env: SymEnv): FakeTensor {
  const asked = dims === null ? null : new Set(dims.map((dim) => wrapDim(dim, self.ndim)));
  const kept = self.shape
    .map((_, d) => d)
    .filter((d) => (asked !== null && !asked.has(d)) || !isEqual(env, self.shape[d]!, 1));
  return kept.length === self.ndim
    ? aliasOf(self)
    : viewOf(
        self,
        kept.map((d) => self.shape[d]!),
        kept.map((d) => self.strides[d]!),
      );
}

const squeeze = defineOp({
  schema: "aten::squeeze(Tensor(a) self) -> Tensor(a)",
  meta: ({ self }, { env }) => squeezeMeta(self, null, env),
  decompose: (emit, { self }) => emit("aten.squeeze.dims", [self, self.shape.map((_, d) => d)]),
});

const squeezeDim = defineOp({
  schema: "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, dim }, { env }) => squeezeMeta(self, [dim], env),
  decompose: (emit, { self, dim }) => emit("aten.squeeze.dims", [self, [dim]]),
});

const squeezeDims = defineOp({
  schema: "aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, dim }, { env }) => squeezeMeta(self, wrapDims(dim, self.ndim), env),
});

/**
 * `self` with at least `rank` dimensions, added where `atleast_1d`, `atleast_2d` and `atleast_3d`
 * add them.
 */
export function emitAtLeast(emit: Emit, self: FakeTensor, rank: 1 | 2 | 3): FakeTensor {
  if (self.ndim >= rank) return self;
  if (self.ndim === 0) return emit("aten.reshape.default", [self, new Array<number>(rank).fill(1)]);
  const lifted = rank === 2 || self.ndim === 1 ? emit("aten.unsqueeze.default", [self, 0]) : self;
  return rank === 3 ? emit("aten.unsqueeze.default", [lifted, -1]) : lifted;
}

const atLeast = (rank: 1 | 2 | 3): readonly OpDefinition[] => [
  defineOp({
    schema: `aten::atleast_${rank}d(Tensor self) -> Tensor`,
    tags: ["composite", "maybe_aliasing_or_mutating"],
    decompose: (emit, { self }) => emitAtLeast(emit, self, rank),
  }),
  defineOp({
    schema: `aten::atleast_${rank}d.Sequence(Tensor[] tensors) -> Tensor[]`,
    tags: ["composite"],
    decompose: (emit, { tensors }) => tensors.map((tensor) => emitAtLeast(emit, tensor, rank)),
  }),
];

export const viewExpandOps: readonly OpDefinition[] = [
  expand,
  expandAs,
  broadcastTo,
  broadcastTensors,
  unsqueeze,
  squeeze,
  squeezeDim,
  squeezeDims,
  ...atLeast(1),
  ...atLeast(2),
  ...atLeast(3),
];
