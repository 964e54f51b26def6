/** @file Matrix products that are separate operators. */
import type { FakeTensor, IntLike, ScalarLiteral } from "@sconce/ir";
import { toNumber } from "@sconce/ir";
import type { BoolLike } from "@sconce/symbolic";
import { isComplexDType, isFloatDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, shapeMismatch } from "../rows/errors.js";
import { check, mayDiffer, pythonAllEqual, pythonEq } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { broadcastShapes, sizeEquals, wrapDims } from "../rules/dims.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { fake } from "../rules/fake.js";
import { requireSizes } from "../rules/operand-sizes.js";
import { castForMath } from "../rules/opmath.js";
import type { ScalarArg } from "../schema/schema-types.js";
import { sumProduct } from "./einsum.js";
import { expandMeta } from "./view-expand.js";

const by = (shape: readonly IntLike[]): string => shape.map(String).join("x");

function requireRank(tensor: FakeTensor, ndim: number, what: string): void {
  if (tensor.ndim !== ndim) throw shapeMismatch(`${what} must be a ${ndim}D tensor, got ${tensor.ndim}D`);
}

/** `[n, p]` of `[n, m] @ [m, p]`. */
function matrixShape(a: FakeTensor, b: FakeTensor, context: MetaContext): readonly IntLike[] {
  requireRank(a, 2, "mat1");
  requireRank(b, 2, "mat2");
  if (!sizeEquals(a.shape[1]!, b.shape[0]!, context.env)) {
    throw shapeMismatch(`mat1 and mat2 shapes cannot be multiplied (${by(a.shape)} and ${by(b.shape)})`);
  }
  return [a.shape[0]!, b.shape[1]!];
}

type Compared = (a: readonly IntLike[], b: readonly IntLike[]) => readonly BoolLike[];
/** Both sizes in one question. */
const together: Compared = (a, b) => [pythonAllEqual(b.slice(0, 2), [a[0]!, a[2]!])];
/** One after the other, as C++ asks. */
const singly: Compared = (a, b) => [pythonEq(b[0]!, a[0]!), pythonEq(b[1]!, a[2]!)];
/** As `addbmm` asks. */
const singlyFromFirst: Compared = (a, b) => [pythonEq(a[0]!, b[0]!), pythonEq(a[2]!, b[1]!)];

/** `[b, n, p]` of `[b, n, m] @ [b, m, p]`. */
function batchShape(
  a: FakeTensor,
  b: FakeTensor,
  { env }: MetaContext,
  compared: Compared = together,
): readonly IntLike[] {
  requireRank(a, 3, "batch1");
  requireRank(b, 3, "batch2");
  const [batch, rows, inner] = a.shape as [IntLike, IntLike, IntLike];
  const misfit = (): Error =>
    shapeMismatch(
      `Expected size for first two dimensions of batch2 tensor to be: [${describeSize(batch)}, ${describeSize(inner)}] ` +
        `but got: [${describeSize(b.shape[0])}, ${describeSize(b.shape[1])}].`,
    );
  const conditions = compared(a.shape, b.shape);
  // Python decides all but the last of `a and b`, and requires the last.
  for (const condition of conditions.slice(0, -1)) env.orFalse(condition);
  for (const condition of conditions) check(env, condition, misfit);
  if (a.dtype !== b.dtype) throw dtypeMismatch(`expected scalar type ${a.dtype} but found ${b.dtype}`);
  return [batch, rows, b.shape[2]!];
}

/** Refuses a bias that does not expand to the product. */
function requireExpandable(self: FakeTensor, shape: readonly IntLike[], { env }: MetaContext): void {
  const misfit = (): Error =>
    shapeMismatch(
      `The expanded size of the tensor (${by(shape)}) must match the existing size (${by(self.shape)})`,
    );
  if (self.ndim > shape.length) throw misfit();
  const whole = broadcastShapes(env, shape, self.shape);
  if (whole.some((size, d) => mayDiffer(env, size, shape[d]!))) throw misfit();
}

const mm = defineOp({
  schema: "aten::mm(Tensor self, Tensor mat2) -> Tensor",
  tags: ["core"],
  meta: ({ self, mat2 }, context) =>
    fake({ dtype: self.dtype, shape: matrixShape(self, mat2, context), like: self }),
});

