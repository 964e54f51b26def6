/** @file One step of recurrent networks. */
import { pythonTuple } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { deviceOfTensor } from "../../functions/conversions.js";
import { sizeOf } from "../../functions/sizes.js";
import { torch } from "../../functions/torch.js";
import { badSettings, requireWord } from "../errors.js";
import { Module } from "../module.js";
import { type Settings, settingsOf } from "../settings.js";
import { emptyState, PLACE } from "../state-place.js";
import { Parameter } from "../tensors.js";
import { drawParameters } from "./recurrent-base.js";

/** Settings of {@link LSTMCell} and {@link GRUCell}. */
export interface CellOptions {
  /** Whether biases are added. @defaultValue true */
  readonly bias?: boolean;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

const CELL: Required<CellOptions> = { bias: true, ...PLACE };

/** What the cells share. */
abstract class Cell extends Module {
  /** Size of the input. */
  readonly inputSize: number;
  /** Size of the hidden state. */
  readonly hiddenSize: number;
  // State has the names of PyTorch's state dicts.
  /** `[gates * hiddenSize, inputSize]`. */
  weight_ih: Tensor;
  /** `[gates * hiddenSize, hiddenSize]`. */
  weight_hh: Tensor;
  /** `[gates * hiddenSize]`, or null. */
  bias_ih: Tensor | null = null;
  /** `[gates * hiddenSize]`, or null. */
  bias_hh: Tensor | null = null;

  protected constructor(
    gates: number,
    inputSize: number,
    hiddenSize: number,
    { bias, ...place }: Required<CellOptions>,
  ) {
    super();
    const rows = gates * hiddenSize;
    const parameter = (...shape: number[]): Parameter => new Parameter(emptyState(shape, place));
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    this.weight_ih = parameter(rows, inputSize);
    this.weight_hh = parameter(rows, hiddenSize);
    this.registerParameter("bias_ih", bias ? parameter(rows) : null);
    this.registerParameter("bias_hh", bias ? parameter(rows) : null);
    drawParameters(this, hiddenSize);
  }

  /** Gives tensors without a batch a batch of one, and checks their dimensions. */
  protected batched(layer: string, input: Tensor, states: readonly Tensor[]) {
    for (const [name, { ndim }] of [["input", input] as const, ...states.map((x) => ["hidden", x] as const)])
      if (ndim !== 1 && ndim !== 2)
        throw badSettings(
          layer,
          `${layer}: Expected ${name} to be 1D or 2D, got ${ndim}D instead`,
          "give [batch, size], or [size] without a batch",
        );
    const isBatched = input.ndim === 2;
    const wrapped = (x: Tensor): Tensor => (isBatched ? x : x.unsqueeze(0));
    const batch = wrapped(input);
    return {
      batch,
      /** The first state: what was given, or zeros. */
      state: (at: number): Tensor => (states[at] === undefined ? this.zeros(batch) : wrapped(states[at])),
      unwrapped: (x: Tensor): Tensor => (isBatched ? x : x.squeeze(0)),
    };
  }

  private zeros(input: Tensor): Tensor {
    const options = { dtype: input.dtype, device: deviceOfTensor(input) };
    return torch.zeros([sizeOf(input, 0), this.hiddenSize], options);
  }

  /** The parameters in the order that the operators take. */
  protected get weights(): [Tensor, Tensor, Tensor | null, Tensor | null] {
    return [this.weight_ih, this.weight_hh, this.bias_ih, this.bias_hh];
  }

  override extraRepr(): string {
    const { inputSize, hiddenSize, bias_ih: bias } = this;
    return `${inputSize}, ${hiddenSize}${bias === null ? ", bias=False" : ""}`;
  }
}

/** Settings of {@link RNNCell}. */
export interface RNNCellOptions extends CellOptions {
  /** The activation. @defaultValue `tanh` */
  readonly nonlinearity?: "tanh" | "relu";
}

/** One step of Elman's network (`torch.nn.RNNCell`). */
export class RNNCell extends Cell {
  static override readonly torchClass: string = "torch.nn.modules.rnn.RNNCell";

  /** The activation. */
  readonly nonlinearity: "tanh" | "relu";

  constructor(
    inputSize: number,
    hiddenSize: number,
    ...rest: Settings<[bias: boolean, nonlinearity: "tanh" | "relu"], RNNCellOptions>
  ) {
    const settings = settingsOf<Required<RNNCellOptions>>("RNNCell", rest, {
      bias: true,
      nonlinearity: "tanh",
      ...PLACE,
    });
    super(1, inputSize, hiddenSize, settings);
    this.nonlinearity = settings.nonlinearity;
  }

  /** Returns the next hidden state; `hx` is the state before, zeros when left out. */
  override forward(input: Tensor, hx: Tensor | null = null): Tensor {
    const { batch, state, unwrapped } = this.batched("RNNCell", input, hx === null ? [] : [hx]);
    const { nonlinearity } = this;
    requireWord("RNNCell", nonlinearity, ["tanh", "relu"], `Unknown nonlinearity: ${String(nonlinearity)}`);
    const step = nonlinearity === "tanh" ? torch.rnnTanhCell : torch.rnnReluCell;
    return unwrapped(step(batch, state(0), ...this.weights));
  }

  override extraRepr(): string {
    const { nonlinearity } = this;
    return `${super.extraRepr()}${nonlinearity === "tanh" ? "" : `, nonlinearity=${nonlinearity}`}`;
  }
}

/** One step of gated recurrent units (`torch.nn.GRUCell`). */
export class GRUCell extends Cell {
  static override readonly torchClass: string = "torch.nn.modules.rnn.GRUCell";

  constructor(inputSize: number, hiddenSize: number, ...rest: Settings<[bias: boolean], CellOptions>) {
    super(3, inputSize, hiddenSize, settingsOf("GRUCell", rest, CELL));
  }

  /** Returns the next hidden state; `hx` is the state before, zeros when left out. */
  override forward(input: Tensor, hx: Tensor | null = null): Tensor {
    const { batch, state, unwrapped } = this.batched("GRUCell", input, hx === null ? [] : [hx]);
    return unwrapped(torch.gruCell(batch, state(0), ...this.weights));
  }
}

/** One step of long short-term memory (`torch.nn.LSTMCell`). */
export class LSTMCell extends Cell {
  static override readonly torchClass: string = "torch.nn.modules.rnn.LSTMCell";

  constructor(inputSize: number, hiddenSize: number, ...rest: Settings<[bias: boolean], CellOptions>) {
    super(4, inputSize, hiddenSize, settingsOf("LSTMCell", rest, CELL));
  }

  /** Returns the next hidden and cell state; `hx` has those before, zeros when left out. */
  override forward(
    input: Tensor,
    hx: readonly [hidden: Tensor, cell: Tensor] | null = null,
  ): readonly [hidden: Tensor, cell: Tensor] {
    const { batch, state, unwrapped } = this.batched("LSTMCell", input, hx ?? []);
    const hidden = state(0);
    // PyTorch makes one tensor of zeros for both.
    const cell = hx === null ? hidden : state(1);
    const [nextHidden, nextCell] = torch.lstmCell(batch, [hidden, cell], ...this.weights);
    return pythonTuple(unwrapped(nextHidden), unwrapped(nextCell));
  }
}
