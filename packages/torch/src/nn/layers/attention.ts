/** @file Attention. */
import { pythonTuple } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { badSettings } from "../errors.js";
import { functional as F } from "../functional.js";
import { additiveMask } from "../functional-attention.js";
import { constant_, xavierNormal_, xavierUniform_ } from "../init.js";
import { Module } from "../module.js";
import { type Settings, settingsOf } from "../settings.js";
import { emptyState, PLACE } from "../state-place.js";
import { Parameter } from "../tensors.js";
import { Linear } from "./linear.js";

/** Settings of {@link MultiheadAttention}. */
export interface MultiheadAttentionOptions {
  /** The probability with which weights are dropped in training. @defaultValue 0 */
  readonly dropout?: number;
  /** Whether the projections add biases. @defaultValue true */
  readonly bias?: boolean;
  /** Whether learned keys and values are added to those of the input. @defaultValue false */
  readonly addBiasKv?: boolean;
  /** Whether a key and a value of zeros are added. @defaultValue false */
  readonly addZeroAttn?: boolean;
  /** Size of the keys. @defaultValue the size of the queries */
  readonly kdim?: number | null;
  /** Size of the values. @defaultValue the size of the queries */
  readonly vdim?: number | null;
  /** Whether the batch is the first dimension, before the steps. @defaultValue false */
  readonly batchFirst?: boolean;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Positional settings, in PyTorch's order. */
export type MultiheadAttentionPositions = [
  dropout: number,
  bias: boolean,
  addBiasKv: boolean,
  addZeroAttn: boolean,
  kdim: number | null,
  vdim: number | null,
  batchFirst: boolean,
];

const ATTENTION: Required<MultiheadAttentionOptions> = {
  dropout: 0,
  bias: true,
  addBiasKv: false,
  addZeroAttn: false,
  kdim: null,
  vdim: null,
  batchFirst: false,
  ...PLACE,
};

/** What a call of {@link MultiheadAttention} takes by name. */
export interface AttentionCall {
  /** Keys that are left out: `[batch, keys]`, bool or numbers that are added. */
  readonly keyPaddingMask?: Tensor | null;
  /** Whether the weights are returned, too. @defaultValue true */
  readonly needWeights?: boolean;
  /** Pairs that are left out: `[queries, keys]` or `[batch * heads, queries, keys]`. */
  readonly attnMask?: Tensor | null;
  /** Whether the weights are the mean of all heads. @defaultValue true */
  readonly averageAttnWeights?: boolean;
  /** Whether `attnMask` is that of causal attention. @defaultValue false */
  readonly isCausal?: boolean;
}

/** What a call takes by position, in PyTorch's order. */
export type AttentionPositions = [
  keyPaddingMask: Tensor | null,
  needWeights: boolean,
  attnMask: Tensor | null,
  averageAttnWeights: boolean,
  isCausal: boolean,
];

const CALL: Required<AttentionCall> = {
  keyPaddingMask: null,
  needWeights: true,
  attnMask: null,
  averageAttnWeights: true,
  isCausal: false,
};

/** The projection of attention's results; its parameters are read, it is not called. */
export class NonDynamicallyQuantizableLinear extends Linear {
  static override readonly torchClass: string = "torch.nn.modules.linear.NonDynamicallyQuantizableLinear";
}

/** Attention with several heads (`torch.nn.MultiheadAttention`). */
export class MultiheadAttention extends Module {
  static override readonly torchClass: string = "torch.nn.modules.activation.MultiheadAttention";

  /** Size of queries and results. */
  readonly embedDim: number;
  /** How many heads there are. */
  readonly numHeads: number;
  /** The probability with which weights are dropped in training. */
  readonly dropout: number;
  /** Whether the batch is the first dimension, before the steps. */
  readonly batchFirst: boolean;
  /** Whether a key and a value of zeros are added. */
  readonly addZeroAttn: boolean;
  // State has the names of PyTorch's state dicts.
  /** Projection of queries, `[embedDim, embedDim]`; null where one weight projects all. */
  q_proj_weight: Tensor | null = null;
  /** Projection of keys, `[embedDim, kdim]`; null where one weight projects all. */
  k_proj_weight: Tensor | null = null;
  /** Projection of values, `[embedDim, vdim]`; null where one weight projects all. */
  v_proj_weight: Tensor | null = null;
  /** Projection of queries, keys and values, `[3 * embedDim, embedDim]`, where sizes agree. */
  in_proj_weight: Tensor | null = null;
  /** `[3 * embedDim]`, or null. */
  in_proj_bias: Tensor | null = null;
  /** A learned key, `[1, 1, embedDim]`. */
  bias_k: Tensor | null = null;
  /** A learned value, `[1, 1, embedDim]`. */
  bias_v: Tensor | null = null;
  /** Projection of the results. */
  readonly out_proj: NonDynamicallyQuantizableLinear;

