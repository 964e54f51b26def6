/**
 * @file Gradients of single steps of recurrent networks, as PyTorch writes them for second
 * derivatives.
 */
import type { FakeTensor, MetaValue } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { shapeMismatch } from "../rows/errors.js";

/** Calls with the names that the formulas have. */
class Gates {
  constructor(readonly emit: Emit) {}
  add = (a: FakeTensor, b: FakeTensor | null): FakeTensor =>
    b === null ? a : this.emit("aten.add.Tensor", [a, b]);
  sub = (a: FakeTensor, b: FakeTensor): FakeTensor => this.emit("aten.sub.Tensor", [a, b]);
  mul = (a: FakeTensor, b: FakeTensor): FakeTensor => this.emit("aten.mul.Tensor", [a, b]);
  sigmoid = (x: FakeTensor): FakeTensor => this.emit("aten.sigmoid.default", [x]);
  tanh = (x: FakeTensor): FakeTensor => this.emit("aten.tanh.default", [x]);
  sigmoidBackward = (grad: FakeTensor, out: FakeTensor): FakeTensor =>
    this.emit("aten.sigmoid_backward.default", [grad, out]);
  tanhBackward = (grad: FakeTensor, out: FakeTensor): FakeTensor =>
    this.emit("aten.tanh_backward.default", [grad, out]);
  chunk = (x: FakeTensor, count: number): readonly FakeTensor[] => {
    if (x.ndim < 2) throw shapeMismatch(`gates must have a dimension 1, got ${x.ndim} dimensions`);
    return this.emit.many("aten.unsafe_chunk.default", [x, count, 1]);
  };
  join = (parts: readonly FakeTensor[]): FakeTensor => this.emit("aten.cat.default", [parts, 1]);
  sumRows = (x: FakeTensor): FakeTensor => this.emit("aten.sum.dim_IntList", [x, [0], false]);
}

const gru = defineOp({
  schema:
    "aten::_thnn_differentiable_gru_cell_backward(Tensor grad_hy, Tensor input_gates, Tensor hidden_gates, Tensor hx, Tensor? input_bias, Tensor? hidden_bias) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
  tags: ["composite"],
  decompose: (emit, args) => {
    const { grad_hy: grad, hx, input_bias: inputBias, hidden_bias: hiddenBias } = args;
    const t = new Gates(emit);
    const input = t.add(args.input_gates, inputBias);
    const hidden = t.add(args.hidden_gates, hiddenBias);
    const [inputReset, inputUpdate, inputNew] = t.chunk(input, 3) as [FakeTensor, FakeTensor, FakeTensor];
    const [hiddenReset, hiddenUpdate, hiddenNew] = t.chunk(hidden, 3) as [FakeTensor, FakeTensor, FakeTensor];
    const reset = t.sigmoid(t.add(inputReset, hiddenReset));
    const update = t.sigmoid(t.add(inputUpdate, hiddenUpdate));
    const gradHx = t.mul(grad, update);
    const candidate = t.tanh(t.add(inputNew, t.mul(reset, hiddenNew)));
    const gradUpdate = t.sigmoidBackward(t.mul(grad, t.sub(hx, candidate)), update);
    const ones = emit("aten.fill_.Scalar", [emit("aten.empty_like.default", [update]), 1]);
    const gradNew = t.tanhBackward(t.mul(grad, t.sub(ones, update)), candidate);
    const gradHiddenNew = t.mul(gradNew, reset);
    const gradReset = t.sigmoidBackward(t.mul(gradNew, hiddenNew), reset);
    const gradInput = t.join([gradReset, gradUpdate, gradNew]);
    const gradHidden = t.join([gradReset, gradUpdate, gradHiddenNew]);
    return [gradInput, gradHidden, gradHx, t.sumRows(gradInput), t.sumRows(gradHidden)];
  },
});

const lstm = defineOp({
  schema:
    "aten::_thnn_differentiable_lstm_cell_backward(Tensor? grad_hy, Tensor? grad_cy, Tensor input_gates, Tensor hidden_gates, Tensor? input_bias, Tensor? hidden_bias, Tensor cx, Tensor cy) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
  tags: ["composite"],
  decompose: (emit, args): readonly MetaValue[] => {
    const { grad_hy: gradHy, grad_cy: gradCy, input_bias: inputBias, hidden_bias: hiddenBias, cx } = args;
    if (gradHy === null && gradCy === null) return [null, null, null, null, null];
    const t = new Gates(emit);
    const summed = t.add(args.input_gates, args.hidden_gates);
    const parts = t.chunk(t.add(t.add(summed, inputBias), hiddenBias), 4);
    const [input, forget, cell, output] = parts.map((part, i) =>
      i === 2 ? t.tanh(part) : t.sigmoid(part),
    ) as [FakeTensor, FakeTensor, FakeTensor, FakeTensor];
    const squashed = t.tanh(args.cy);
    const [gradOutput, carried] = outputGradients(t, args, squashed, output);
    const gradInput = t.mul(carried, cell);
    const gradForget = t.mul(carried, cx);
    const gradCell = t.mul(carried, input);
    const gradCx = t.mul(carried, forget);
    const gates = t.join([
      t.sigmoidBackward(gradInput, input),
      t.sigmoidBackward(gradForget, forget),
      t.tanhBackward(gradCell, cell),
      gradOutput,
    ]);
    const bias = inputBias === null ? null : t.sumRows(gates);
    return [gates, gates, gradCx, bias, bias];
  },
});

/** Gradients of the output gate and of the new cell state. */
function outputGradients(
  t: Gates,
  args: { readonly grad_hy: FakeTensor | null; readonly grad_cy: FakeTensor | null; readonly cx: FakeTensor },
  squashed: FakeTensor,
  output: FakeTensor,
): readonly [gate: FakeTensor, cell: FakeTensor] {
  const { grad_hy: gradHy, grad_cy: gradCy, cx } = args;
  if (gradHy === null)
    return [t.emit("aten.zeros_like.default", [cx], { memory_format: "contiguous_format" }), gradCy!];
  const gate = t.sigmoidBackward(t.mul(gradHy, squashed), output);
  return [gate, t.add(t.tanhBackward(t.mul(gradHy, output), squashed), gradCy)];
}

export const recurrentBackwardOps: readonly OpDefinition[] = [gru, lstm];