const bmm = defineOp({
  schema: "aten::bmm(Tensor self, Tensor mat2) -> Tensor",
  tags: ["core"],
  meta: ({ self, mat2 }, context) =>
    fake({ dtype: self.dtype, shape: batchShape(self, mat2, context), like: self }),
});

const addmm = defineOp({
  schema: "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  tags: ["core"],
  meta: ({ self, mat1, mat2 }, context) => {
    const shape = matrixShape(mat1, mat2, context);
    requireExpandable(self, shape, context);
    return fake({ dtype: self.dtype, shape, like: self });
  },
});

const addmv = defineOp({
  schema: "aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  meta: ({ self, mat, vec, beta }, context) => {
    if (mat.ndim !== 2 || vec.ndim !== 1 || self.ndim > 1) {
      throw shapeMismatch(`vector + matrix @ vector expected, got ${self.ndim}, ${mat.ndim}, ${vec.ndim}`);
    }
    if (self.dtype !== mat.dtype || mat.dtype !== vec.dtype) {
      const dtypes = `${scalarTypeName(self.dtype)}, ${scalarTypeName(mat.dtype)}, and ${scalarTypeName(vec.dtype)}`;
      throw dtypeMismatch(`addmv input tensors must have the same dtype, but got ${dtypes}`);
    }
    requireInner(mat, vec, context);
    const shape = [mat.shape[0]!];
    requireExpandable(self, shape, context);
    // PyTorch's kernel then gives a result of the addend's sizes, other than its rule.
    if (mat.shape.includes(0) && !isNumber(beta, 0)) requireSizes(context.env, "self", self.shape, shape);
    return fake({ dtype: mat.dtype, shape, like: self });
  },
});

function requireInner(mat: FakeTensor, vec: FakeTensor, { env }: MetaContext): void {
  if (!sizeEquals(mat.shape[1]!, vec.shape[0]!, env)) {
    throw shapeMismatch(`size mismatch, got input (${by(mat.shape)}), vec (${by(vec.shape)})`);
  }
}

const addbmm = defineOp({
  schema:
    "aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  meta: ({ self, batch1, batch2 }, context) => {
    requireRank(batch1, 3, "batch1");
    requireRank(batch2, 3, "batch2");
    const shape = [batch1.shape[1]!, batch2.shape[2]!];
    expandMeta(self, shape, context.env);
    batchShape(batch1, batch2, context, singlyFromFirst);
    return fake({ dtype: self.dtype, shape, like: self });
  },
});

/** `beta` and `alpha` of an integer product are truncated. */
const factor = (self: FakeTensor, value: ScalarArg): ScalarArg =>
  isFloatDType(self.dtype) || isComplexDType(self.dtype) || !isPlain(value)
    ? value
    : Math.trunc(toNumber(value));
const isPlain = (value: ScalarArg): value is ScalarLiteral =>
  typeof value !== "object" || value.kind === "float" || value.kind === "complex";
const isNumber = (value: ScalarArg, wanted: number): boolean => isPlain(value) && toNumber(value) === wanted;

const baddbmm = defineOp({
  schema:
    "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  meta: ({ self, batch1, batch2 }, context) => {
    requireRank(batch1, 3, "batch1");
    requireRank(batch2, 3, "batch2");
    const shape = [...batch1.shape.slice(0, 2), batch2.shape[2]!];
    const isWhole = self.ndim === 3 && context.env.orFalse(pythonAllEqual(self.shape, shape));
    if (!isWhole) expandMeta(self, shape, context.env);
    batchShape(batch1, batch2, context, singly);
    if (self.dtype !== batch1.dtype) {
      throw dtypeMismatch(
        `Input dtypes must be the same, got: input: ${self.dtype}, batch1: ${batch1.dtype}`,
      );
    }
    return fake({ dtype: self.dtype, shape, like: self });
  },
  decompose: (emit, args) => {
    const cast = castForMath(emit, [args.self, args.batch1, args.batch2]);
    const [self, batch1, batch2] = cast.operands;
    const beta = factor(args.self, args.beta);
    const alpha = factor(args.self, args.alpha);
    let result = emit("aten.bmm.default", [batch1, batch2]);
    if (!isNumber(alpha, 1)) result = emit("aten.mul.Tensor", [result, alpha]);
    if (!isNumber(beta, 0)) result = emit("aten.add.Tensor", [scaled(emit, self, beta), result]);
    return convert(emit, result, cast.result);
  },
});

