/** @file One layer of an encoder or a decoder. */
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { requireWord } from "../errors.js";
import { functional as F } from "../functional.js";
import { additiveMask } from "../functional-attention.js";
import { Module } from "../module.js";
import { type Settings, settingsOf } from "../settings.js";
import { PLACE } from "../state-place.js";
import { MultiheadAttention } from "./attention.js";
import { Dropout } from "./dropout.js";
import { Linear } from "./linear.js";
import { LayerNorm } from "./norm.js";

/** A function of a tensor, or the name of one that is common. */
export type Activation = "relu" | "gelu" | ((x: Tensor) => Tensor);

/** Settings of {@link TransformerEncoderLayer} and {@link TransformerDecoderLayer}. */
export interface TransformerLayerOptions {
  /** Size between the two linear maps. @defaultValue 2048 */
  readonly dimFeedforward?: number;
  /** The probability with which elements are dropped in training. @defaultValue 0.1 */
  readonly dropout?: number;
  /** The activation between the linear maps. @defaultValue `relu` */
  readonly activation?: Activation;
  /** Added to the variances. @defaultValue 1e-5 */
  readonly layerNormEps?: number;
  /** Whether the batch is the first dimension, before the steps. @defaultValue false */
  readonly batchFirst?: boolean;
  /** Whether inputs are normalized, not results. @defaultValue false */
  readonly normFirst?: boolean;
  /** Whether biases are added. @defaultValue true */
  readonly bias?: boolean;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Positional settings, in PyTorch's order. */
export type TransformerLayerPositions = [
  dimFeedforward: number,
  dropout: number,
  activation: Activation,
  layerNormEps: number,
  batchFirst: boolean,
  normFirst: boolean,
  bias: boolean,
];

/** Settings of the layers, with their defaults. */
export const TRANSFORMER: Required<TransformerLayerOptions> = {
  dimFeedforward: 2048,
  dropout: 0.1,
  activation: "relu",
  layerNormEps: 1e-5,
  batchFirst: false,
  normFirst: false,
  bias: true,
  ...PLACE,
};

function activationOf(layer: string, activation: Activation): (x: Tensor) => Tensor {
  if (typeof activation === "function") return activation;
  if (activation === "relu") return F.relu;
  requireWord(
    layer,
    activation,
    ["relu", "gelu"],
    `activation should be relu/gelu, not ${String(activation)}`,
  );
  return F.gelu;
}

/** Masks of one attention layer. */
interface Masks {
  readonly attnMask: Tensor | null;
  readonly keyPaddingMask: Tensor | null;
  readonly isCausal: boolean;
}

const attend = (attention: MultiheadAttention, query: Tensor, source: Tensor, masks: Masks): Tensor =>
  attention(query, source, source, { ...masks, needWeights: false })[0];

/** What a call of {@link TransformerEncoderLayer} takes by name. */
export interface EncoderLayerCall {
  /** Pairs that are left out. */
  readonly srcMask?: Tensor | null;
  /** Keys that are left out, `[batch, steps]`. */
  readonly srcKeyPaddingMask?: Tensor | null;
  /** Whether `srcMask` is that of causal attention. @defaultValue false */
  readonly isCausal?: boolean;
}

/** What a call takes by position, in PyTorch's order. */
export type EncoderLayerPositions = [
  srcMask: Tensor | null,
  srcKeyPaddingMask: Tensor | null,
  isCausal: boolean,
];

const ENCODER_CALL: Required<EncoderLayerCall> = { srcMask: null, srcKeyPaddingMask: null, isCausal: false };

/** Attention and two linear maps (`torch.nn.TransformerEncoderLayer`). */
export class TransformerEncoderLayer extends Module {
  static override readonly torchClass: string = "torch.nn.modules.transformer.TransformerEncoderLayer";

  // State has the names of PyTorch's state dicts.
  /** Attention of the steps to one another. */
  readonly self_attn: MultiheadAttention;
  /** The first linear map. */
  readonly linear1: Linear;
  /** Between the linear maps. */
  readonly dropout: InstanceType<typeof Dropout>;
  /** The second linear map. */
  readonly linear2: Linear;
  /** Whether inputs are normalized, not results. */
  readonly normFirst: boolean;
  /** Of the attention. */
  readonly norm1: LayerNorm;
  /** Of the linear maps. */
  readonly norm2: LayerNorm;
  /** Behind the attention. */
  readonly dropout1: InstanceType<typeof Dropout>;
  /** Behind the linear maps. */
  readonly dropout2: InstanceType<typeof Dropout>;
  /** The activation between the linear maps. */
  readonly activation: (x: Tensor) => Tensor;

