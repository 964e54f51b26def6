/** @file Stacks of encoder and decoder layers. */
import type { Tensor } from "@sconce/tensor";
import { deviceOfTensor } from "../../functions/conversions.js";
import { sizeOf, sizesOf } from "../../functions/sizes.js";
import { guard, sym } from "../../functions/sym.js";
import { torch } from "../../functions/torch.js";
import { truthOf } from "../../functions/truth.js";
import { copyModule } from "../copy-module.js";
import { notModule } from "../errors.js";
import { additiveMask } from "../functional-attention.js";
import { type AnyModule, Module } from "../module.js";
import { type Settings, settingsOf } from "../settings.js";
import { ModuleList } from "./container.js";
import type { TransformerDecoderLayer, TransformerEncoderLayer } from "./transformer-layer.js";

const copies = <M extends Module>(layer: M, count: number): ModuleList<M> =>
  new ModuleList(Array.from({ length: count }, () => copyModule(layer)));

/** Settings by name come into the place of the norm: the layers have them. */
function requireNorm(owner: string, norm: unknown): void {
  if (norm !== null && !(norm instanceof Module)) throw notModule(owner, norm);
}

/** Steps of a sequence, with or without a batch. */
const stepsOf = (x: Tensor, batchFirst: boolean) => sizeOf(x, x.ndim === 3 && batchFirst ? 1 : 0);

/** Returns whether a mask is that of causal attention; compared where nothing says so. */
function isCausalMask(mask: Tensor | null, given: boolean | null, x: Tensor, batchFirst: boolean): boolean {
  if (given !== null || mask === null) return given === true;
  const size = stepsOf(x, batchFirst);
  const { dtype } = mask;
  const filled = torch.full([size, size], Number.NEGATIVE_INFINITY, {
    dtype,
    device: deviceOfTensor(mask),
  });
  const causal = torch.triu(filled, 1);
  const [own, wanted] = [sizesOf(mask), sizesOf(causal)];
  if (own.length !== wanted.length || !own.every((one, i) => guard(sym.eq(one, wanted[i]!)))) return false;
  return truthOf(mask.eq(causal).all());
}

/** Settings of {@link TransformerEncoder}. */
export interface EncoderSettings {
  /** Applied to the result. @defaultValue no norm */
  readonly norm?: Module | null;
  /** Whether PyTorch may use nested tensors for padded batches. */
  readonly enableNestedTensor?: boolean;
  /** Whether PyTorch checks masks before it uses nested tensors. */
  readonly maskCheck?: boolean;
}

/** What a call of {@link TransformerEncoder} takes by name. */
export interface EncoderCall {
  /** Pairs that are left out. */
  readonly mask?: Tensor | null;
  /** Keys that are left out, `[batch, steps]`. */
  readonly srcKeyPaddingMask?: Tensor | null;
  /** Whether `mask` is that of causal attention; compared when left out. */
  readonly isCausal?: boolean | null;
}

/** What a call takes by position, in PyTorch's order. */
export type EncoderPositions = [
  mask: Tensor | null,
  srcKeyPaddingMask: Tensor | null,
  isCausal: boolean | null,
];

const ENCODER_CALL: Required<EncoderCall> = { mask: null, srcKeyPaddingMask: null, isCausal: null };

/** Copies of an encoder layer, one after another (`torch.nn.TransformerEncoder`). */
export class TransformerEncoder extends Module {
  static override readonly torchClass: string = "torch.nn.modules.transformer.TransformerEncoder";

  /** The copies. */
  readonly layers: ModuleList<TransformerEncoderLayer>;
  /** How many there are. */
  readonly numLayers: number;
  /** Applied to the result. */
  readonly norm: Module | null;

  /**
   * @param rest the norm, by position or by name; PyTorch's two other settings change nothing here
   */
  constructor(
    encoderLayer: TransformerEncoderLayer,
    numLayers: number,
    ...rest: Settings<[norm: Module | null, enableNestedTensor: boolean, maskCheck: boolean], EncoderSettings>
  ) {
    super();
    const { norm } = settingsOf<Required<EncoderSettings>>("TransformerEncoder", rest, {
      norm: null,
      enableNestedTensor: true,
      maskCheck: true,
    });
    requireNorm("TransformerEncoder", norm);
    this.layers = copies(encoderLayer, numLayers);
    this.numLayers = numLayers;
    this.norm = norm;
  }

