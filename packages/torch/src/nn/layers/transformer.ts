/** @file Encoders and decoders of attention layers. */
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { sizeOf } from "../../functions/sizes.js";
import { guard, sym } from "../../functions/sym.js";
import { torch } from "../../functions/torch.js";
import { badSettings } from "../errors.js";
import { xavierUniform_ } from "../init.js";
import { type AnyModule, Module } from "../module.js";
import { type Settings, settingsOf } from "../settings.js";
import { LayerNorm } from "./norm.js";
import {
  type Activation,
  TRANSFORMER,
  TransformerDecoderLayer,
  TransformerEncoderLayer,
  type TransformerLayerOptions,
} from "./transformer-layer.js";
import {
  type DecoderCall,
  type EncoderCall,
  TransformerDecoder,
  TransformerEncoder,
} from "./transformer-stack.js";

/** Settings of {@link Transformer}. */
export interface TransformerOptions extends TransformerLayerOptions {
  /** Size of queries and results. @defaultValue 512 */
  readonly dModel?: number;
  /** Heads of each attention layer. @defaultValue 8 */
  readonly nhead?: number;
  /** Layers of the encoder. @defaultValue 6 */
  readonly numEncoderLayers?: number;
  /** Layers of the decoder. @defaultValue 6 */
  readonly numDecoderLayers?: number;
  /** An encoder of your own, called as {@link TransformerEncoder}. @defaultValue none */
  readonly customEncoder?: Module | null;
  /** A decoder of your own, called as {@link TransformerDecoder}. @defaultValue none */
  readonly customDecoder?: Module | null;
}

/** Positional settings, in PyTorch's order. */
export type TransformerPositions = [
  dModel: number,
  nhead: number,
  numEncoderLayers: number,
  numDecoderLayers: number,
  dimFeedforward: number,
  dropout: number,
  activation: Activation,
];

/** What a call of {@link Transformer} takes by name. */
export interface TransformerCall {
  /** Pairs that the encoder leaves out. */
  readonly srcMask?: Tensor | null;
  /** Pairs that the decoder leaves out. */
  readonly tgtMask?: Tensor | null;
  /** Pairs of targets and results of the encoder that are left out. */
  readonly memoryMask?: Tensor | null;
  /** Sources that are left out, `[batch, sources]`. */
  readonly srcKeyPaddingMask?: Tensor | null;
  /** Targets that are left out, `[batch, targets]`. */
  readonly tgtKeyPaddingMask?: Tensor | null;
  /** Results of the encoder that are left out, `[batch, sources]`. */
  readonly memoryKeyPaddingMask?: Tensor | null;
  /** Whether `srcMask` is that of causal attention; compared when left out. */
  readonly srcIsCausal?: boolean | null;
  /** Whether `tgtMask` is that of causal attention; compared when left out. */
  readonly tgtIsCausal?: boolean | null;
  /** Whether `memoryMask` is that of causal attention. @defaultValue false */
  readonly memoryIsCausal?: boolean;
}

/** What a call takes by position, in PyTorch's order. */
export type TransformerCallPositions = [
  srcMask: Tensor | null,
  tgtMask: Tensor | null,
  memoryMask: Tensor | null,
];

const CALL: Required<TransformerCall> = {
  srcMask: null,
  tgtMask: null,
  memoryMask: null,
  srcKeyPaddingMask: null,
  tgtKeyPaddingMask: null,
  memoryKeyPaddingMask: null,
  srcIsCausal: null,
  tgtIsCausal: null,
  memoryIsCausal: false,
};

/** Options of {@link Transformer.generateSquareSubsequentMask}. */
export interface MaskOptions {
  /** The dtype of the mask. @defaultValue float32 */
  readonly dtype?: DType | null;
  /** The device of the mask. @defaultValue the CPU */
  readonly device?: Device | null;
}

type StackCall<Call> = (...args: [...Tensor[], Call]) => Tensor;

/** An encoder and a decoder (`torch.nn.Transformer`). */
export class Transformer extends Module {
  static override readonly torchClass: string = "torch.nn.modules.transformer.Transformer";

