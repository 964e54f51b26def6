/** @file Recurrent layers, unrolled over layers, directions and steps; and single cells. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { mul } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { numelOf } from "../rules/fake.js";
import { requireSizes } from "../rules/operand-sizes.js";

/** Weights of one layer in one direction. */
interface LayerWeights {
  readonly input: FakeTensor;
  readonly hidden: FakeTensor;
  readonly inputBias: FakeTensor | null;
  readonly hiddenBias: FakeTensor | null;
  /** Projection of an LSTM's output. */
  readonly projection: FakeTensor | null;
}

/** Runs one layer in one direction: its outputs over time, and the state after the last step. */
type RunLayer<State> = (
  emit: Emit,
  input: FakeTensor,
  state: State,
  weights: LayerWeights,
  reverse: boolean,
) => readonly [output: FakeTensor, state: State];

interface Options {
  readonly has_biases: boolean;
  readonly num_layers: IntLike;
  readonly dropout: number;
  readonly train: boolean;
  readonly bidirectional: boolean;
  readonly batch_first: boolean;
}

function groupWeights(
  params: readonly FakeTensor[],
  hasBiases: boolean,
  hasProjections: boolean,
): readonly LayerWeights[] {
  const size = 2 + (hasBiases ? 2 : 0) + (hasProjections ? 1 : 0);
  if (params.length % size !== 0) {
    throw invalidArgument(
      `got an incorrect number of RNN parameters: ${params.length} is not divisible by ${size}`,
    );
  }
  return Array.from({ length: params.length / size }, (_, i) => {
    const group = params.slice(i * size, (i + 1) * size);
    return {
      input: group[0]!,
      hidden: group[1]!,
      inputBias: hasBiases ? group[2]! : null,
      hiddenBias: hasBiases ? group[3]! : null,
      projection: hasProjections ? group.at(-1)! : null,
    };
  });
}

/**
 * Dropout between layers. PyTorch's decomposition never reaches it (`_rnn_helper`), so lowered
 * programs have none; its kernels do it, and so do calls that run.
 */
function dropBetween(emit: Emit, output: FakeTensor, { dropout, train }: Options): FakeTensor {
  if (emit.runsKernels !== true || !train || dropout === 0) return output;
  return emit("aten.dropout.default", [output, float(dropout), true]);
}

function runLayers<State>(
  emit: Emit,
  input: FakeTensor,
  states: readonly State[],
  weights: readonly LayerWeights[],
  options: Options,
  run: RunLayer<State>,
): readonly [output: FakeTensor, states: readonly State[]] {
  const { num_layers, bidirectional, batch_first } = options;
  const swap = (tensor: FakeTensor): FakeTensor =>
    batch_first ? emit("aten.transpose.int", [tensor, 0, 1]) : tensor;
  const directions = bidirectional ? 2 : 1;
  const finals: State[] = [];
  let current = swap(input);
  for (let layer = 0; layer < Number(num_layers); layer++) {
    const outputs: FakeTensor[] = [];
    for (let direction = 0; direction < directions; direction++) {
      const at = layer * directions + direction;
      const [output, state] = run(emit, current, states[at]!, weights[at]!, direction === 1);
      outputs.push(output);
      finals.push(state);
    }
    current = bidirectional ? emit("aten.cat.default", [outputs, outputs[0]!.ndim - 1]) : outputs[0]!;
    if (layer < Number(num_layers) - 1) current = dropBetween(emit, current, options);
  }
  return [swap(current), finals];
}

const linear = (emit: Emit, input: FakeTensor, weight: FakeTensor, bias: FakeTensor | null): FakeTensor =>
  emit("aten.linear.default", [input, weight, bias]);

const unbind = (emit: Emit, tensor: FakeTensor): readonly FakeTensor[] =>
  emit.many("aten.unbind.int", [tensor]);

/** Returns the contribution of the inputs to all steps at once. */
function precompute(emit: Emit, input: FakeTensor, weights: LayerWeights, reverse: boolean): FakeTensor {
  const all = linear(emit, input, weights.input, weights.inputBias);
  return reverse ? emit("aten.flip.default", [all, [0]]) : all;
}

const joinSteps = (emit: Emit, steps: FakeTensor[], reverse: boolean): FakeTensor =>
  emit("aten.cat.default", [reverse ? steps.reverse() : steps, 0]);

type Cell = (emit: Emit, input: FakeTensor, hidden: FakeTensor, weights: LayerWeights) => FakeTensor;