  /**
   * Returns a tensor of the shape of `src`.
   *
   * @param src `[steps, batch, dModel]`; the batch comes first with `batchFirst`
   * @param rest masks, by position or by name
   */
  override forward(src: Tensor, ...rest: Settings<EncoderPositions, EncoderCall>): Tensor {
    const call = settingsOf("TransformerEncoder", rest, ENCODER_CALL);
    const srcKeyPaddingMask = additiveMask(call.srcKeyPaddingMask, src);
    const srcMask = additiveMask(call.mask, src);
    const { batchFirst } = this.layers.at(0).self_attn;
    const isCausal = isCausalMask(srcMask, call.isCausal, src, batchFirst);
    let output = src;
    for (const layer of this.layers) output = layer(output, { srcMask, isCausal, srcKeyPaddingMask });
    return this.norm === null ? output : normalized(this.norm, output);
  }
}

const normalized = (norm: Module, x: Tensor): Tensor => (norm as AnyModule)(x);

/** What a call of {@link TransformerDecoder} takes by name. */
export interface DecoderCall {
  /** Pairs of targets that are left out. */
  readonly tgtMask?: Tensor | null;
  /** Pairs of targets and memory that are left out. */
  readonly memoryMask?: Tensor | null;
  /** Targets that are left out, `[batch, steps]`. */
  readonly tgtKeyPaddingMask?: Tensor | null;
  /** Steps of the memory that are left out, `[batch, steps]`. */
  readonly memoryKeyPaddingMask?: Tensor | null;
  /** Whether `tgtMask` is that of causal attention; compared when left out. */
  readonly tgtIsCausal?: boolean | null;
  /** Whether `memoryMask` is that of causal attention. @defaultValue false */
  readonly memoryIsCausal?: boolean;
}

/** What a call takes by position, in PyTorch's order. */
export type DecoderPositions = [
  tgtMask: Tensor | null,
  memoryMask: Tensor | null,
  tgtKeyPaddingMask: Tensor | null,
  memoryKeyPaddingMask: Tensor | null,
  tgtIsCausal: boolean | null,
  memoryIsCausal: boolean,
];

const DECODER_CALL: Required<DecoderCall> = {
  tgtMask: null,
  memoryMask: null,
  tgtKeyPaddingMask: null,
  memoryKeyPaddingMask: null,
  tgtIsCausal: null,
  memoryIsCausal: false,
};

/** Copies of a decoder layer, one after another (`torch.nn.TransformerDecoder`). */
export class TransformerDecoder extends Module {
  static override readonly torchClass: string = "torch.nn.modules.transformer.TransformerDecoder";

  /** The copies. */
  readonly layers: ModuleList<TransformerDecoderLayer>;
  /** How many there are. */
  readonly numLayers: number;
  /** Applied to the result. */
  readonly norm: Module | null;

  /** @param rest the norm, by position or by name */
  constructor(
    decoderLayer: TransformerDecoderLayer,
    numLayers: number,
    ...rest: Settings<[norm: Module | null], { readonly norm?: Module | null }>
  ) {
    super();
    const { norm } = settingsOf<{ readonly norm: Module | null }>("TransformerDecoder", rest, { norm: null });
    requireNorm("TransformerDecoder", norm);
    this.layers = copies(decoderLayer, numLayers);
    this.numLayers = numLayers;
    this.norm = norm;
  }

  /**
   * Returns a tensor of the shape of `tgt`.
   *
   * @param tgt `[targets, batch, dModel]`; the batch comes first with `batchFirst`
   * @param memory results of the encoder, `[sources, batch, dModel]`
   * @param rest masks, by position or by name
   */
  override forward(tgt: Tensor, memory: Tensor, ...rest: Settings<DecoderPositions, DecoderCall>): Tensor {
    const call = settingsOf("TransformerDecoder", rest, DECODER_CALL);
    const { batchFirst } = this.layers.at(0).self_attn;
    const tgtIsCausal = isCausalMask(call.tgtMask, call.tgtIsCausal, tgt, batchFirst);
    let output = tgt;
    for (const layer of this.layers) output = layer(output, memory, { ...call, tgtIsCausal });
    return this.norm === null ? output : normalized(this.norm, output);
  }
}