const scaled = (emit: Emit, tensor: FakeTensor, by: ScalarArg): FakeTensor =>
  isNumber(by, 1) ? tensor : emit("aten.mul.Tensor", [tensor, by]);

const addr = defineOp({
  schema: "aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  decompose: (emit, args) => {
    const cast = castForMath(emit, [args.self, args.vec1, args.vec2]);
    const [self, vec1, vec2] = cast.operands;
    if (vec1.ndim !== 1) throw shapeMismatch(`addr: Expected 1-D argument vec1, but got ${vec1.ndim}-D`);
    if (vec2.ndim !== 1) throw shapeMismatch(`addr: Expected 1-D argument vec2, but got ${vec2.ndim}-D`);
    const withoutSelf = isNumber(args.beta, 0);
    const whole = emit("aten.expand.default", [self, [vec1.shape[0]!, vec2.shape[0]!]]);
    if (self.dtype === "bool")
      return addrOfBools(emit, whole, vec1, vec2, withoutSelf, isNumber(args.alpha, 0));
    const weighted = withoutSelf ? undefined : emit("aten.mul.Tensor", [whole, args.beta]);
    const product = emit("aten.mul.Tensor", [emit("aten.outer.default", [vec1, vec2]), args.alpha]);
    const sum = weighted === undefined ? product : emit("aten.add.Tensor", [weighted, product]);
    return convert(emit, sum, cast.result);
  },
});

function addrOfBools(
  emit: Emit,
  self: FakeTensor,
  vec1: FakeTensor,
  vec2: FakeTensor,
  withoutSelf: boolean,
  withoutProduct: boolean,
): FakeTensor {
  const product = withoutProduct
    ? emit("aten.full_like.default", [self, false])
    : emit("aten.outer.default", [vec1, vec2]);
  return withoutSelf ? product : emit("aten.logical_or.default", [self, product]);
}

/** Checks two vectors; returns the scalar that their product is. */
function vectorProduct(name: string, a: FakeTensor, b: FakeTensor, { env }: MetaContext): FakeTensor {
  if (a.ndim !== 1 || b.ndim !== 1) {
    throw shapeMismatch(`1D tensors expected, but got ${a.ndim}D and ${b.ndim}D tensors`);
  }
  if (a.dtype !== b.dtype) {
    throw dtypeMismatch(
      `${name} : expected both vectors to have same dtype, but found ${a.dtype} and ${b.dtype}`,
    );
  }
  if (!sizeEquals(a.shape[0]!, b.shape[0]!, env)) {
    throw shapeMismatch(
      `inconsistent tensor size, expected tensor [${describeSize(a.shape[0])}] and src [${describeSize(b.shape[0])}] ` +
        "to have the same number of elements",
    );
  }
  return fake({ dtype: a.dtype, shape: [], like: a });
}

/** Returns the conjugate, which is not computed before something reads it. */
const conjugate = (emit: Emit, tensor: FakeTensor): FakeTensor => emit("aten.conj.default", [tensor]);

const isConjugated = (emit: Emit, tensor: FakeTensor): boolean => emit.isConjugated?.(tensor) === true;

/** Returns the product of vectors of which one or both are conjugated; undefined for none. */
function conjugatedDot(emit: Emit, self: FakeTensor, tensor: FakeTensor): FakeTensor | undefined {
  if (isConjugated(emit, self) && isConjugated(emit, tensor)) {
    const plain = [conjugate(emit, self), conjugate(emit, tensor)];
    return conjugate(emit, emit("aten.dot.default", plain));
  }
  if (isConjugated(emit, self)) return emit("aten.vdot.default", [conjugate(emit, self), tensor]);
  return isConjugated(emit, tensor) ? emit("aten.vdot.default", [conjugate(emit, tensor), self]) : undefined;
}

/** Returns the same of a product that conjugates its first vector. */
function conjugatedVdot(emit: Emit, self: FakeTensor, other: FakeTensor): FakeTensor | undefined {
  if (isConjugated(emit, self) && isConjugated(emit, other))
    return emit("aten.vdot.default", [conjugate(emit, other), conjugate(emit, self)]);
  if (isConjugated(emit, self)) return emit("aten.dot.default", [conjugate(emit, self), other]);
  if (!isConjugated(emit, other)) return undefined;
  return conjugate(emit, emit("aten.dot.default", [self, conjugate(emit, other)]));
}

