/** @file Gradients of looking up, picking and scanning: they are added back at the places that were read. */
import type { FakeTensor } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../define-op.js";
import { invalidArgument } from "../errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { wrapDim } from "../rules/dims.js";
import { fake, numelOf } from "../rules/fake.js";

/** A fresh row-major tensor like this one. */
const freshLike = (tensor: FakeTensor): FakeTensor =>
  fake({ dtype: tensor.dtype, shape: tensor.shape, like: tensor });

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

/** Reads whether the input has zeros, so that it cannot be decomposed without its values. */
const product = defineOp({
  schema: "aten::cumprod_backward(Tensor grad, Tensor input, int dim, Tensor output) -> Tensor",
  tags: ["composite"],
  meta: ({ grad, input, dim }) => {
    const at = wrapDim(dim, input.ndim);
    return numelOf(input.shape) === 1 || input.shape[at] === 1 ? grad : freshLike(grad);
  },
});

const maskedScatter = defineOp({
  schema: "aten::masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor",
  meta: ({ grad_output: grad, sizes }) => fake({ dtype: grad.dtype, shape: sizes, like: grad }),
});

export const lookupBackwardOps: readonly OpDefinition[] = [
  embedding,
  embeddingBag,
  perSampleWeights,
  gather,
  extremum,
  product,
  maskedScatter,
];
