/** @file Products of whole tensors other than matrix products. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isEqual } from "../rules/comparison.js";
import { describeSize } from "../rules/describe.js";
import { specializeSizes, wrapDim } from "../rules/dims.js";
import { isContiguousFake } from "../rules/fake.js";
import { promoteOperands } from "../rules/promote.js";
import { sizeProduct } from "../rules/size-product.js";

function requireVectors(self: FakeTensor, other: FakeTensor, name: string): void {
  if (self.ndim !== 1) throw invalidArgument(`${name}: Expected 1-D argument self, but got ${self.ndim}-D`);
  if (other.ndim !== 1) throw invalidArgument(`${name}: Expected 1-D argument vec2, but got ${other.ndim}-D`);
}

const outerProduct = (name: "outer" | "ger"): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor self, Tensor vec2) -> Tensor`,
    tags: ["composite"],
    decompose: (emit, { self, vec2 }) => {
      requireVectors(self, vec2, "outer");
      const column = emit("aten.reshape.default", [self, [self.shape[0]!, 1]]);
      return emit("aten.mul.Tensor", [column, vec2]);
    },
  });

const kron = defineOp({
  schema: "aten::kron(Tensor self, Tensor other) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, other }) => {
    specializeSizes(emit.env, [self, other]);
    const rank = Math.max(self.ndim, other.ndim);
    const padded = ({ shape }: FakeTensor): readonly IntLike[] => [
      ...new Array<IntLike>(rank - shape.length).fill(1),
      ...shape,
    ];
    const [left, right] = [padded(self), padded(other)];
    const blocks = emit("aten._unsafe_view.default", [self, left.flatMap((size) => [size, 1])]);
    const within = emit("aten._unsafe_view.default", [other, right.flatMap((size) => [1, size])]);
    const shape = left.map((size, d) => sizeProduct(emit, [size, right[d]!]));
    return emit("aten._unsafe_view.default", [emit("aten.mul.Tensor", [blocks, within]), shape]);
  },
});

const tensordot = defineOp({
  schema: "aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, other, dims_self, dims_other }) => {
    if (dims_self.length !== dims_other.length)
      throw invalidArgument("both dimension lists should have same length");
    if (self.dtype !== other.dtype) throw dtypeMismatch("tensordot: both inputs should have same dtype");
    return emitTensordot(emit, self, other, dims_self as readonly number[], dims_other as readonly number[]);
  },
});

function emitTensordot(
  emit: Emit,
  self: FakeTensor,
  other: FakeTensor,
  dimsSelf: readonly number[],
  dimsOther: readonly number[],
): FakeTensor {
  let [left, right] = [self, other];
  const contracted: IntLike[] = [];
  const sum = (tensor: FakeTensor, dim: number): FakeTensor =>
    emit("aten.sum.dim_IntList", [tensor, [dim], true], { dtype: tensor.dtype });
  dimsSelf.forEach((dim, i) => {
    const a = self.shape[wrapDim(dim, self.ndim)]!;
    const b = other.shape[wrapDim(dimsOther[i]!, other.ndim)]!;
    if (isEqual(emit.env, b, 1)) left = sum(left, dim);
    else if (isEqual(emit.env, a, 1)) right = sum(right, dimsOther[i]!);
    else {
      check(emit.env, eq(a, b), () =>
        shapeMismatch(
          `contracted dimensions need to match, but first has size ${describeSize(a)} in dim ${dim} and second has size ` +
            `${describeSize(b)} in dim ${dimsOther[i]!}`,
        ),
      );
      contracted.push(a);
    }
  });
  const free = (tensor: FakeTensor, dims: readonly number[]): number[] => {
    const used = new Set(dims.map((dim) => wrapDim(dim, tensor.ndim)));
    return tensor.shape.map((_, d) => d).filter((d) => !used.has(d));
  };
  const [rows, columns] = [free(left, dimsSelf), free(right, dimsOther)];
  const [height, width] = [rows.map((d) => left.shape[d]!), columns.map((d) => right.shape[d]!)];
  const single = (sizes: readonly IntLike[]): boolean => sizes.every((size) => isEqual(emit.env, size, 1));
  if (single(height) && single(width)) {
    return emitFullContraction(
      emit,
      left,
      right,
      [...rows, ...dimsSelf],
      [...dimsOther, ...columns],
      [...height, ...width],
    );
  }
  const inner = sizeProduct(emit, contracted);
  const matrix = (tensor: FakeTensor, order: readonly number[], shape: readonly IntLike[]): FakeTensor =>
    emit("aten.reshape.default", [emit("aten.permute.default", [tensor, order]), shape]);
  const a = matrix(left, [...rows, ...dimsSelf], [sizeProduct(emit, height), inner]);
  const b = matrix(right, [...dimsOther, ...columns], [inner, sizeProduct(emit, width)]);
  return emit("aten.reshape.default", [emit("aten.mm.default", [a, b]), [...height, ...width]]);
}

/**
 * Contracts all dimensions but those of size 1: a dot product of the elements when both lie in
 * order.
 */
