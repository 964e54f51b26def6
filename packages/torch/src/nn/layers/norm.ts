/** @file Normalization over dimensions of the input. */
import { float } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { defineLayer, REQUIRED } from "../define-layer.js";
import { badSettings } from "../errors.js";
import { functional as F } from "../functional.js";
import { ones_ } from "../init.js";
import { Module } from "../module.js";
import { pythonText, type Settings, type Sizes, settingsOf, sizesOf, tupleText } from "../settings.js";
import { emptyState, PLACE, type StatePlace } from "../state-place.js";
import { Parameter } from "../tensors.js";

const filled = (shape: readonly number[], place: StatePlace): Parameter =>
  new Parameter(ones_(emptyState(shape, place)));
const zeros = (shape: readonly number[], place: StatePlace): Parameter =>
  new Parameter(emptyState(shape, place));

/** Settings of {@link LayerNorm}. */
export interface LayerNormOptions {
  /** Added to the variance. @defaultValue 1e-5 */
  readonly eps?: number;
  /** Whether the result is scaled. @defaultValue true */
  readonly elementwiseAffine?: boolean;
  /** Whether the result is shifted. @defaultValue true */
  readonly bias?: boolean;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Normalizes over the last dimensions (`torch.nn.LayerNorm`). */
export class LayerNorm extends Module {
  static override readonly torchClass: string = "torch.nn.modules.normalization.LayerNorm";

  /** Sizes of the dimensions that are normalized. */
  readonly normalizedShape: readonly number[];
  /** Added to the variance. */
  readonly eps: number;
  /** Whether the result is scaled. */
  readonly elementwiseAffine: boolean;
  /** Scale, of the normalized shape. */
  weight: Tensor | null = null;
  /** Shift, of the normalized shape. */
  bias: Tensor | null = null;

  constructor(
    normalizedShape: Sizes,
    ...rest: Settings<[eps: number, elementwiseAffine: boolean, bias: boolean], LayerNormOptions>
  ) {
    super();
    const settings = settingsOf("LayerNorm", rest, {
      eps: 1e-5,
      elementwiseAffine: true,
      bias: true,
      ...PLACE,
    });
    const { eps, elementwiseAffine, bias } = settings;
    this.normalizedShape = sizesOf(normalizedShape, 1);
    this.eps = eps;
    this.elementwiseAffine = elementwiseAffine;
    this.registerParameter("weight", elementwiseAffine ? filled(this.normalizedShape, settings) : null);
    this.registerParameter("bias", elementwiseAffine && bias ? zeros(this.normalizedShape, settings) : null);
  }

  override forward(input: Tensor): Tensor {
    return F.layerNorm(input, this.normalizedShape, this.weight, this.bias, this.eps);
  }

  override extraRepr(): string {
    const { normalizedShape, eps, elementwiseAffine, bias } = this;
    return `${tupleText(normalizedShape)}, eps=${pythonText(eps)}, elementwise_affine=${pythonText(elementwiseAffine)}, bias=${pythonText(bias !== null)}`;
  }
}

/** Settings of {@link GroupNorm}. */
export interface GroupNormOptions {
  /** Added to the variance. @defaultValue 1e-5 */
  readonly eps?: number;
  /** Whether the result is scaled and shifted. @defaultValue true */
  readonly affine?: boolean;
  /** Whether the result is shifted where it is scaled. @defaultValue true */
  readonly bias?: boolean;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Normalizes groups of channels (`torch.nn.GroupNorm`). */
export class GroupNorm extends Module {
  static override readonly torchClass: string = "torch.nn.modules.normalization.GroupNorm";

  /** How many groups there are. */
  readonly numGroups: number;
  /** Channels of the input. */
  readonly numChannels: number;
  /** Added to the variance. */
  readonly eps: number;
  /** Whether the result is scaled and shifted. */
  readonly affine: boolean;
  /** Scale, `[numChannels]`. */
  weight: Tensor | null = null;
  /** Shift, `[numChannels]`. */
  bias: Tensor | null = null;