/** Returns a layer whose state is its hidden value. */
const layerOf =
  (cell: Cell): RunLayer<FakeTensor> =>
  (emit, input, state, weights, reverse) => {
    const inputs = precompute(emit, input, weights, reverse);
    let hidden = emit("aten.unsqueeze.default", [state, 0]);
    const steps = unbind(emit, inputs).map((step) => {
      hidden = cell(emit, step, hidden, weights);
      return hidden;
    });
    return [joinSteps(emit, steps, reverse), emit("aten.squeeze.dim", [hidden, 0])];
  };

const simpleCell =
  (activation: string): Cell =>
  (emit, input, hidden, weights) => {
    const fromHidden = linear(emit, hidden, weights.hidden, weights.hiddenBias);
    return emit(activation, [emit("aten.add.Tensor", [fromHidden, input])]);
  };

const gruCell: Cell = (emit, input, hidden, weights) => {
  const fromInput = emit.many("aten.chunk.default", [input, 3, 1]);
  const fromHidden = emit.many("aten.chunk.default", [
    linear(emit, hidden, weights.hidden, weights.hiddenBias),
    3,
    2,
  ]);
  return gruStep(emit, fromInput, fromHidden, hidden);
};

/**
 * Single cells write in place, layers do not. It shows in the names of views of the result: they
 * are made anew when they are used.
 */
type Write = "" | "_";

function gruStep(
  emit: Emit,
  fromInput: readonly FakeTensor[],
  fromHidden: readonly FakeTensor[],
  hidden: FakeTensor,
  write: Write = "",
): FakeTensor {
  const gate = (i: number): FakeTensor =>
    emit(`aten.sigmoid${write}.default`, [emit(`aten.add${write}.Tensor`, [fromHidden[i]!, fromInput[i]!])]);
  const reset = gate(0);
  const update = gate(1);
  const damped = emit(`aten.mul${write}.Tensor`, [fromHidden[2]!, reset]);
  const fresh = emit(`aten.tanh${write}.default`, [emit("aten.add.Tensor", [fromInput[2]!, damped])]);
  const kept = emit(`aten.mul${write}.Tensor`, [emit("aten.sub.Tensor", [hidden, fresh]), update]);
  return emit(`aten.add${write}.Tensor`, [kept, fresh]);
}

type LstmState = readonly [hidden: FakeTensor, cell: FakeTensor];

function lstmStep(emit: Emit, gates: readonly FakeTensor[], cell: FakeTensor, write: Write = ""): LstmState {
  const input = emit(`aten.sigmoid${write}.default`, [gates[0]!]);
  const forget = emit(`aten.sigmoid${write}.default`, [gates[1]!]);
  const candidate = emit(`aten.tanh${write}.default`, [gates[2]!]);
  const output = emit(`aten.sigmoid${write}.default`, [gates[3]!]);
  const kept = emit("aten.mul.Tensor", [forget, cell]);
  const next = emit(`aten.add${write}.Tensor`, [kept, emit("aten.mul.Tensor", [input, candidate])]);
  return [emit("aten.mul.Tensor", [output, emit("aten.tanh.default", [next])]), next];
}

const lstmLayer: RunLayer<LstmState> = (emit, input, state, weights, reverse) => {
  let hidden = emit("aten.unsqueeze.default", [state[0], 0]);
  let cell = emit("aten.unsqueeze.default", [state[1], 0]);
  const inputs = precompute(emit, input, weights, reverse);
  const steps = unbind(emit, inputs).map((step) => {
    const fromHidden = linear(emit, hidden, weights.hidden, weights.hiddenBias);
    const gates = emit.many("aten.chunk.default", [emit("aten.add.Tensor", [fromHidden, step]), 4, 2]);
    [hidden, cell] = lstmStep(emit, gates, cell);
    if (weights.projection !== null) hidden = linear(emit, hidden, weights.projection, null);
    return hidden;
  });
  const output = joinSteps(emit, steps, reverse);
  return [output, [emit("aten.squeeze.dim", [hidden, 0]), emit("aten.squeeze.dim", [cell, 0])]];
};

const tags = ["composite", "nondeterministic_seeded"] as const;

type RecurrentArgs = Options & {
  readonly input: FakeTensor;
  readonly hx: FakeTensor;
  readonly params: readonly FakeTensor[];
};

const recurrent =
  (run: RunLayer<FakeTensor>) =>
  (emit: Emit, args: RecurrentArgs): readonly FakeTensor[] => {
    const weights = groupWeights(args.params, args.has_biases, false);
    const [output, states] = runLayers(emit, args.input, unbind(emit, args.hx), weights, args, run);
    return [output, emit("aten.stack.default", [states, 0])];
  };

