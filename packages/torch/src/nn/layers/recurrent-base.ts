/** @file What the recurrent layers share: settings, parameters and checks. */

import { floatRepr } from "@sconce/ir";
import { fieldsOf } from "@sconce/source-check";
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { deviceOfTensor } from "../../functions/conversions.js";
import { sizeOf, sizesOf } from "../../functions/sizes.js";
import { guard, sym } from "../../functions/sym.js";
import { torch } from "../../functions/torch.js";
import type { Size } from "../../trace/sym-int.js";
import { badSettings } from "../errors.js";
import { uniform_ } from "../init.js";
import { Module } from "../module.js";
import { emptyState, PLACE, type StatePlace } from "../state-place.js";
import { Parameter } from "../tensors.js";

/** Settings of recurrent layers. */
export interface RecurrentOptions {
  /** How many layers follow one another. @defaultValue 1 */
  readonly numLayers?: number;
  /** Whether biases are added. @defaultValue true */
  readonly bias?: boolean;
  /** Whether the batch is the first dimension, before the steps. @defaultValue false */
  readonly batchFirst?: boolean;
  /** The probability with which results between layers are dropped in training. @defaultValue 0 */
  readonly dropout?: number;
  /** Whether a second direction reads the steps from the end. @defaultValue false */
  readonly bidirectional?: boolean;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Settings of recurrent layers, with their defaults. */
export const RECURRENT: Required<RecurrentOptions> = {
  numLayers: 1,
  bias: true,
  batchFirst: false,
  dropout: 0,
  bidirectional: false,
  ...PLACE,
};

/** What a kind of recurrent layer adds to its settings. */
interface Kind {
  readonly name: string;
  /** Rows of the weights for each hidden value. */
  readonly gates: number;
  /** Size of projected hidden states; 0 for none. */
  readonly projSize: number;
}

/** What {@link RNN}, {@link LSTM} and {@link GRU} share. */
export abstract class RecurrentLayer extends Module {
  /** Size of a step of the input. */
  readonly inputSize: number;
  /** Size of the hidden state. */
  readonly hiddenSize: number;
  /** Size of projected hidden states; 0 for none. */
  readonly projSize: number;
  /** How many layers follow one another. */
  readonly numLayers: number;
  /** Whether biases are added. */
  readonly bias: boolean;
  /** Whether the batch is the first dimension, before the steps. */
  readonly batchFirst: boolean;
  /** The probability with which results between layers are dropped in training. */
  readonly dropout: number;
  /** Whether a second direction reads the steps from the end. */
  readonly bidirectional: boolean;
  private readonly names: readonly string[];

  protected constructor(
    kind: Kind,
    inputSize: number,
    hiddenSize: number,
    settings: Required<RecurrentOptions>,
  ) {
    super();
    checkSettings(kind, inputSize, hiddenSize, settings);
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    this.projSize = kind.projSize;
    this.numLayers = settings.numLayers;
    this.bias = settings.bias;
    this.batchFirst = settings.batchFirst;
    this.dropout = settings.dropout;
    this.bidirectional = settings.bidirectional;
    this.names = this.addParameters(kind.gates * hiddenSize, settings);
    drawParameters(this, hiddenSize);
  }

  /** Size of the hidden state that the next step reads. */
  protected get stateSize(): number {
    return this.projSize > 0 ? this.projSize : this.hiddenSize;
  }

  /** The parameters in the order that the operators take. */
  protected get weights(): Tensor[] {
    const own = fieldsOf<Tensor>(this);
    return this.names.map((name) => own[name]!);
  }

  private addParameters(rows: number, place: StatePlace): string[] {
    const names: string[] = [];
    const directions = this.bidirectional ? ["", "_reverse"] : [""];
    for (let layer = 0; layer < this.numLayers; layer++) {
      const columns = layer === 0 ? this.inputSize : this.stateSize * directions.length;
      for (const direction of directions) {
        const shapes: [name: string, shape: number[]][] = [
          ["weight_ih", [rows, columns]],
          ["weight_hh", [rows, this.stateSize]],
        ];
        if (this.bias) shapes.push(["bias_ih", [rows]], ["bias_hh", [rows]]);
        if (this.projSize > 0) shapes.push(["weight_hr", [this.projSize, this.hiddenSize]]);
        for (const [base, shape] of shapes) {
          const name = `${base}_l${layer}${direction}`;
          this.registerParameter(name, new Parameter(emptyState(shape, place)));
          names.push(name);
        }
      }
    }
    return names;
  }

