/** @file Products that are made of other products: `matmul` in every rank, `linear`, `bilinear`. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { broadcastBatches } from "../rules/dims.js";
import { isContiguousFake, numelOf } from "../rules/fake.js";
import { sizeProduct } from "../rules/size-product.js";

const transposeLast = (emit: Emit, tensor: FakeTensor): FakeTensor =>
  emit("aten.transpose.int", [tensor, -2, -1]);

const matmul = defineOp({
  schema: "aten::matmul(Tensor self, Tensor other) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, other }) => multiply(emit, self, other),
});

function multiply(emit: Emit, a: FakeTensor, b: FakeTensor): FakeTensor {
  if (a.ndim === 0 || b.ndim === 0) {
    throw shapeMismatch(
      `both arguments to matmul need to be at least 1D, but they are ${a.ndim}D and ${b.ndim}D`,
    );
  }
  if (a.ndim === 1 && b.ndim === 1) return emit("aten.dot.default", [a, b]);
  if (a.ndim === 2 && b.ndim === 1) return emit("aten.mv.default", [a, b]);
  if (a.ndim === 1 && b.ndim === 2) {
    const row = emit("aten.unsqueeze.default", [a, 0]);
    return emit("aten.squeeze.dim", [emit("aten.mm.default", [row, b]), 0]);
  }
  if (a.ndim === 2 && b.ndim === 2) return emit("aten.mm.default", [a, b]);
  return shouldFold(emit, a, b) ? foldedProduct(emit, a, b) : batchedProduct(emit, a, b);
}

/**
 * Returns whether the batch of the larger operand becomes rows of one matrix, so that `mm` does
 * instead of `bmm`.
 */
function shouldFold(emit: Emit, a: FakeTensor, b: FakeTensor): boolean {
  const [large, small] = a.ndim >= b.ndim ? [a, b] : [b, a];
  if (large.ndim < 3 || small.ndim > 2) return false;
  if (small.requiresGrad) return true;
  if (a.ndim === 2) return false;
  return isEqual(emit.env, numelOf(large.shape), 0) || isContiguousFake(large, emit.env);
}

function foldedProduct(emit: Emit, a: FakeTensor, b: FakeTensor): FakeTensor {
  const transposed = b.ndim > a.ndim;
  const large = transposed ? transposeLast(emit, b) : a;
  const small = !transposed ? b : a.ndim === 2 ? emit("aten.t.default", [a]) : a;
  const batch = large.shape.slice(0, -1);
  const rows = sizeProduct(emit, batch);
  const folded = emit("aten.reshape.default", [large, [rows, large.shape.at(-1)!]]);
  if (small.ndim !== 2) {
    return emit("aten._unsafe_view.default", [emit("aten.mv.default", [folded, small]), batch]);
  }
  const product = emit("aten.mm.default", [folded, small]);
  const output = emit("aten._unsafe_view.default", [product, [...batch, small.shape[1]!]]);
  return transposed ? emit("aten.contiguous.default", [transposeLast(emit, output)]) : output;
}

function batchedProduct(emit: Emit, a: FakeTensor, b: FakeTensor): FakeTensor {
  const squeezed = withoutBroadcastBatch(emit, a, b);
  if (squeezed !== undefined) return squeezed;
  const rows = a.ndim > 1 ? a.shape.at(-2)! : 1;
  const inner = a.shape.at(-1)!;
  const vector = b.ndim === 1;
  const innerOfB = vector ? b.shape[0]! : b.shape.at(-2)!;
  const batch = broadcastBatches(emit.env, a.shape.slice(0, -2), b.shape.slice(0, -2));
  const count = sizeProduct(emit, batch);
  const left = expandAndFlatten(emit, a, [...batch, rows, inner], [count, rows, inner]);
  const columns = vector ? [] : [b.shape.at(-1)!];
  const flatB = expandAndFlatten(emit, b, [...batch, innerOfB, ...columns], [count, innerOfB, ...columns]);
  const right = vector ? emit("aten.unsqueeze.default", [flatB, 2]) : flatB;
  const product = emit("aten.bmm.default", [left, right]);
  const output = vector ? emit("aten.squeeze.dim", [product, -1]) : product;
  return emit("aten.view.default", [output, [...batch, ...(a.ndim > 1 ? [rows] : []), ...columns]]);
}