const rnnTanh = defineOp({
  schema:
    "aten::rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
  tags,
  decompose: recurrent(layerOf(simpleCell("aten.tanh.default"))),
});

const rnnRelu = defineOp({
  schema:
    "aten::rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
  tags,
  decompose: recurrent(layerOf(simpleCell("aten.relu.default"))),
});

const gru = defineOp({
  schema:
    "aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
  tags,
  decompose: recurrent(layerOf(gruCell)),
});

/** `mode` of an LSTM. Sconce supports no other mode of `mkldnn_rnn_layer`. */
const LSTM = 2;

/** Emits a layer as one call of oneDNN. */
const oneDnn: RunLayer<LstmState> = (emit, input, [hidden, cell], weights, reverse) => {
  const { input: w0, hidden: w1 } = weights;
  const biases = [weights.inputBias ?? w0, weights.hiddenBias ?? w1];
  const has = weights.inputBias !== null;
  const size = hidden.shape.at(-1)!;
  const [output, h, c] = emit.many("aten.mkldnn_rnn_layer.default", [
    ...[input, w0, w1, ...biases, hidden, cell],
    ...[reverse, [], LSTM, size, 1, has, false, false, false],
  ]);
  return [output!, [h!, c!]];
};

type LstmArgs = Options & {
  readonly input: FakeTensor;
  readonly hx: readonly FakeTensor[];
  readonly params: readonly FakeTensor[];
};

const hasProjections = ({ env }: Emit, hx: FakeTensor, cx: FakeTensor): boolean =>
  mayDiffer(env, hx.shape[2]!, cx.shape[2]!);

function lstmBy(run: RunLayer<LstmState>, emit: Emit, args: LstmArgs): readonly FakeTensor[] {
  const [hx, cx] = args.hx;
  if (hx === undefined || cx === undefined) throw invalidArgument("lstm expects two hidden states");
  const weights = groupWeights(args.params, args.has_biases, hasProjections(emit, hx, cx));
  const hidden = unbind(emit, hx);
  const cells = unbind(emit, cx);
  const states = hidden.map((state, i): LstmState => [state, cells[i]!]);
  const [output, finals] = runLayers(emit, args.input, states, weights, args, run);
  const stack = (which: 0 | 1): FakeTensor =>
    emit("aten.stack.default", [finals.map((state) => state[which]), 0]);
  return [output, stack(0), stack(1)];
}

const lstm = defineOp({
  schema:
    "aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)",
  tags,
  decompose: (emit, args) => lstmBy(lstmLayer, emit, args),
  kernelCalls: (emit, args) => {
    const [hx, cx] = args.hx;
    const isOther =
      hx === undefined ||
      cx === undefined ||
      hasProjections(emit, hx, cx) ||
      (args.input.dtype !== "float32" && args.input.dtype !== "bfloat16") ||
      isEqual(emit.env, numelOf(args.input.shape), 0);
    return isOther ? undefined : lstmBy(oneDnn, emit, args);
  },
});

/**
 * Checks that states have a row for each of the input's, and that weights have the rows of all
 * gates: fewer would be expanded.
 */
function checkState(
  { env }: Emit,
  input: FakeTensor,
  hidden: FakeTensor,
  weights: FakeTensor,
  gates: number,
): void {
  const [batch, other] = [input.shape[0], hidden.shape[0]];
  if (typeof batch === "number" && typeof other === "number" && batch !== other)
    throw shapeMismatch(`Input batch size ${batch} doesn't match hidden0 batch size ${other}`);
  requireSizes(env, "rows", weights.shape.slice(0, 1), [mul(hidden.shape.at(-1)!, gates)]);
}

const lstmCell = defineOp({
  schema:
    "aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)",
  tags: ["composite"],
  decompose: (emit, { input, hx, w_ih, w_hh, b_ih, b_hh }) => {
    const [hidden, cell] = hx;
    if (hidden === undefined || cell === undefined)
      throw invalidArgument("lstm_cell expects two hidden states");
    checkState(emit, input, hidden, w_ih, 4);
    const fromHidden = linear(emit, hidden, w_hh, b_hh);
    const gates = emit("aten.add_.Tensor", [fromHidden, linear(emit, input, w_ih, b_ih)]);
    return lstmStep(emit, emit.many("aten.unsafe_chunk.default", [gates, 4, 1]), cell, "_");
  },
});

const gruCellOp = defineOp({
  schema:
    "aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input, hx, w_ih, w_hh, b_ih, b_hh }) => {
    checkState(emit, input, hx, w_ih, 3);
    const fromInput = emit.many("aten.unsafe_chunk.default", [linear(emit, input, w_ih, b_ih), 3, 1]);
    const fromHidden = emit.many("aten.unsafe_chunk.default", [linear(emit, hx, w_hh, b_hh), 3, 1]);
    return gruStep(emit, fromInput, fromHidden, hx, "_");
  },
});