  constructor(
    numGroups: number,
    numChannels: number,
    ...rest: Settings<[eps: number, affine: boolean], GroupNormOptions>
  ) {
    super();
    const { eps, affine, bias, ...place } = settingsOf("GroupNorm", rest, {
      eps: 1e-5,
      affine: true,
      bias: true,
      ...PLACE,
    });
    if (numChannels % numGroups !== 0)
      throw badSettings(
        "GroupNorm",
        `num_channels (${numChannels}) must be divisible by num_groups (${numGroups})`,
        `choose groups that divide ${numChannels}`,
      );
    this.numGroups = numGroups;
    this.numChannels = numChannels;
    this.eps = eps;
    this.affine = affine;
    this.registerParameter("weight", affine ? filled([numChannels], place) : null);
    this.registerParameter("bias", affine && bias ? zeros([numChannels], place) : null);
  }

  override forward(input: Tensor): Tensor {
    return F.groupNorm(input, this.numGroups, this.weight, this.bias, this.eps);
  }

  override extraRepr(): string {
    const { numGroups, numChannels, eps, affine, bias } = this;
    return `${numGroups}, ${numChannels}, eps=${pythonText(eps)}, affine=${pythonText(affine)}, bias=${pythonText(bias !== null)}`;
  }
}

/** Settings of {@link RMSNorm}. */
export interface RMSNormOptions {
  /** Added to the mean square; null for the least difference of the dtype. @defaultValue null */
  readonly eps?: number | null;
  /** Whether the result is scaled. @defaultValue true */
  readonly elementwiseAffine?: boolean;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Divides by the root mean square over the last dimensions (`torch.nn.RMSNorm`). */
export class RMSNorm extends Module {
  static override readonly torchClass: string = "torch.nn.modules.normalization.RMSNorm";

  /** Sizes of the dimensions that are normalized. */
  readonly normalizedShape: readonly number[];
  /** Added to the mean square; null for the least difference of the dtype. */
  readonly eps: number | null;
  /** Whether the result is scaled. */
  readonly elementwiseAffine: boolean;
  /** Scale, of the normalized shape. */
  weight: Tensor | null = null;

  constructor(
    normalizedShape: Sizes,
    ...rest: Settings<[eps: number | null, elementwiseAffine: boolean], RMSNormOptions>
  ) {
    super();
    const { eps, elementwiseAffine, ...place } = settingsOf("RMSNorm", rest, {
      eps: null as number | null,
      elementwiseAffine: true,
      ...PLACE,
    });
    this.normalizedShape = sizesOf(normalizedShape, 1);
    this.eps = eps;
    this.elementwiseAffine = elementwiseAffine;
    this.registerParameter("weight", elementwiseAffine ? filled(this.normalizedShape, place) : null);
  }

  override forward(x: Tensor): Tensor {
    return F.rmsNorm(x, this.normalizedShape, this.weight, this.eps);
  }

  override extraRepr(): string {
    const { normalizedShape, eps, elementwiseAffine } = this;
    return `${tupleText(normalizedShape)}, eps=${pythonText(eps)}, elementwise_affine=${pythonText(elementwiseAffine)}`;
  }
}

interface LocalResponseValues {
  size: number;
  alpha: number;
  beta: number;
  k: number;
}

/** Normalizes over neighboring channels (`torch.nn.LocalResponseNorm`). */
export const LocalResponseNorm = defineLayer<
  [size: number],
  [alpha: number, beta: number, k: number],
  LocalResponseValues,
  [input: Tensor],
  Tensor
>({
  name: "LocalResponseNorm",
  module: "normalization",
  defaults: { size: REQUIRED, alpha: 1e-4, beta: 0.75, k: float(1) },
  forward: ({ size, alpha, beta, k }, input) => F.localResponseNorm(input, size, alpha, beta, k),
  text: ({ size, alpha, beta, k }) =>
    `${size}, alpha=${pythonText(alpha)}, beta=${pythonText(beta)}, k=${pythonText(k)}`,
});

/** A layer of {@link LocalResponseNorm}. */
export type LocalResponseNorm = InstanceType<typeof LocalResponseNorm>;