  constructor(
    embedDim: number,
    numHeads: number,
    ...rest: Settings<MultiheadAttentionPositions, MultiheadAttentionOptions>
  ) {
    super();
    const settings = settingsOf("MultiheadAttention", rest, ATTENTION);
    checkHeads(embedDim, numHeads);
    this.embedDim = embedDim;
    this.numHeads = numHeads;
    this.dropout = settings.dropout;
    this.batchFirst = settings.batchFirst;
    this.addZeroAttn = settings.addZeroAttn;
    this.addProjections(settings);
    const { bias, device, dtype, addBiasKv } = settings;
    this.out_proj = new NonDynamicallyQuantizableLinear(embedDim, embedDim, { bias, device, dtype });
    const vector = (): Parameter => new Parameter(emptyState([1, 1, embedDim], settings));
    this.registerParameter("bias_k", addBiasKv ? vector() : null);
    this.registerParameter("bias_v", addBiasKv ? vector() : null);
    this.draw();
  }

  private addProjections({ kdim, vdim, bias, ...place }: Required<MultiheadAttentionOptions>): void {
    const { embedDim } = this;
    const parameter = (...shape: number[]): Parameter => new Parameter(emptyState(shape, place));
    const [keys, values] = [kdim ?? embedDim, vdim ?? embedDim];
    const isPacked = keys === embedDim && values === embedDim;
    this.registerParameter("q_proj_weight", isPacked ? null : parameter(embedDim, embedDim));
    this.registerParameter("k_proj_weight", isPacked ? null : parameter(embedDim, keys));
    this.registerParameter("v_proj_weight", isPacked ? null : parameter(embedDim, values));
    this.registerParameter("in_proj_weight", isPacked ? parameter(3 * embedDim, embedDim) : null);
    this.registerParameter("in_proj_bias", bias ? parameter(3 * embedDim) : null);
  }

  private draw(): void {
    for (const weight of [this.in_proj_weight, this.q_proj_weight, this.k_proj_weight, this.v_proj_weight])
      if (weight !== null) xavierUniform_(weight);
    if (this.in_proj_bias !== null) constant_(this.in_proj_bias, 0);
    if (this.out_proj.bias !== null) constant_(this.out_proj.bias, 0);
    if (this.bias_k !== null) xavierNormal_(this.bias_k);
    if (this.bias_v !== null) xavierNormal_(this.bias_v);
  }

  /**
   * Returns the attended values, and the weights of the keys or null.
   *
   * @param query `[queries, batch, embedDim]`; the batch comes first with `batchFirst`
   * @param key `[keys, batch, kdim]`
   * @param value `[keys, batch, vdim]`
   * @param rest masks and options, by position or by name
   */
  override forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    ...rest: Settings<AttentionPositions, AttentionCall>
  ): readonly [output: Tensor, weights: Tensor | null] {
    const call = settingsOf("MultiheadAttention", rest, CALL);
    const keyPaddingMask = additiveMask(call.keyPaddingMask, query);
    const attnMask = additiveMask(call.attnMask, query);
    const isSwapped = this.batchFirst && query.ndim === 3;
    const inputs = isSwapped ? stepsFirst(query, key, value) : ([query, key, value] as const);
    const [output, weights] = this.attend(inputs, { ...call, keyPaddingMask, attnMask });
    return pythonTuple(isSwapped ? output.transpose(1, 0) : output, weights);
  }

  private attend(
    [query, key, value]: readonly [Tensor, Tensor, Tensor],
    call: Required<AttentionCall>,
  ): readonly [Tensor, Tensor | null] {
    return F.multiHeadAttentionForward(
      query,
      key,
      value,
      this.embedDim,
      this.numHeads,
      this.in_proj_weight,
      this.in_proj_bias,
      this.bias_k,
      this.bias_v,
      this.addZeroAttn,
      this.dropout,
      this.out_proj.weight,
      this.out_proj.bias,
      {
        training: this.training,
        useSeparateProjWeight: this.in_proj_weight === null,
        qProjWeight: this.q_proj_weight,
        kProjWeight: this.k_proj_weight,
        vProjWeight: this.v_proj_weight,
        ...call,
      },
    );
  }
}

/** Swaps batch and steps; a tensor that is given twice is swapped once. */
function stepsFirst(query: Tensor, key: Tensor, value: Tensor): readonly [Tensor, Tensor, Tensor] {
  const swap = (x: Tensor): Tensor => x.transpose(1, 0);
  const q = swap(query);
  if (key === value) {
    const k = query === key ? q : swap(key);
    return [q, k, k];
  }
  return [q, swap(key), swap(value)];
}

function checkHeads(embedDim: number, numHeads: number): void {
  const layer = "MultiheadAttention";
  if (!(embedDim > 0 && numHeads > 0))
    throw badSettings(
      layer,
      `embed_dim and num_heads must be greater than 0, got embed_dim=${embedDim} and num_heads=${numHeads} instead`,
      "give positive numbers",
    );
  if (embedDim % numHeads !== 0)
    throw badSettings(layer, "embed_dim must be divisible by num_heads", `give a multiple of ${numHeads}`);
}