interface CellArgs {
  readonly input: FakeTensor;
  readonly hx: FakeTensor;
  readonly w_ih: FakeTensor;
  readonly w_hh: FakeTensor;
  readonly b_ih: FakeTensor | null;
  readonly b_hh: FakeTensor | null;
}

const cellWith =
  (activation: string) =>
  (emit: Emit, { input, hx, w_ih, w_hh, b_ih, b_hh }: CellArgs): FakeTensor => {
    checkState(emit, input, hx, w_ih, 1);
    const fromHidden = linear(emit, hx, w_hh, b_hh);
    return emit(activation, [emit("aten.add_.Tensor", [fromHidden, linear(emit, input, w_ih, b_ih)])]);
  };

const rnnTanhCell = defineOp({
  schema:
    "aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
  tags: ["composite"],
  decompose: cellWith("aten.tanh.default"),
});

const rnnReluCell = defineOp({
  schema:
    "aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
  tags: ["composite"],
  decompose: cellWith("aten.relu.default"),
});

/**
 * oneDNN's layer in a narrow dtype: states have that dtype between steps, gates have `float32`, and
 * so does the cell of which a step computes its hidden state.
 */
const narrowLayer: RunLayer<LstmState> = (emit, input, state, weights) => {
  const { dtype } = input;
  const wide = (x: FakeTensor): FakeTensor => convert(emit, x, "float32");
  const rounded = (x: FakeTensor): FakeTensor => wide(convert(emit, x, dtype));
  const { inputBias, hiddenBias } = weights;
  const bias = inputBias && hiddenBias && wide(emit("aten.add.Tensor", [inputBias, hiddenBias]));
  const [own, hiddenWeight] = [wide(weights.input), wide(weights.hidden)];
  let [hidden, cell] = [wide(state[0]), wide(state[1])];
  const steps = unbind(emit, linear(emit, wide(input), own, bias)).map((step) => {
    const gates = emit("aten.add.Tensor", [linear(emit, hidden, hiddenWeight, null), step]);
    const [next, exact] = lstmStep(emit, emit.many("aten.chunk.default", [gates, 4, 1]), cell);
    [hidden, cell] = [rounded(next), rounded(exact)];
    return emit("aten.unsqueeze.default", [convert(emit, hidden, dtype), 0]);
  });
  const finals = [convert(emit, hidden, dtype), convert(emit, cell, dtype)] as const;
  return [joinSteps(emit, steps, false), finals];
};

const oneDnnLayer = defineOp({
  schema:
    "aten::mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor hx_, Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases, bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)",
  doc: "One direction of one layer, as lowered programs hold it that were exported without gradients.",
  tags: ["not_in_default_table"],
  decompose: (emit, args) => {
    if (args.mode !== LSTM || args.num_layers !== 1 || args.bidirectional || args.batch_sizes.length > 0)
      throw invalidArgument("mkldnn_rnn_layer: only one direction of one layer of an LSTM is supported");
    const time = args.batch_first ? 1 : 0;
    const turned = (x: FakeTensor): FakeTensor => (args.reverse ? emit("aten.flip.default", [x, [time]]) : x);
    const [batch, size] = args.hx_.shape.slice(-2);
    const state = [args.hx_, args.cx_].map((x) => emit("aten.reshape.default", [x, [1, batch, size]]));
    const biases = args.has_biases ? [args.weight2, args.weight3] : [];
    const layer = {
      ...args,
      num_layers: 1,
      dropout: 0,
      train: false,
      input: turned(args.input),
      hx: state,
      params: [args.weight0, args.weight1, ...biases],
    };
    const isNarrow = args.input.dtype === "bfloat16" || args.input.dtype === "float16";
    const results = lstmBy(isNarrow ? narrowLayer : lstmLayer, emit, layer);
    const [hidden, cell] = [results[1], results[2]].map((x) =>
      emit("aten.reshape.default", [x!, args.hx_.shape]),
    );
    const nothing = emit("aten.zeros.default", [[0]], { dtype: "uint8", device: args.input.device });
    return [turned(results[0]!), hidden!, cell!, nothing];
  },
});

/** Recurrent layers and cells. */
export const recurrentOps: readonly OpDefinition[] = [
  oneDnnLayer,
  rnnTanh,
  rnnRelu,
  gru,
  lstm,
  lstmCell,
  gruCellOp,
  rnnTanhCell,
  rnnReluCell,
];
