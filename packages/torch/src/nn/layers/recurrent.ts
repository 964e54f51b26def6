/** @file Recurrent layers over whole sequences. */
import { float, pythonTuple } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { torch } from "../../functions/torch.js";
import { requireWord } from "../errors.js";
import { type Settings, settingsOf } from "../settings.js";
import { RECURRENT, RecurrentLayer, type RecurrentOptions } from "./recurrent-base.js";

/** Settings of {@link RNN}. */
export interface RNNOptions extends RecurrentOptions {
  /** The activation of a step. @defaultValue `tanh` */
  readonly nonlinearity?: "tanh" | "relu";
}

/** Positional settings of {@link RNN}, in PyTorch's order. */
export type RNNPositions = [
  numLayers: number,
  nonlinearity: "tanh" | "relu",
  bias: boolean,
  batchFirst: boolean,
  dropout: number,
  bidirectional: boolean,
];

/** Positional settings of {@link GRU}, in PyTorch's order. */
export type GRUPositions = [
  numLayers: number,
  bias: boolean,
  batchFirst: boolean,
  dropout: number,
  bidirectional: boolean,
];

/** What layers with one hidden state share. */
abstract class OneStateLayer extends RecurrentLayer {
  /** The layer's name in messages. */
  protected abstract readonly layer: string;
  /** Runs the operator. */
  protected abstract run(input: Tensor, state: Tensor): readonly [Tensor, Tensor];

  /**
   * Returns the results of all steps and the last hidden state.
   *
   * @param input `[steps, batch, inputSize]`; `[batch, steps, inputSize]` with `batchFirst`
   * @param hx the first hidden state, `[layers, batch, hiddenSize]`; zeros when left out
   */
  override forward(input: Tensor, hx: Tensor | null = null): readonly [Tensor, Tensor] {
    const { isBatched, batch } = this.batched(this.layer, input);
    const state =
      hx === null ? this.zeroState(batch, this.hiddenSize) : this.batchedState(this.layer, hx, isBatched);
    this.checkInput(this.layer, batch);
    this.checkState(this.layer, state, batch, this.hiddenSize);
    const [output, hidden] = this.run(batch, state);
    if (isBatched) return pythonTuple(output, hidden);
    return pythonTuple(this.unbatched(output), hidden.squeeze(1));
  }

  /** The settings that the operators take behind the parameters. */
  protected get flags(): [boolean, number, ReturnType<typeof float>, boolean, boolean, boolean] {
    return [
      this.bias,
      this.numLayers,
      float(this.dropout),
      this.training,
      this.bidirectional,
      this.batchFirst,
    ];
  }
}

/** Elman's network over a sequence (`torch.nn.RNN`). */
export class RNN extends OneStateLayer {
  static override readonly torchClass: string = "torch.nn.modules.rnn.RNN";

  protected override readonly layer = "RNN";
  /** The activation of a step. */
  readonly nonlinearity: "tanh" | "relu";

  constructor(inputSize: number, hiddenSize: number, ...rest: Settings<RNNPositions, RNNOptions>) {
    const { numLayers, ...others } = RECURRENT;
    const settings = settingsOf<Required<RNNOptions>>("RNN", rest, {
      numLayers,
      nonlinearity: "tanh",
      ...others,
    });
    super({ name: "RNN", gates: 1, projSize: 0 }, inputSize, hiddenSize, settings);
    requireWord(
      "RNN",
      settings.nonlinearity,
      ["tanh", "relu"],
      `Unknown nonlinearity '${String(settings.nonlinearity)}'. Select from 'tanh' or 'relu'.`,
    );
    this.nonlinearity = settings.nonlinearity;
  }

  protected override run(input: Tensor, state: Tensor): readonly [Tensor, Tensor] {
    const run = this.nonlinearity === "tanh" ? torch.rnnTanh : torch.rnnRelu;
    return run(input, state, this.weights, ...this.flags);
  }
}

/** Gated recurrent units over a sequence (`torch.nn.GRU`). */
export class GRU extends OneStateLayer {
  static override readonly torchClass: string = "torch.nn.modules.rnn.GRU";

  protected override readonly layer = "GRU";

  constructor(inputSize: number, hiddenSize: number, ...rest: Settings<GRUPositions, RecurrentOptions>) {
    const settings = settingsOf("GRU", rest, RECURRENT);
    super({ name: "GRU", gates: 3, projSize: 0 }, inputSize, hiddenSize, settings);
  }

  protected override run(input: Tensor, state: Tensor): readonly [Tensor, Tensor] {
    return torch.gru(input, state, this.weights, ...this.flags);
  }
}

/** Settings of {@link LSTM}. */
export interface LSTMOptions extends RecurrentOptions {
  /** Size to which hidden states are projected; 0 for no projection. @defaultValue 0 */
  readonly projSize?: number;
}

/** Hidden and cell state of an LSTM. */
export type LSTMState = readonly [hidden: Tensor, cell: Tensor];

/** Long short-term memory over a sequence (`torch.nn.LSTM`). */
export class LSTM extends RecurrentLayer {
  static override readonly torchClass: string = "torch.nn.modules.rnn.LSTM";

  constructor(
    inputSize: number,
    hiddenSize: number,
    ...rest: Settings<[...GRUPositions, projSize: number], LSTMOptions>
  ) {
    const { dtype, ...others } = RECURRENT;
    const settings = settingsOf<Required<LSTMOptions>>("LSTM", rest, { ...others, projSize: 0, dtype });
    super({ name: "LSTM", gates: 4, projSize: settings.projSize }, inputSize, hiddenSize, settings);
  }

  /**
   * Returns the results of all steps and the last states.
   *
   * @param input `[steps, batch, inputSize]`; `[batch, steps, inputSize]` with `batchFirst`
   * @param hx the first hidden and cell state, `[layers, batch, hiddenSize]` (`projSize` for hidden
   * states that are projected); zeros when left out
   */
  override forward(input: Tensor, hx: LSTMState | null = null): readonly [Tensor, LSTMState] {
    const { isBatched, batch } = this.batched("LSTM", input);
    const [hidden, cell] = this.states(batch, hx, isBatched);
    this.checkInput("LSTM", batch);
    this.checkState("LSTM", hidden, batch, this.stateSize, "hidden[0]");
    this.checkState("LSTM", cell, batch, this.hiddenSize, "hidden[1]");
    const { bias, numLayers, dropout, training, bidirectional, batchFirst } = this;
    const [output, lastHidden, lastCell] = torch.lstm(
      batch,
      [hidden, cell],
      this.weights,
      bias,
      numLayers,
      float(dropout),
      training,
      bidirectional,
      batchFirst,
    );
    if (isBatched) return pythonTuple(output, pythonTuple(lastHidden, lastCell));
    return pythonTuple(this.unbatched(output), pythonTuple(lastHidden.squeeze(1), lastCell.squeeze(1)));
  }

  private states(input: Tensor, hx: LSTMState | null, isBatched: boolean): LSTMState {
    if (hx === null) return [this.zeroState(input, this.stateSize), this.zeroState(input, this.hiddenSize)];
    const [hidden, cell] = hx;
    return [this.batchedState("LSTM", hidden, isBatched), this.batchedState("LSTM", cell, isBatched)];
  }
}