  constructor(
    dModel: number,
    nhead: number,
    ...rest: Settings<TransformerLayerPositions, TransformerLayerOptions>
  ) {
    super();
    const settings = settingsOf("TransformerEncoderLayer", rest, TRANSFORMER);
    const { dimFeedforward, dropout, layerNormEps: eps, batchFirst, bias, device, dtype } = settings;
    this.self_attn = new MultiheadAttention(dModel, nhead, { dropout, bias, batchFirst, device, dtype });
    this.linear1 = new Linear(dModel, dimFeedforward, { bias, device, dtype });
    this.dropout = new Dropout(dropout);
    this.linear2 = new Linear(dimFeedforward, dModel, { bias, device, dtype });
    this.normFirst = settings.normFirst;
    this.norm1 = new LayerNorm(dModel, { eps, bias, device, dtype });
    this.norm2 = new LayerNorm(dModel, { eps, bias, device, dtype });
    this.dropout1 = new Dropout(dropout);
    this.dropout2 = new Dropout(dropout);
    this.activation = activationOf("TransformerEncoderLayer", settings.activation);
  }

  /**
   * Returns a tensor of the shape of `src`.
   *
   * @param src `[steps, batch, dModel]`; the batch comes first with `batchFirst`
   * @param rest masks, by position or by name
   */
  override forward(src: Tensor, ...rest: Settings<EncoderLayerPositions, EncoderLayerCall>): Tensor {
    const call = settingsOf("TransformerEncoderLayer", rest, ENCODER_CALL);
    const keyPaddingMask = additiveMask(call.srcKeyPaddingMask, src);
    const attnMask = additiveMask(call.srcMask, src);
    const masks = { attnMask, keyPaddingMask, isCausal: call.isCausal };
    if (this.normFirst) {
      const x = src.add(this.attention(this.norm1(src), masks));
      return x.add(this.feedForward(this.norm2(x)));
    }
    const x = this.norm1(src.add(this.attention(src, masks)));
    return this.norm2(x.add(this.feedForward(x)));
  }

  private attention(x: Tensor, masks: Masks): Tensor {
    return this.dropout1(attend(this.self_attn, x, x, masks));
  }

  private feedForward(x: Tensor): Tensor {
    return this.dropout2(this.linear2(this.dropout(this.activation(this.linear1(x)))));
  }
}

/** What a call of {@link TransformerDecoderLayer} takes by name. */
export interface DecoderLayerCall {
  /** Pairs of targets that are left out. */
  readonly tgtMask?: Tensor | null;
  /** Pairs of targets and memory that are left out. */
  readonly memoryMask?: Tensor | null;
  /** Targets that are left out, `[batch, steps]`. */
  readonly tgtKeyPaddingMask?: Tensor | null;
  /** Steps of the memory that are left out, `[batch, steps]`. */
  readonly memoryKeyPaddingMask?: Tensor | null;
  /** Whether `tgtMask` is that of causal attention. @defaultValue false */
  readonly tgtIsCausal?: boolean;
  /** Whether `memoryMask` is that of causal attention. @defaultValue false */
  readonly memoryIsCausal?: boolean;
}

/** What a call takes by position, in PyTorch's order. */
export type DecoderLayerPositions = [
  tgtMask: Tensor | null,
  memoryMask: Tensor | null,
  tgtKeyPaddingMask: Tensor | null,
  memoryKeyPaddingMask: Tensor | null,
  tgtIsCausal: boolean,
  memoryIsCausal: boolean,
];

const DECODER_CALL: Required<DecoderLayerCall> = {
  tgtMask: null,
  memoryMask: null,
  tgtKeyPaddingMask: null,
  memoryKeyPaddingMask: null,
  tgtIsCausal: false,
  memoryIsCausal: false,
};

/**
 * Attention to the targets and to the memory, and two linear maps
 * (`torch.nn.TransformerDecoderLayer`).
 */
export class TransformerDecoderLayer extends Module {
  static override readonly torchClass: string = "torch.nn.modules.transformer.TransformerDecoderLayer";

