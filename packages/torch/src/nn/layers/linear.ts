/** @file Affine maps. */
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { badSettings } from "../errors.js";
import { functional as F } from "../functional.js";
import { fans, kaimingUniform_, uniform_ } from "../init.js";
import { Module } from "../module.js";
import { pythonText, requireSizes, type Settings, settingsOf } from "../settings.js";
import { emptyState, PLACE } from "../state-place.js";
import { Parameter } from "../tensors.js";

/** Settings of {@link Linear}. */
export interface LinearOptions {
  /** Whether a bias is added. @defaultValue true */
  readonly bias?: boolean;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** `y = x A^T + b` on the last dimension (`torch.nn.Linear`). */
export class Linear extends Module {
  static override readonly torchClass: string = "torch.nn.modules.linear.Linear";

  /** Size of the last dimension of the input. */
  readonly inFeatures: number;
  /** Size of the last dimension of the result. */
  readonly outFeatures: number;
  /** `[outFeatures, inFeatures]`. */
  weight: Tensor;
  /** `[outFeatures]`, or null. */
  bias: Tensor | null = null;

  constructor(inFeatures: number, outFeatures: number, ...rest: Settings<[bias: boolean], LinearOptions>) {
    super();
    requireSizes("Linear", { inFeatures, outFeatures });
    const { bias, ...place } = settingsOf("Linear", rest, { bias: true, ...PLACE });
    this.inFeatures = inFeatures;
    this.outFeatures = outFeatures;
    this.weight = new Parameter(emptyState([outFeatures, inFeatures], place));
    this.registerParameter("bias", bias ? new Parameter(emptyState([outFeatures], place)) : null);
    kaimingUniform_(this.weight, { a: Math.sqrt(5) });
    if (this.bias !== null) initBias(this.bias, fans(this.weight).fanIn);
  }

  override forward(input: Tensor): Tensor {
    return F.linear(input, this.weight, this.bias);
  }

  override extraRepr(): string {
    const { inFeatures, outFeatures, bias } = this;
    return `in_features=${inFeatures}, out_features=${outFeatures}, bias=${pythonText(bias !== null)}`;
  }
}

/** `y = x1^T A x2 + b` on the last dimensions (`torch.nn.Bilinear`). */
export class Bilinear extends Module {
  static override readonly torchClass: string = "torch.nn.modules.linear.Bilinear";

  /** Size of the last dimension of the first input. */
  readonly in1Features: number;
  /** Size of the last dimension of the second input. */
  readonly in2Features: number;
  /** Size of the last dimension of the result. */
  readonly outFeatures: number;
  /** `[outFeatures, in1Features, in2Features]`. */
  weight: Tensor;
  /** `[outFeatures]`, or null. */
  bias: Tensor | null = null;

  constructor(
    in1Features: number,
    in2Features: number,
    outFeatures: number,
    ...rest: Settings<[bias: boolean], LinearOptions>
  ) {
    super();
    const { bias, ...place } = settingsOf("Bilinear", rest, { bias: true, ...PLACE });
    if (!(in1Features > 0))
      throw badSettings(
        "Bilinear",
        `in1_features must be > 0, but got (in1_features=${in1Features})`,
        "give a positive size",
      );
    this.in1Features = in1Features;
    this.in2Features = in2Features;
    this.outFeatures = outFeatures;
    this.weight = new Parameter(emptyState([outFeatures, in1Features, in2Features], place));
    this.registerParameter("bias", bias ? new Parameter(emptyState([outFeatures], place)) : null);
    const bound = 1 / Math.sqrt(in1Features);
    uniform_(this.weight, -bound, bound);
    if (this.bias !== null) uniform_(this.bias, -bound, bound);
  }

  override forward(input1: Tensor, input2: Tensor): Tensor {
    return F.bilinear(input1, input2, this.weight, this.bias);
  }

  override extraRepr(): string {
    const { in1Features, in2Features, outFeatures, bias } = this;
    return `in1_features=${in1Features}, in2_features=${in2Features}, out_features=${outFeatures}, bias=${pythonText(bias !== null)}`;
  }
}

/** Draws a bias as PyTorch does for linear maps and convolutions. */
export function initBias(bias: Tensor, fanIn: number): void {
  const bound = fanIn > 0 ? 1 / Math.sqrt(fanIn) : 0;
  uniform_(bias, -bound, bound);
}

/** Returns its input (`torch.nn.Identity`). Arguments of the constructor are ignored. */
export class Identity extends Module {
  static override readonly torchClass: string = "torch.nn.modules.linear.Identity";

  constructor(..._ignored: unknown[]) {
    super();
  }

  override forward(input: Tensor): Tensor {
    return input;
  }
}