  /** Reads the source. */
  readonly encoder: Module;
  /** Reads the target and the results of the encoder. */
  readonly decoder: Module;
  /** Size of queries and results. */
  readonly dModel: number;
  /** Heads of each attention layer. */
  readonly nhead: number;
  /** Whether the batch is the first dimension, before the steps. */
  readonly batchFirst: boolean;

  constructor(...rest: Settings<TransformerPositions, TransformerOptions>) {
    super();
    const { dimFeedforward, dropout, activation, ...others } = TRANSFORMER;
    const { customEncoder, customDecoder, ...settings } = settingsOf<Required<TransformerOptions>>(
      "Transformer",
      rest,
      {
        dModel: 512,
        nhead: 8,
        numEncoderLayers: 6,
        numDecoderLayers: 6,
        dimFeedforward,
        dropout,
        activation,
        customEncoder: null,
        customDecoder: null,
        ...others,
      },
    );
    const { dModel, nhead, numEncoderLayers, numDecoderLayers, ...layer } = settings;
    const { layerNormEps: eps, bias, device, dtype } = layer;
    const norm = (): LayerNorm => new LayerNorm(dModel, { eps, bias, device, dtype });
    this.encoder =
      customEncoder ??
      new TransformerEncoder(new TransformerEncoderLayer(dModel, nhead, layer), numEncoderLayers, norm());
    this.decoder =
      customDecoder ??
      new TransformerDecoder(new TransformerDecoderLayer(dModel, nhead, layer), numDecoderLayers, norm());
    for (const parameter of this.parameters()) if (parameter.ndim > 1) xavierUniform_(parameter);
    this.dModel = dModel;
    this.nhead = nhead;
    this.batchFirst = layer.batchFirst;
  }

  /**
   * Returns the decoder's results, of the shape of `tgt`.
   *
   * @param src `[sources, batch, dModel]`; the batch comes first with `batchFirst`
   * @param tgt `[targets, batch, dModel]`
   * @param rest masks, by position or by name
   */
  override forward(
    src: Tensor,
    tgt: Tensor,
    ...rest: Settings<TransformerCallPositions, TransformerCall>
  ): Tensor {
    const call = settingsOf("Transformer", rest, CALL);
    this.checkSizes(src, tgt);
    const encode = this.encoder as AnyModule as StackCall<EncoderCall>;
    const decode = this.decoder as AnyModule as StackCall<DecoderCall>;
    const memory = encode(src, {
      mask: call.srcMask,
      srcKeyPaddingMask: call.srcKeyPaddingMask,
      isCausal: call.srcIsCausal,
    });
    const { tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal, memoryIsCausal } =
      call;
    return decode(tgt, memory, {
      tgtMask,
      memoryMask,
      tgtKeyPaddingMask,
      memoryKeyPaddingMask,
      tgtIsCausal,
      memoryIsCausal,
    });
  }

  private checkSizes(src: Tensor, tgt: Tensor): void {
    const batch = this.batchFirst ? 0 : 1;
    if (src.ndim === 3 && !guard(sym.eq(sizeOf(src, batch), sizeOf(tgt, batch))))
      throw badSettings(
        "Transformer",
        "the batch number of src and tgt must be equal",
        `give the same size of dimension ${batch}`,
      );
    const { dModel } = this;
    if (!guard(sym.eq(sizeOf(src, -1), dModel)) || !guard(sym.eq(sizeOf(tgt, -1), dModel)))
      throw badSettings(
        "Transformer",
        "the feature number of src and tgt must be equal to d_model",
        `give a last dimension of ${dModel}`,
      );
  }

  /**
   * Returns the mask of causal attention, `[size, size]`: negative infinity where a later step is
   * read.
   */
  static generateSquareSubsequentMask(
    size: number,
    ...rest: Settings<[dtype: DType | null], MaskOptions>
  ): Tensor {
    const { dtype, device } = settingsOf<Required<MaskOptions>>(
      "Transformer.generateSquareSubsequentMask",
      rest,
      { dtype: null, device: null },
    );
    return torch.triu(torch.full([size, size], Number.NEGATIVE_INFINITY, { dtype, device }), 1);
  }
}