  // State has the names of PyTorch's state dicts.
  /** Attention of the targets to one another. */
  readonly self_attn: MultiheadAttention;
  /** Attention of the targets to the memory. */
  readonly multihead_attn: MultiheadAttention;
  /** The first linear map. */
  readonly linear1: Linear;
  /** Between the linear maps. */
  readonly dropout: InstanceType<typeof Dropout>;
  /** The second linear map. */
  readonly linear2: Linear;
  /** Whether inputs are normalized, not results. */
  readonly normFirst: boolean;
  /** Of the attention to the targets. */
  readonly norm1: LayerNorm;
  /** Of the attention to the memory. */
  readonly norm2: LayerNorm;
  /** Of the linear maps. */
  readonly norm3: LayerNorm;
  /** Behind the attention to the targets. */
  readonly dropout1: InstanceType<typeof Dropout>;
  /** Behind the attention to the memory. */
  readonly dropout2: InstanceType<typeof Dropout>;
  /** Behind the linear maps. */
  readonly dropout3: InstanceType<typeof Dropout>;
  /** The activation between the linear maps. */
  readonly activation: (x: Tensor) => Tensor;

  constructor(
    dModel: number,
    nhead: number,
    ...rest: Settings<TransformerLayerPositions, TransformerLayerOptions>
  ) {
    super();
    const settings = settingsOf("TransformerDecoderLayer", rest, TRANSFORMER);
    const { dimFeedforward, dropout, layerNormEps: eps, batchFirst, bias, device, dtype } = settings;
    const attention = { dropout, batchFirst, bias, device, dtype };
    this.self_attn = new MultiheadAttention(dModel, nhead, attention);
    this.multihead_attn = new MultiheadAttention(dModel, nhead, attention);
    this.linear1 = new Linear(dModel, dimFeedforward, { bias, device, dtype });
    this.dropout = new Dropout(dropout);
    this.linear2 = new Linear(dimFeedforward, dModel, { bias, device, dtype });
    this.normFirst = settings.normFirst;
    this.norm1 = new LayerNorm(dModel, { eps, bias, device, dtype });
    this.norm2 = new LayerNorm(dModel, { eps, bias, device, dtype });
    this.norm3 = new LayerNorm(dModel, { eps, bias, device, dtype });
    this.dropout1 = new Dropout(dropout);
    this.dropout2 = new Dropout(dropout);
    this.dropout3 = new Dropout(dropout);
    this.activation = activationOf("TransformerDecoderLayer", settings.activation);
  }

  /**
   * Returns a tensor of the shape of `tgt`.
   *
   * @param tgt `[targets, batch, dModel]`; the batch comes first with `batchFirst`
   * @param memory results of the encoder, `[sources, batch, dModel]`
   * @param rest masks, by position or by name
   */
  override forward(
    tgt: Tensor,
    memory: Tensor,
    ...rest: Settings<DecoderLayerPositions, DecoderLayerCall>
  ): Tensor {
    const call = settingsOf("TransformerDecoderLayer", rest, DECODER_CALL);
    if (this.normFirst) {
      let x = tgt.add(this.attention(this.norm1(tgt), call));
      x = x.add(this.memoryAttention(this.norm2(x), memory, call));
      return x.add(this.feedForward(this.norm3(x)));
    }
    let x = this.norm1(tgt.add(this.attention(tgt, call)));
    x = this.norm2(x.add(this.memoryAttention(x, memory, call)));
    return this.norm3(x.add(this.feedForward(x)));
  }

  private attention(x: Tensor, call: Required<DecoderLayerCall>): Tensor {
    const { tgtMask: attnMask, tgtKeyPaddingMask: keyPaddingMask, tgtIsCausal: isCausal } = call;
    return this.dropout1(attend(this.self_attn, x, x, { attnMask, keyPaddingMask, isCausal }));
  }

  private memoryAttention(x: Tensor, memory: Tensor, call: Required<DecoderLayerCall>): Tensor {
    const { memoryMask: attnMask, memoryKeyPaddingMask: keyPaddingMask, memoryIsCausal: isCausal } = call;
    return this.dropout2(attend(this.multihead_attn, x, memory, { attnMask, keyPaddingMask, isCausal }));
  }

  private feedForward(x: Tensor): Tensor {
    return this.dropout3(this.linear2(this.dropout(this.activation(this.linear1(x)))));
  }
}