  /** Gives an input without a batch a batch of one, and checks its dimensions. */
  protected batched(layer: string, input: Tensor): { readonly isBatched: boolean; readonly batch: Tensor } {
    if (input.ndim !== 2 && input.ndim !== 3)
      throw badSettings(
        layer,
        `${layer}: Expected input to be 2D or 3D, got ${input.ndim}D instead`,
        "give [steps, batch, size], or [steps, size] without a batch",
      );
    const isBatched = input.ndim === 3;
    return { isBatched, batch: isBatched ? input : input.unsqueeze(this.batchDim) };
  }

  private get batchDim(): number {
    return this.batchFirst ? 0 : 1;
  }

  /** Takes a batch of one away. */
  protected unbatched(output: Tensor): Tensor {
    return output.squeeze(this.batchDim);
  }

  /** Returns a state of zeros. */
  protected zeroState(input: Tensor, size: number): Tensor {
    const options = { dtype: input.dtype, device: deviceOfTensor(input) };
    return torch.zeros([this.stateCount, sizeOf(input, this.batchDim), size], options);
  }

  private get stateCount(): number {
    return this.numLayers * (this.bidirectional ? 2 : 1);
  }

  /** Gives a state without a batch a batch of one. */
  protected batchedState(layer: string, state: Tensor, isBatched: boolean): Tensor {
    const wanted = isBatched ? 3 : 2;
    if (state.ndim !== wanted)
      throw badSettings(
        layer,
        `For ${isBatched ? "batched 3-D" : "unbatched 2-D"} input, hx should also be ${wanted}-D but got ${state.ndim}-D tensor`,
        "give the state the dimensions [layers, batch, size], without a batch where the input has none",
      );
    return isBatched ? state : state.unsqueeze(1);
  }

  /** Refuses an input of another dtype or size. */
  protected checkInput(layer: string, input: Tensor): void {
    const [first] = this.weights;
    if (input.dtype !== first!.dtype)
      throw badSettings(
        layer,
        `RNN input dtype (torch.${input.dtype}) does not match weight dtype (torch.${first!.dtype})`,
        `convert the input: input.to("${first!.dtype}")`,
      );
    if (!isSize(this.inputSize, sizeOf(input, -1)))
      throw badSettings(
        layer,
        `input.size(-1) must be equal to input_size. Expected ${this.inputSize}, got ${String(sizeOf(input, -1))}`,
        `give steps of size ${this.inputSize}`,
      );
  }

  /** Refuses a state of another shape. */
  protected checkState(layer: string, state: Tensor, input: Tensor, size: number, name = "hidden"): void {
    const wanted = [this.stateCount, sizeOf(input, this.batchDim), size];
    const sizes = sizesOf(state);
    if (sizes.every((own, i) => isSize(own, wanted[i]!))) return;
    throw badSettings(
      layer,
      `Expected ${name} size (${wanted.map(String).join(", ")}), got [${sizes.map(String).join(", ")}]`,
      `give a state of shape [${wanted.map(String).join(", ")}]`,
    );
  }

  override extraRepr(): string {
    const parts = [`${this.inputSize}, ${this.hiddenSize}`];
    if (this.projSize !== 0) parts.push(`proj_size=${this.projSize}`);
    if (this.numLayers !== 1) parts.push(`num_layers=${this.numLayers}`);
    if (!this.bias) parts.push("bias=False");
    if (this.batchFirst) parts.push("batch_first=True");
    if (this.dropout !== 0) parts.push(`dropout=${floatRepr(this.dropout)}`);
    if (this.bidirectional) parts.push("bidirectional=True");
    return parts.join(", ");
  }
}

const isSize = (a: Size, b: Size): boolean => a === b || guard(sym.eq(a, b));

/** Draws all parameters of a module as PyTorch's recurrent layers do. */
export function drawParameters(module: Module, hiddenSize: number): void {
  const bound = 1 / Math.sqrt(hiddenSize);
  for (const parameter of module.parameters()) uniform_(parameter, -bound, bound);
}

function checkSettings(
  { name, projSize }: Kind,
  inputSize: number,
  hiddenSize: number,
  { numLayers, dropout }: Required<RecurrentOptions>,
): void {
  const refuse = (problem: string, fix: string): never => {
    throw badSettings(name, problem, fix);
  };
  if (!(dropout >= 0 && dropout <= 1))
    refuse(
      "dropout should be a number in range [0, 1] representing the probability of an element being zeroed",
      "give a number from 0 to 1",
    );
  if (!(inputSize > 0)) refuse("input_size must be greater than zero", "give a positive size");
  if (!(hiddenSize > 0)) refuse("hidden_size must be greater than zero", "give a positive size");
  if (!(numLayers > 0)) refuse("num_layers must be greater than zero", "give a positive number");
  if (projSize < 0)
    refuse("proj_size should be a positive integer or zero to disable projections", "give 0 or more");
  if (projSize >= hiddenSize)
    refuse("proj_size has to be smaller than hidden_size", `give less than ${hiddenSize}`);
}
