/** @file Views that reorder dimensions. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { viewOf } from "../rules/view-geometry.js";
import { askLayout, hasReferenceView } from "../rules/view-reference.js";

/** @throws SconceError `INVALID_ARGUMENT`, `DIM_OUT_OF_RANGE` */
export function permuteMeta(self: FakeTensor, dims: readonly IntLike[], env: SymEnv): FakeTensor {
  if (dims.length !== self.ndim) {
    throw invalidArgument(
      "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired " +
        `ordering of dimensions i.e. input.dim() = ${self.ndim} is not equal to len(dims) = ${dims.length}`,
    );
  }
  const order = dims.map((dim) => wrapDim(dim, self.ndim));
  if (new Set(order).size !== order.length)
    throw invalidArgument("permute(): duplicate dims are not allowed.");
  const shape = order.map((dim) => self.shape[dim]!);
  const strides = order.map((dim) => self.strides[dim]!);
  if (hasReferenceView(self, shape)) askLayout({ shape, strides }, env);
  return viewOf(self, shape, strides);
}

/** Returns all dimensions in order, with two exchanged. */
function exchanged(ndim: number, dim0: number, dim1: number): number[] {
  const order = Array.from({ length: ndim }, (_, d) => d);
  order[dim0] = dim1;
  order[dim1] = dim0;
  return order;
}

const permute = defineOp({
  schema: "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)",
  tags: ["core"],
  meta: ({ self, dims }, { env }) => permuteMeta(self, dims, env),
});

const transpose = defineOp({
  schema: "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
  meta: ({ self, dim0, dim1 }, { env }) => {
    const [first, second] = [wrapDim(dim0, self.ndim), wrapDim(dim1, self.ndim)];
    return permuteMeta(self, self.ndim === 0 ? [] : exchanged(self.ndim, first, second), env);
  },
  decompose: (emit, { self, dim0, dim1 }) => {
    const [first, second] = [wrapDim(dim0, self.ndim), wrapDim(dim1, self.ndim)];
    if (self.ndim <= 1 || dim0 === dim1) return emit("aten.alias.default", [self]);
    return emit("aten.permute.default", [self, exchanged(self.ndim, first, second)]);
  },
});

const t = defineOp({
  schema: "aten::t(Tensor(a) self) -> Tensor(a)",
  meta: ({ self }) => {
    if (self.ndim > 2)
      throw invalidArgument(`t() expects a tensor with <= 2 dimensions, but self is ${self.ndim}D`);
    return viewOf(self, self.shape.toReversed(), self.strides.toReversed());
  },
  decompose: (emit, { self }) => emit("aten.transpose.int", [self, 0, self.ndim < 2 ? 0 : 1]),
});

const swapaxes = defineOp({
  schema: "aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, axis0, axis1 }) => emit("aten.transpose.int", [self, axis0, axis1]),
});

const swapdims = defineOp({
  schema: "aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self, dim0, dim1 }) => emit("aten.transpose.int", [self, dim0, dim1]),
});

const numpyT = defineOp({
  schema: "aten::numpy_T(Tensor(a) self) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self }) =>
    emit("aten.permute.default", [self, self.shape.map((_, d) => self.ndim - 1 - d)]),
});

function requireMatrix(self: FakeTensor, name: string): void {
  if (self.ndim >= 2) return;
  throw invalidArgument(
    `tensor.${name} is only supported on matrices or batches of matrices. Got ${self.ndim}-D tensor.`,
  );
}

const mT = defineOp({
  schema: "aten::mT(Tensor(a) self) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self }) => {
    requireMatrix(self, "mT");
    return emit("aten.transpose.int", [self, -2, -1]);
  },
});

const adjoint = defineOp({
  schema: "aten::adjoint(Tensor(a) self) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self }) => {
    requireMatrix(self, "adjoint()");
    const transposed = emit("aten.transpose.int", [self, -2, -1]);
    return self.dtype.startsWith("complex") ? emit("aten._conj.default", [transposed]) : transposed;
  },
});

const mH = defineOp({
  schema: "aten::mH(Tensor(a) self) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self }) => emit("aten.adjoint.default", [self]),
});

const matrixH = defineOp({
  schema: "aten::matrix_H(Tensor(a) self) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { self }) => {
    if (self.ndim !== 0 && self.ndim !== 2) {
      throw invalidArgument(
        `tensor.H is only supported on matrices (2-D tensors). Got ${self.ndim}-D tensor.`,
      );
    }
    const complex = self.dtype.startsWith("complex");
    if (self.ndim === 0) return complex ? emit("aten._conj.default", [self]) : self;
    const transposed = emit("aten.transpose.int", [self, -2, -1]);
    return complex ? emit("aten._conj.default", [transposed]) : transposed;
  },
});

/**
 * Returns the order that brings `source` dimensions to `destination`, the others staying in
 * sequence.
 */
function movedOrder(rank: number, source: readonly IntLike[], destination: readonly IntLike[]): number[] {
  if (source.length !== destination.length) {
    throw invalidArgument(
      `movedim: Invalid source or destination dims: source (${describeSizes(source)} dims) should contain the same ` +
        `number of dims as destination (${describeSizes(destination)} dims)`,
    );
  }
  // A tensor without dimensions is moved as one of a single dimension.
  const ndim = Math.max(rank, 1);
  const from = source.map((dim) => wrapDim(dim, ndim));
  const to = destination.map((dim) => wrapDim(dim, ndim));
  if (new Set(from).size !== from.length) {
    throw invalidArgument(`movedim: repeated dim in \`source\` (${describeSizes(source)})`);
  }
  if (new Set(to).size !== to.length) {
    throw invalidArgument(`movedim: repeated dim in \`destination\` (${describeSizes(destination)})`);
  }
  const rest = Array.from({ length: ndim }, (_, d) => d).filter((d) => !from.includes(d));
  return Array.from({ length: ndim }, (_, d) => {
    const moved = to.indexOf(d);
    return moved >= 0 ? from[moved]! : rest.shift()!;
  });
}

const moved = (emit: Emit, self: FakeTensor, order: readonly number[]): FakeTensor =>
  self.ndim === 0 ? emit("aten.alias.default", [self]) : emit("aten.permute.default", [self, order]);

const movedim = (name: "movedim" | "moveaxis"): readonly OpDefinition[] => [
  defineOp({
    schema: `aten::${name}.int(Tensor(a) self, int source, int destination) -> Tensor(a)`,
    tags: ["composite"],
    decompose: (emit, { self, source, destination }) =>
      moved(emit, self, movedOrder(self.ndim, [source], [destination])),
  }),
  defineOp({
    schema: `aten::${name}.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)`,
    tags: ["composite"],
    decompose: (emit, { self, source, destination }) =>
      moved(emit, self, movedOrder(self.ndim, source, destination)),
  }),
];

export const viewPermuteOps: readonly OpDefinition[] = [
  permute,
  transpose,
  t,
  swapaxes,
  swapdims,
  numpyT,
  mT,
  adjoint,
  mH,
  matrixH,
  ...movedim("movedim"),
  ...movedim("moveaxis"),
];
