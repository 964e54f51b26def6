/**
 * @file Gradients that PyTorch writes as composites: of matrix functions, of weight norms, of
 * convolutions over time.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { sizeProduct } from "../rules/size-product.js";

/**
 * The gradient of an analytic function of a matrix: a corner of the function of a matrix of twice
 * the size.
 */
const matrixExp = defineOp({
  schema: "aten::matrix_exp_backward(Tensor self, Tensor grad) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, grad }) => {
    const adjoint = emit("aten.mH.default", [self]);
    const n = adjoint.shape.at(-1)!;
    const { dtype, layout, device } = grad;
    const sizes = [
      ...adjoint.shape.slice(0, -2),
      sizeProduct(emit, [adjoint.shape.at(-2)!, 2]),
      sizeProduct(emit, [n, 2]),
    ];
    const whole = emit("aten.zeros.default", [sizes], { dtype, layout, device, pin_memory: false });
    const block = (part: FakeTensor, row: IntLike, column: IntLike): FakeTensor =>
      emit("aten.narrow.default", [emit("aten.narrow.default", [part, -2, row, n]), -1, column, n]);
    emit("aten.copy_.default", [block(whole, 0, 0), adjoint]);
    emit("aten.copy_.default", [block(whole, n, n), adjoint]);
    emit("aten.copy_.default", [block(whole, 0, n), grad]);
    return block(emit("aten.linalg_matrix_exp.default", [whole]), 0, n);
  },
});

const weightNorm = defineOp({
  schema:
    "aten::_weight_norm_differentiable_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor saved_norms, int dim) -> (Tensor, Tensor)",
  tags: ["composite"],
  decompose: (emit, { grad_w: grad, saved_v: v, saved_g: g, saved_norms: norms, dim }) => {
    const last = v.ndim - 1;
    if (dim !== 0 && dim !== last) throw invalidArgument("Expected dim to be the first or last dimension");
    const call = (name: string, a: FakeTensor, b: FakeTensor): FakeTensor =>
      emit(`aten.${name}.Tensor`, [a, b]);
    const size = v.shape[dim === 0 ? 0 : last]!;
    const shape = v.shape.map((_, d) => (d === (dim === 0 ? 0 : last) ? size : 1));
    const flat = emit("aten.view.default", [call("mul", grad, v), dim === 0 ? [size, -1] : [-1, size]]);
    const sums = emit("aten.view.default", [
      emit("aten.sum.dim_IntList", [flat, [dim === 0 ? 1 : 0]]),
      shape,
    ]);
    const projected = call("mul", v, call("div", sums, call("mul", norms, norms)));
    const rest = call("sub", grad, projected);
    return [call("mul", call("div", g, norms), rest), call("div", sums, norms)];
  },
});

/** For each tap where the input and the output begin, and how many steps they share. */
type Span = readonly [input: number, output: number, length: number];

function spansOf(input: FakeTensor, weight: FakeTensor, pad: number): readonly Span[] {
  const [length, taps] = [Number(input.shape[0]), Number(weight.shape[0])];
  const outputs = length - taps + 1 + pad * 2;
  return Array.from({ length: taps }, (_, k) => {
    const output = Math.max(0, pad - k);
    return [Math.max(0, k - pad), output, Math.min(length + pad - k, outputs) - output] as const;
  });
}

const convTbc = defineOp({
  schema:
    "aten::conv_tbc_backward(Tensor self, Tensor input, Tensor weight, Tensor bias, int pad) -> (Tensor, Tensor, Tensor)",
  tags: ["composite"],
  decompose: (emit, { self: grad, input, weight, bias, pad }) => {
    const spans = spansOf(input, weight, Number(pad));
    const batch = input.shape[1]!;
    const rows = (tensor: FakeTensor, start: number, length: number): FakeTensor =>
      emit("aten.view.default", [
        emit("aten.narrow.default", [tensor, 0, start, length]),
        [sizeProduct(emit, [length, batch]), tensor.shape[2]!],
      ]);
    const gradInput = zerosLike(emit, input);
    spans.forEach(([at, from, length], k) => {
      if (length <= 0) return;
      const out = rows(grad, from, length);
      const into = rows(gradInput, at, length);
      emit("aten.addmm_.default", [into, out, transposed(emit, emit("aten.select.int", [weight, 0, k]))]);
    });
    const gradWeight = zerosLike(emit, weight);
    spans.forEach(([at, from, length], k) => {
      if (length <= 0) return;
      const into = emit("aten.select.int", [gradWeight, 0, k]);
      const out = rows(grad, from, length);
      emit("aten.addmm_.default", [into, transposed(emit, rows(input, at, length)), out]);
    });
    const gradBias = zerosLike(emit, bias);
    const sums = emit("aten.sum.dim_IntList", [grad, [0], false]);
    emit("aten.copy_.default", [gradBias, emit("aten.sum.dim_IntList", [sums, [0]])]);
    return [gradInput, gradWeight, gradBias];
  },
});

const zerosLike = (emit: Emit, x: FakeTensor): FakeTensor =>
  emit("aten.zeros_like.default", [x], { memory_format: "contiguous_format" });
const transposed = (emit: Emit, x: FakeTensor): FakeTensor => emit("aten.t.default", [x]);

/** Gradients of conversions are converted back. */
const toDense = defineOp({
  schema: "aten::to_dense_backward(Tensor grad, Tensor input, bool? masked_grad=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { grad, input, masked_grad: masked }) =>
    emit("aten.to_dense.default", [grad, input.dtype], { masked_grad: masked }),
});

const toMkldnn = defineOp({
  schema: "aten::to_mkldnn_backward(Tensor grad, Tensor input) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { grad, input }) => emit("aten.to_dense.default", [grad, input.dtype]),
});

/** Outside of `vmap` a tensor has no batch dimension of that level: it is repeated. */
const removeBatchDim = defineOp({
  schema: "aten::_remove_batch_dim(Tensor self, int level, SymInt batch_size, int out_dim) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, batch_size: size, out_dim: dim }) =>
    emit("aten.expand.default", [self, self.shape.toSpliced(Number(dim), 0, size)]),
});

const weightNormInterface = defineOp({
  schema:
    "aten::_weight_norm_interface_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor saved_norms, int dim) -> (Tensor, Tensor)",
  tags: ["not_in_default_table"],
  decompose: (emit, { grad_w: grad, saved_v: v, saved_g: g, saved_norms: norms, dim }) =>
    emit.many("aten._weight_norm_differentiable_backward.default", [
      emit("aten.contiguous.default", [grad]),
      v,
      g,
      norms,
      dim,
    ]),
});

const gridSampler = defineOp({
  schema:
    "aten::_grid_sampler_2d_cpu_fallback_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> (Tensor, Tensor)",
  tags: ["not_in_default_table"],
  decompose: (emit, { grad_output: grad, input, grid, interpolation_mode, padding_mode, align_corners }) =>
    emit.many("aten.grid_sampler_2d_backward.default", [
      grad,
      input,
      grid,
      interpolation_mode,
      padding_mode,
      align_corners,
      [true, true],
    ]),
});

export const compositeBackwardOps: readonly OpDefinition[] = [
  weightNormInterface,
  gridSampler,
  matrixExp,
  weightNorm,
  convTbc,
  toDense,
  toMkldnn,
  removeBatchDim,
];
