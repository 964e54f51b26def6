/** @file Triangles and diagonals of matrices. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, symMin } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { describeSize } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { emitNewZeros, emitRange, maskTensor, toContiguous } from "../rules/mask.js";
import { sizeMath } from "../rules/size-math.js";
import { sizeProduct } from "../rules/size-product.js";

/** `column - row` compared with the diagonal says which elements stay. */
const triangle = (name: "tril" | "triu", comparison: string): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor self, SymInt diagonal=0) -> Tensor`,
    decompose: (emit, { self, diagonal }) => {
      if (self.ndim < 2) throw invalidArgument(`${name}: input tensor must have at least 2 dimensions`);
      const [height, width] = self.shape.slice(-2) as [IntLike, IntLike];
      const columns = emit("aten.unsqueeze.default", [emitRange(emit, width, self), -2]);
      const rows = emit("aten.unsqueeze.default", [emitRange(emit, height, self), -1]);
      // As a number, the largest int64 rounds up to 2^63, which wraps around. The bigint is exact.
      const last = typeof diagonal === "number" && diagonal >= 2 ** 63 ? 2n ** 63n - 1n : diagonal;
      const kept = emit(comparison, [emit("aten.sub.Tensor", [columns, rows]), last]);
      return toContiguous(emit, maskTensor(emit, kept, self));
    },
  });

const diagEmbed = defineOp({
  schema: "aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
  decompose: (emit, { self, offset, dim1, dim2 }) => {
    const [first, second] = [wrapDim(dim1, self.ndim + 1), wrapDim(dim2, self.ndim + 1)];
    if (first === second) {
      throw invalidArgument(
        `diagonal dimensions cannot be identical ${describeSize(dim1)}, ${describeSize(dim2)}`,
      );
    }
    const swapped = first > second;
    const shift = swapped ? -Number(offset) : Number(offset);
    return emitDiagEmbed(emit, self, shift, Math.min(first, second), Math.max(first, second));
  },
});

function emitDiagEmbed(emit: Emit, self: FakeTensor, offset: number, dim1: number, dim2: number): FakeTensor {
  const { device } = self;
  const values = offset === 0 ? self : padded(emit, self, offset);
  const size = values.shape.at(-1)!;
  const lifted = emit("aten.movedim.int", [emit("aten.unsqueeze.default", [values, dim1]), -1, dim2]);
  const columns = emitRange(emit, size, self, "int64");
  const rows =
    offset === 0
      ? emitRange(emit, size, self, "int64")
      : emit("aten.arange.start", [offset, add(size, offset)], {
          dtype: "int64",
          device,
          pin_memory: false,
        });
  const onDiagonal = emit("aten.eq.Tensor", [columns, emit("aten.unsqueeze.default", [rows, -1])]);
  const shape = lifted.shape.map((_, d) => (d === dim1 || d === dim2 ? size : 1));
  const mask = emit("aten.reshape.default", [onDiagonal, shape]);
  return toContiguous(emit, maskTensor(emit, mask, lifted));
}

/**
 * Zeros before (or after) the values, so that the shifted diagonal keeps the size of the matrix.
 */
function padded(emit: Emit, self: FakeTensor, offset: number): FakeTensor {
  const shape = self.shape.with(-1, Math.abs(offset));
  const zeros = emit("aten.zeros.default", [shape], {
    dtype: self.dtype,
    device: self.device,
    pin_memory: false,
  });
  return emit("aten.cat.default", [offset > 0 ? [zeros, self] : [self, zeros], -1]);
}

const diag = defineOp({
  schema: "aten::diag(Tensor self, int diagonal=0) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, diagonal }) => {
    if (self.ndim !== 1 && self.ndim !== 2)
      throw invalidArgument(`diag(): Supports 1D or 2D tensors. Got ${self.ndim}D`);
    return emit(self.ndim === 1 ? "aten.diag_embed.default" : "aten.diagonal_copy.default", [self, diagonal]);
  },
});

const diagflat = defineOp({
  schema: "aten::diagflat(Tensor self, int offset=0) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, offset }) => {
    const flat = emit("aten.view.default", [toContiguous(emit, self), [-1]]);
    return emit("aten.diag.default", [flat, offset]);
  },
});

const linalgDiagonal = defineOp({
  schema: "aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
  tags: ["composite"],
  decompose: (emit, { A, offset, dim1, dim2 }) => emit("aten.diagonal.default", [A, offset, dim1, dim2]),
});

function requireMatrix(self: FakeTensor): void {
  if (self.ndim !== 2)
    throw invalidArgument(`trace: expected a matrix, but got tensor with dim ${self.ndim}`);
}

const trace = defineOp({
  schema: "aten::trace(Tensor self) -> Tensor",
  decompose: (emit, { self }) => {
    requireMatrix(self);
    return emit("aten.sum.default", [emit("aten.diag.default", [self, 0])]);
  },
});

const traceBackward = defineOp({
  schema: "aten::trace_backward(Tensor grad, SymInt[] sizes) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { grad, sizes }) => {
    if (sizes.length !== 2) throw invalidArgument("expected matrix input");
    const zeros = emitNewZeros(emit, grad, [sizeProduct(emit, sizes)]);
    const [rows, columns] = sizes as readonly [IntLike, IntLike];
    const step = sizeMath(emit, "add", columns, 1);
    const end = sizeMath(emit, "mul", symMin(rows, columns), step);
    const places = emit("aten.arange.start_step", [0, end, step], {
      dtype: "int64",
      layout: "strided",
      device: grad.device,
    });
    const filled = emit("aten.index_fill.int_Tensor", [zeros, 0, places, grad]);
    return emit("aten.view.default", [filled, sizes]);
  },
});

export const diagonalOps: readonly OpDefinition[] = [
  triangle("tril", "aten.le.Scalar"),
  triangle("triu", "aten.ge.Scalar"),
  diagEmbed,
  diag,
  diagflat,
  linalgDiagonal,
  trace,
  traceBackward,
];
