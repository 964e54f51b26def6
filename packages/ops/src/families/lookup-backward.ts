/**
 * @file Gradients of looking up, picking and scanning: they are added back at the places that were
 * read.
 */
import { type FakeTensor, type IntLike, float as pythonFloat } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { describeSize } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { fake, numelOf, rowMajorLike } from "../rules/fake.js";
import { areOther, isOther } from "../rules/operand-sizes.js";

const noSparse = (sparse: boolean): void => {
  if (sparse) throw invalidArgument("sparse gradients are not supported");
};

const embedding = defineOp({
  schema:
    "aten::embedding_backward(Tensor grad, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq, bool sparse) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { grad, indices, num_weights, padding_idx, scale_grad_by_freq, sparse }) => {
    noSparse(sparse);
    return emit("aten.embedding_dense_backward.default", [
      grad,
      indices,
      num_weights,
      padding_idx,
      scale_grad_by_freq,
    ]);
  },
});

const embeddingBag = defineOp({
  schema:
    "aten::_embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor",
  meta: ({ grad, num_weights, sparse }) => {
    noSparse(sparse);
    return fake({ dtype: grad.dtype, shape: [num_weights, grad.shape[1]!], like: grad });
  },
});

const embeddingBagDense = defineOp({
  schema:
    "aten::_embedding_bag_dense_backward(Tensor grad, Tensor indices, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, args) =>
    emit("aten._embedding_bag_backward.default", [
      args.grad,
      args.indices,
      args.offset2bag,
      args.offset2bag,
      args.bag_size,
      args.maximum_indices,
      args.num_weights,
      args.scale_grad_by_freq,
      args.mode,
      false,
      args.per_sample_weights,
      args.padding_idx,
    ]),
});

const perSampleWeights = defineOp({
  schema:
    "aten::_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor weight, Tensor indices, Tensor offsets, Tensor offset2bag, int mode, int padding_idx=-1) -> Tensor",
  meta: ({ grad, indices, mode }) => {
    if (mode !== 0)
      throw invalidArgument("embedding_bag_backward: per_sample_weights only supported for mode='sum'");
    return fake({ dtype: grad.dtype, shape: [indices.shape[0]!], like: grad });
  },
});

const gather = defineOp({
  schema:
    "aten::gather_backward(Tensor grad, Tensor self, int dim, Tensor index, bool sparse_grad) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { grad, self, dim, index, sparse_grad }) => {
    noSparse(sparse_grad);
    const zeros = emit("aten.new_zeros.default", [grad, self.shape]);
    return emit("aten.scatter_add.default", [zeros, dim, index, grad]);
  },
});

const extremum = defineOp({
  schema: "aten::cummaxmin_backward(Tensor grad, Tensor input, Tensor indices, int dim) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { grad, input, indices, dim }) => {
    if (!mayDiffer(emit.env, numelOf(input.shape), 0)) return input;
    const { dtype, layout, device } = input;
    const zeros = emit("aten.zeros.default", [input.shape], { dtype, layout, device, pin_memory: false });
    return emit("aten.scatter_add.default", [zeros, dim, indices, grad]);
  },
});

const conjugated = (emit: Emit, tensor: FakeTensor): FakeTensor =>
  isComplexDType(tensor.dtype) ? emit("aten.conj.default", [tensor]) : tensor;

/**
 * Without zeros the product of the others is the output by the input: sums of `output * grad` from
 * here to the end.
 */
function sumsBeforeZero(
  emit: Emit,
  { weighted, input, zeros, dim }: Record<"weighted" | "input" | "zeros", FakeTensor> & { dim: number },
): FakeTensor {
  const { dtype, layout, device } = weighted;
  const none = emit("aten.zeros.default", [input.shape], { dtype, layout, device, pin_memory: false });
  const before = emit("aten.eq.Scalar", [zeros, 0]);
  const behind = emit("aten.bitwise_not.default", [before]);
  const kept = emit("aten.masked_fill.Scalar", [weighted, behind, pythonFloat(0)]);
  const sums = emit("aten.cumsum.default", [emit("aten.flip.default", [kept, [dim]]), dim]);
  const quotient = emit("aten.div.Tensor", [emit("aten.flip.default", [sums, [dim]]), input]);
  return emit("aten.where.self", [before, quotient, none]);
}

/**
 * At the first zero itself: the product of what is before it, by the products of what is behind.
 */