function emitFullContraction(
  emit: Emit,
  self: FakeTensor,
  other: FakeTensor,
  orderSelf: readonly number[],
  orderOther: readonly number[],
  shape: readonly IntLike[],
): FakeTensor {
  const left = emit("aten.permute.default", [self, orderSelf]);
  const right = emit("aten.permute.default", [other, orderOther]);
  const inOrder = isContiguousFake(left, emit.env) && isContiguousFake(right, emit.env);
  const make = inOrder ? "aten.flatten.using_ints" : "aten.squeeze.default";
  const b = emit(make, [right]);
  const a = emit(make, [left]);
  const sum = inOrder
    ? emit("aten.dot.default", [a, b])
    : emit("aten.sum.default", [emit("aten.mul.Tensor", [a, b])], { dtype: left.dtype });
  return emit("aten.view.default", [sum, shape]);
}

const cross = defineOp({
  schema: "aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, other, dim }) => {
    const axis = dim ?? self.shape.findIndex((size) => isEqual(emit.env, size, 3));
    if (axis === -1 && dim === null) throw invalidArgument("no dimension of size 3 in input");
    return emit("aten.linalg_cross.default", [self, other], { dim: axis });
  },
});

const vander = defineOp({
  schema: "aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { x, N, increasing }) => {
    if (x.ndim !== 1) throw invalidArgument("x must be a one-dimensional tensor.");
    specializeSizes(emit.env, [x]);
    const rows = x.shape[0]!;
    const columns = N ?? rows;
    if (typeof columns === "number" && columns < 0) throw invalidArgument("N must be non-negative.");
    const { device, layout } = x;
    const dtype = x.dtype === "bool" || !isSmallInteger(x) ? promoteOperands([x, 0]) : "int64";
    const result = emit("aten.empty.memory_format", [[rows, columns]], { dtype, layout, device });
    fillPowers(emit, result, x);
    return increasing ? result : emit("aten.flip.default", [result, [1]]);
  },
});

const isSmallInteger = (x: FakeTensor): boolean => /^u?int/.test(x.dtype);

/** Ones, then running products of `x`. */
function fillPowers(emit: Emit, result: FakeTensor, x: FakeTensor): void {
  const columns = result.shape[1]!;
  if (columns === 0) return;
  emit("aten.fill_.Scalar", [emit("aten.select.int", [result, 1, 0]), 1]);
  if (columns === 1) return;
  const powers = emit("aten.slice.Tensor", [result, 1, 1]);
  emit("aten.copy_.default", [powers, emit("aten.unsqueeze.default", [x, 1])]);
  const target = emit("aten.slice.Tensor", [result, 1, 1]);
  const source = emit("aten.slice.Tensor", [result, 1, 1]);
  emit("aten.copy_.default", [target, emit("aten.cumprod.default", [source, 1])]);
}

export const productOps: readonly OpDefinition[] = [
  outerProduct("outer"),
  outerProduct("ger"),
  kron,
  tensordot,
  cross,
  vander,
];