const dot = defineOp({
  schema: "aten::dot(Tensor self, Tensor tensor) -> Tensor",
  meta: ({ self, tensor }, context) => vectorProduct("dot", self, tensor, context),
  decompose: (emit, args) => {
    const {
      operands: [self, tensor],
      result,
    } = castForMath(emit, [args.self, args.tensor]);
    const product =
      conjugatedDot(emit, self!, tensor!) ??
      emit("aten.sum.default", [emit("aten.mul.Tensor", [self, tensor])]);
    return convert(emit, product, result);
  },
});

const vdot = defineOp({
  schema: "aten::vdot(Tensor self, Tensor other) -> Tensor",
  meta: ({ self, other }, context) => vectorProduct("vdot", self, other, context),
  decompose: (emit, args) => {
    const {
      operands: [self, other],
      result,
    } = castForMath(emit, [args.self, args.other]);
    if (!isComplexDType(self!.dtype)) return convert(emit, emit("aten.dot.default", [self, other]), result);
    const product =
      conjugatedVdot(emit, self!, other!) ??
      emit("aten.sum.default", [
        emit("aten.mul.Tensor", [emit("aten.conj_physical.default", [self]), other]),
      ]);
    return convert(emit, product, result);
  },
});

const mv = defineOp({
  schema: "aten::mv(Tensor self, Tensor vec) -> Tensor",
  meta: ({ self, vec }, context) => {
    if (self.ndim !== 2 || vec.ndim !== 1) {
      throw shapeMismatch(`matrix @ vector expected, got ${self.ndim}, ${vec.ndim}`);
    }
    requireInner(self, vec, context);
    return fake({ dtype: self.dtype, shape: [self.shape[0]!], like: self });
  },
  decompose: (emit, args) => {
    const {
      operands: [self, vec],
      result,
    } = castForMath(emit, [args.self, args.vec]);
    const sum = emit("aten.sum.dim_IntList", [emit("aten.mul.Tensor", [self, vec]), [1]]);
    return convert(emit, sum, result);
  },
});

const trilinear = defineOp({
  schema:
    "aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor",
  doc: "Product of three tensors with new dimensions of size 1 at `expand*`, summed over `sumdim`.",
  meta: ({ i1, i2, i3, expand1, expand2, expand3, sumdim }, { env }) => {
    const shapes = [withOnes(i1, expand1), withOnes(i2, expand2), withOnes(i3, expand3)];
    const whole = broadcastShapes(env, ...shapes);
    const summed = wrapDims(sumdim, whole.length);
    return fake({ dtype: i1.dtype, shape: whole.filter((_, d) => !summed.includes(d)), like: i1 });
  },
  kernelCalls: (emit, { i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim }) => {
    const spread = (tensor: FakeTensor, at: readonly IntLike[]): FakeTensor =>
      wrapDims(at, tensor.ndim + at.length).reduce(
        (x, dim) => emit("aten.unsqueeze.default", [x, dim]),
        tensor,
      );
    const [a, b, c] = [spread(i1, expand1), spread(i2, expand2), spread(i3, expand3)];
    const unrolled = Number(unroll_dim);
    const added = wrapDims(expand3, a.ndim);
    const summed = wrapDims(sumdim, a.ndim);
    const inside = summed.filter((dim) => dim !== unrolled);
    const first = inside.filter((dim) => added.includes(dim));
    const second = inside.filter((dim) => !added.includes(dim));
    const product = sumProduct(emit, sumProduct(emit, a, b, first), c, second);
    // The kernel adds up what it computes for each index of the unrolled dimension.
    const parts = convert(emit, product, i1.dtype);
    const total = summed.includes(unrolled) ? emit("aten.sum.dim_IntList", [parts, [unrolled], true]) : parts;
    return summed.length === 0 ? total : emit("aten.squeeze.dims", [total, summed]);
  },
});

function withOnes(tensor: FakeTensor, at: readonly IntLike[]): readonly IntLike[] {
  const rank = tensor.ndim + at.length;
  const added = wrapDims(at, rank);
  const own = tensor.shape[Symbol.iterator]();
  return Array.from({ length: rank }, (_, d) => (added.includes(d) ? 1 : (own.next().value ?? 1)));
}

/** Products of matrices, vectors and batches of matrices. */
export const matmulOps: readonly OpDefinition[] = [
  mm,
  bmm,
  addmm,
  addmv,
  addbmm,
  baddbmm,
  addr,
  dot,
  vdot,
  mv,
  trilinear,
];