function productAtZero(
  emit: Emit,
  { grad, input, output, zeros, isZero, dim }: ZeroArgs,
): readonly [mask: FakeTensor, value: FakeTensor] {
  const from = emit("aten.eq.Scalar", [zeros, 1]);
  const first = emit.many("aten.max.dim", [from, dim, true])[1]!;
  const mask = emit("aten.logical_and.default", [from, isZero]);
  const others = emit("aten.bitwise_and.Tensor", [from, emit("aten.bitwise_not.default", [mask])]);
  const unaffected = emit("aten.bitwise_not.default", [others]);
  const behind = emit("aten.cumprod.default", [
    emit("aten.masked_fill.Scalar", [input, unaffected, pythonFloat(1)]),
    dim,
  ]);
  const outside = emit("aten.ne.Scalar", [zeros, 1]);
  const inside = emit("aten.masked_fill.Scalar", [grad, outside, pythonFloat(0)]);
  const previous = emit("aten.relu.default", [emit("aten.sub.Scalar", [first, 1])]);
  const reached = emit("aten.gather.default", [output, dim, previous]);
  const atStart = emit("aten.eq.Scalar", [first, 0]);
  const before = emit("aten.masked_fill.Scalar", [reached, atStart, pythonFloat(1)]);
  const sum = emit("aten.sum.dim_IntList", [emit("aten.mul.Tensor", [behind, inside]), [dim], true]);
  return [mask, emit("aten.mul.Tensor", [sum, before])];
}

interface ZeroArgs {
  readonly grad: FakeTensor;
  readonly input: FakeTensor;
  readonly output: FakeTensor;
  /** How many zeros there were up to each element. */
  readonly zeros: FakeTensor;
  readonly isZero: FakeTensor;
  readonly dim: number;
}

/** A gradient with other sizes than its operands is none, also where these could be expanded. */
function requireEqualSizes(env: SymEnv, a: readonly IntLike[], b: readonly IntLike[]): void {
  if (!areOther(env, a, b)) return;
  const rank = Math.max(a.length, b.length);
  const at = (sizes: readonly IntLike[], d: number): IntLike => sizes[d - rank + sizes.length] ?? 1;
  const dims = Array.from({ length: rank }, (_, d) => rank - 1 - d);
  const dim = dims.find((d) => isOther(env, at(a, d), at(b, d))) ?? 0;
  throw shapeMismatch(
    `The size of tensor a (${describeSize(at(a, dim))}) must match the size of tensor b ` +
      `(${describeSize(at(b, dim))}) at non-singleton dimension ${dim}`,
  );
}

/**
 * The form of `cumprod_backward` that does not read whether there are zeros
 * (`FunctionsManual.cpp`).
 */
const product = defineOp({
  schema: "aten::cumprod_backward(Tensor grad, Tensor input, int dim, Tensor output) -> Tensor",
  tags: ["composite"],
  meta: ({ grad, input, dim, output }, { env }) => {
    const count = numelOf(input.shape);
    if (count === 0 || count === 1) return grad;
    if (input.shape[wrapDim(dim, input.ndim)] === 1) return grad;
    for (const [a, b] of [
      [output, grad],
      [input, grad],
    ] as const)
      requireEqualSizes(env, a.shape, b.shape);
    return rowMajorLike(grad);
  },
  decompose: (emit, args) => {
    const { grad, input: given } = args;
    const count = numelOf(given.shape);
    if (count === 0 || count === 1) return grad;
    const dim = wrapDim(args.dim, given.ndim);
    if (given.shape[dim] === 1) return grad;
    requireEqualSizes(emit.env, given.shape, grad.shape);
    const [input, output] = [conjugated(emit, given), conjugated(emit, args.output)];
    const weighted = emit("aten.mul.Tensor", [output, grad]);
    const isZero = emit("aten.eq.Scalar", [given, 0]);
    const zeros = emit("aten.cumsum.default", [isZero, dim]);
    const known = sumsBeforeZero(emit, { weighted, input, zeros, dim });
    const [mask, value] = productAtZero(emit, { grad, input, output, zeros, isZero, dim });
    return emit("aten.where.self", [mask, value, known]);
  },
});

const maskedScatter = defineOp({
  schema: "aten::masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor",
  meta: ({ grad_output: grad, sizes }) => fake({ dtype: grad.dtype, shape: sizes, like: grad }),
});

export const lookupBackwardOps: readonly OpDefinition[] = [
  embedding,
  embeddingBag,
  embeddingBagDense,
  perSampleWeights,
  gather,
  extremum,
  product,
  maskedScatter,
];