/** With gradients, a batch of 1 against a larger one is folded rather than expanded. */
function withoutBroadcastBatch(emit: Emit, a: FakeTensor, b: FakeTensor): FakeTensor | undefined {
  const { env } = emit;
  if (a.ndim !== 3 || b.ndim !== 3 || !mayDiffer(env, a.shape[0]!, b.shape[0]!)) return undefined;
  if (a.requiresGrad && isEqual(env, a.shape[0]!, 1)) {
    return multiply(emit, emit("aten.squeeze.dim", [a, 0]), b);
  }
  if (b.requiresGrad && isEqual(env, b.shape[0]!, 1)) {
    return multiply(emit, a, emit("aten.squeeze.dim", [b, 0]));
  }
  return undefined;
}

const expandAndFlatten = (
  emit: Emit,
  tensor: FakeTensor,
  expanded: readonly IntLike[],
  flat: readonly IntLike[],
): FakeTensor => emit("aten.reshape.default", [emit("aten.expand.default", [tensor, expanded]), flat]);

const linear = defineOp({
  schema: "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input, weight, bias }) => {
    if (input.ndim === 0 || weight.ndim === 0) {
      throw shapeMismatch(
        `both arguments to linear need to be at least 1D, but they are ${input.ndim}D and ${weight.ndim}D`,
      );
    }
    const transposed = (): FakeTensor => emit("aten.t.default", [weight]);
    if (bias === null) return emit("aten.matmul.default", [input, transposed()]);
    if (input.ndim === 2) return emit("aten.addmm.default", [bias, input, transposed()]);
    if (isContiguousFake(input, emit.env)) return linearOfRows(emit, input, weight, bias);
    return emit("aten.add.Tensor", [emit("aten.matmul.default", [input, transposed()]), bias]);
  },
});

/** Emits `linear` with all leading dimensions as rows of one matrix. */
function linearOfRows(emit: Emit, input: FakeTensor, weight: FakeTensor, bias: FakeTensor): FakeTensor {
  const batch = input.shape.slice(0, -1);
  const rows = sizeProduct(emit, batch);
  const flat = emit("aten.reshape.default", [input, [rows, input.shape.at(-1)!]]);
  const product = emit("aten.addmm.default", [bias, flat, emit("aten.t.default", [weight])]);
  return emit("aten.view.default", [product, [...batch, product.shape[1]!]]);
}

const bilinear = defineOp({
  schema: "aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input1, input2, weight, bias }) => {
    checkBilinear(emit, input1, input2, weight, bias);
    const flat1 = emit("aten.reshape.default", [input1, [-1, input1.shape.at(-1)!]]);
    const flat2 = emit("aten.reshape.default", [input2, [-1, input2.shape.at(-1)!]]);
    const product = emit("aten._trilinear.default", [flat1, weight, flat2, [1, 3], [0], [1, 2], [2, 3]]);
    const shape = [...input1.shape.slice(0, -1), weight.shape[0]!];
    const output = emit("aten.reshape.default", [product, shape]);
    return bias === null ? output : emit("aten.add.Tensor", [output, bias]);
  },
});

function checkBilinear(
  { env }: Emit,
  input1: FakeTensor,
  input2: FakeTensor,
  weight: FakeTensor,
  bias: FakeTensor | null,
): void {
  if (weight.ndim !== 3)
    throw shapeMismatch(`bilinear(): weight must be 3-dimensional, but got ${weight.ndim}`);
  if (input1.ndim !== input2.ndim) {
    throw shapeMismatch(`bilinear(): input dimensions do not match: got ${input1.ndim} and ${input2.ndim}`);
  }
  for (let d = 0; d < input1.ndim - 1; d++) {
    if (mayDiffer(env, input1.shape[d]!, input2.shape[d]!)) {
      throw shapeMismatch(`bilinear(): input batch dimensions do not match at dim ${d}`);
    }
  }
  [input1, input2].forEach((input, i) => {
    if (mayDiffer(env, input.shape.at(-1)!, weight.shape[i + 1]!)) {
      throw shapeMismatch(`bilinear(): input${i + 1} size does not match weight size`);
    }
  });
  if (bias !== null && mayDiffer(env, bias.shape[0] ?? 1, weight.shape[0]!)) {
    throw shapeMismatch("bilinear(): bias size does not match weight size");
  }
}

const inner = defineOp({
  schema: "aten::inner(Tensor self, Tensor other) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, other }) => {
    if (self.ndim === 0 || other.ndim === 0) return emit("aten.mul.Tensor", [self, other]);
    if (mayDiffer(emit.env, self.shape.at(-1)!, other.shape.at(-1)!)) {
      throw shapeMismatch("inner() the last dimension must match on both input tensors");
    }
    return emit("aten.tensordot.default", [self, other, [-1], [-1]]);
  },
});

/** Products made of `mm`, `bmm` and `addmm`. */
export const matmulCompositeOps: readonly OpDefinition[] = [matmul, linear, bilinear, inner];
