/** @file Convolutions in one, two and three dimensions, and their transposes. */
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { sizesOf as inputSizes, sizeOf } from "../../functions/sizes.js";
import { guard, sym } from "../../functions/sym.js";
import type { Size } from "../../trace/sym-int.js";
import { badSettings, requireWord } from "../errors.js";
import { functional as F } from "../functional.js";
import { fans, kaimingUniform_ } from "../init.js";
import { Module } from "../module.js";
import { requireSizes, type Settings, type Sizes, settingsOf, sizesOf, tupleText } from "../settings.js";
import { emptyState, PLACE } from "../state-place.js";
import { Parameter } from "../tensors.js";
import { initBias } from "./linear.js";

/** What lies around the input of a convolution. */
export type PaddingMode = "zeros" | "reflect" | "replicate" | "circular";

/** Settings of convolutions. */
export interface ConvOptions {
  /** The step of the window. @defaultValue 1 */
  readonly stride?: Sizes;
  /** What is added on both sides of each dimension, or `same` or `valid`. @defaultValue 0 */
  readonly padding?: Sizes | "same" | "valid";
  /** The distance between the elements of the window. @defaultValue 1 */
  readonly dilation?: Sizes;
  /** In how many groups the channels fall that do not mix. @defaultValue 1 */
  readonly groups?: number;
  /** Whether a bias is added. @defaultValue true */
  readonly bias?: boolean;
  /** What is added around the input. @defaultValue `zeros` */
  readonly paddingMode?: PaddingMode;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Positional settings of convolutions, in PyTorch's order. */
type ConvPositions = [
  stride: Sizes,
  padding: Sizes | "same" | "valid",
  dilation: Sizes,
  groups: number,
  bias: boolean,
  paddingMode: PaddingMode,
];

const CONV = {
  stride: 1 as Sizes,
  padding: 0 as Sizes | "same" | "valid",
  dilation: 1 as Sizes,
  groups: 1,
  bias: true,
  paddingMode: "zeros" as PaddingMode,
  ...PLACE,
};

interface ConvParts {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[] | string;
  readonly dilation: readonly number[];
  readonly outputPadding: readonly number[];
  readonly transposed: boolean;
  readonly groups: number;
  readonly bias: boolean;
  readonly paddingMode: PaddingMode;
  readonly device: Device | null;
  readonly dtype: DType;
}

/** What all convolutions share. */
abstract class ConvNd extends Module {
  /** Channels of the input. */
  readonly inChannels: number;
  /** Channels of the result. */
  readonly outChannels: number;
  /** Sizes of the window. */
  readonly kernelSize: readonly number[];
  /** The step of the window. */
  readonly stride: readonly number[];
  /** What is added on both sides of each dimension. */
  readonly padding: readonly number[] | string;
  /** The distance between the elements of the window. */
  readonly dilation: readonly number[];
  /** What is added on one side of the result of a transposed convolution. */
  readonly outputPadding: readonly number[];
  /** Groups of channels that do not mix. */
  readonly groups: number;
  /** What is added around the input. */
  readonly paddingMode: PaddingMode;
  /** The window's weights. */
  weight: Tensor;
  /** `[outChannels]`, or null. */
  bias: Tensor | null = null;

  protected constructor(parts: ConvParts) {
    super();
    requireConvSettings(this.constructor.name, parts);
    const { inChannels, outChannels, kernelSize, groups, transposed } = parts;
    this.inChannels = inChannels;
    this.outChannels = outChannels;
    this.kernelSize = kernelSize;
    this.stride = parts.stride;
    this.padding = parts.padding;
    this.dilation = parts.dilation;
    this.outputPadding = parts.outputPadding;
    this.groups = groups;
    this.paddingMode = parts.paddingMode;
    const channels = transposed ? [inChannels, outChannels / groups] : [outChannels, inChannels / groups];
    this.weight = new Parameter(emptyState([...channels, ...kernelSize], parts));
    this.registerParameter("bias", parts.bias ? new Parameter(emptyState([outChannels], parts)) : null);
    kaimingUniform_(this.weight, { a: Math.sqrt(5) });
    const { fanIn } = fans(this.weight);
    if (this.bias !== null && fanIn !== 0) initBias(this.bias, fanIn);
  }

  override extraRepr(): string {
    const { inChannels, outChannels, kernelSize, stride, padding, dilation, outputPadding, groups } = this;
    const differs = (sizes: readonly number[], value: number): boolean =>
      sizes.some((size) => size !== value);
    const parts = [
      `${inChannels}, ${outChannels}, kernel_size=${tupleText(kernelSize)}, stride=${tupleText(stride)}`,
    ];
    if (typeof padding === "string") parts.push(`padding=${padding}`);
    else if (differs(padding, 0)) parts.push(`padding=${tupleText(padding)}`);
    if (differs(dilation, 1)) parts.push(`dilation=${tupleText(dilation)}`);
    if (differs(outputPadding, 0)) parts.push(`output_padding=${tupleText(outputPadding)}`);
    if (groups !== 1) parts.push(`groups=${groups}`);
    if (this.bias === null) parts.push("bias=False");
    if (this.paddingMode !== "zeros") parts.push(`padding_mode=${this.paddingMode}`);
    return parts.join(", ");
  }

  /**
   * Returns the input with the padding that the operator itself does not add, and what it adds:
   * numbers, or a word (the operators' overloads take one or the other).
   */
  protected padded(input: Tensor): { readonly input: Tensor; readonly padding: readonly number[] | string } {
    if (this.paddingMode === "zeros") return { input, padding: this.padding };
    const padded = F.pad(input, reversedTwice(this), this.paddingMode);
    return { input: padded, padding: this.kernelSize.map(() => 0) };
  }
}

function requireConvSettings(layer: string, parts: ConvParts): void {
  const { inChannels, outChannels, groups, padding, stride } = parts;
  const refuse = (message: string, fix: string): never => {
    throw badSettings(layer, message, fix);
  };
  if (groups <= 0) refuse("groups must be a positive integer", "give `groups` as 1 or more");
  if (inChannels % groups !== 0)
    refuse("in_channels must be divisible by groups", `choose groups that divide ${inChannels}`);
  if (outChannels % groups !== 0)
    refuse("out_channels must be divisible by groups", `choose groups that divide ${outChannels}`);
  if (padding === "same" && stride.some((step) => step !== 1))
    refuse("padding='same' is not supported for strided convolutions", "give the padding as numbers");
  if (typeof padding === "string")
    requireWord(
      layer,
      padding,
      ["same", "valid"],
      `Invalid padding string '${padding}', should be one of {'same', 'valid'}`,
    );
  requireWord(
    layer,
    parts.paddingMode,
    ["zeros", "reflect", "replicate", "circular"],
    `padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got padding_mode='${String(parts.paddingMode)}'`,
  );
}

/** Returns the padding as `pad` takes it: last dimension first, both sides. */
function reversedTwice({ padding, kernelSize, dilation }: ConvNd): number[] {
  if (typeof padding !== "string") return [...padding].reverse().flatMap((size) => [size, size]);
  const total = kernelSize.map((size, i) => (padding === "same" ? dilation[i]! * (size - 1) : 0));
  return total.reverse().flatMap((size) => [Math.floor(size / 2), size - Math.floor(size / 2)]);
}

type GivenConv = [inChannels: number, outChannels: number, kernelSize: Sizes];
type ConvArguments = [...GivenConv, ...Settings<ConvPositions, ConvOptions>];

function convParts(layer: string, rank: number, args: ConvArguments): ConvParts {
  const [inChannels, outChannels, kernelSize, ...rest] = args;
  requireSizes(layer, { inChannels, outChannels, kernelSize });
  const settings = settingsOf(layer, rest, CONV);
  const { stride, padding, dilation } = settings;
  return {
    ...settings,
    inChannels,
    outChannels,
    kernelSize: sizesOf(kernelSize, rank),
    stride: sizesOf(stride, rank),
    padding: typeof padding === "string" ? padding : sizesOf(padding, rank),
    dilation: sizesOf(dilation, rank),
    outputPadding: sizesOf(0, rank),
    transposed: false,
  };
}

/** A convolution of sequences `[batch, channels, length]` (`torch.nn.Conv1d`). */
export class Conv1d extends ConvNd {
  static override readonly torchClass: string = "torch.nn.modules.conv.Conv1d";

  constructor(...args: ConvArguments) {
    super(convParts("Conv1d", 1, args));
  }

  override forward(input: Tensor): Tensor {
    const { input: padded, padding } = this.padded(input);
    return F.conv1d(
      padded,
      this.weight,
      this.bias,
      this.stride,
      padding as string,
      this.dilation,
      this.groups,
    );
  }
}

/** A convolution of images `[batch, channels, height, width]` (`torch.nn.Conv2d`). */
export class Conv2d extends ConvNd {
  static override readonly torchClass: string = "torch.nn.modules.conv.Conv2d";

  constructor(...args: ConvArguments) {
    super(convParts("Conv2d", 2, args));
  }

  override forward(input: Tensor): Tensor {
    const { input: padded, padding } = this.padded(input);
    return F.conv2d(
      padded,
      this.weight,
      this.bias,
      this.stride,
      padding as string,
      this.dilation,
      this.groups,
    );
  }
}

/** A convolution of volumes `[batch, channels, depth, height, width]` (`torch.nn.Conv3d`). */
export class Conv3d extends ConvNd {
  static override readonly torchClass: string = "torch.nn.modules.conv.Conv3d";

  constructor(...args: ConvArguments) {
    super(convParts("Conv3d", 3, args));
  }

  override forward(input: Tensor): Tensor {
    const { input: padded, padding } = this.padded(input);
    return F.conv3d(
      padded,
      this.weight,
      this.bias,
      this.stride,
      padding as string,
      this.dilation,
      this.groups,
    );
  }
}

/** Settings of transposed convolutions. */
export interface ConvTransposeOptions {
  /** The step of the window in the result. @defaultValue 1 */
  readonly stride?: Sizes;
  /** What is taken off on both sides of each dimension. @defaultValue 0 */
  readonly padding?: Sizes;
  /** What is added on one side of each dimension of the result. @defaultValue 0 */
  readonly outputPadding?: Sizes;
  /** In how many groups the channels fall that do not mix. @defaultValue 1 */
  readonly groups?: number;
  /** Whether a bias is added. @defaultValue true */
  readonly bias?: boolean;
  /** The distance between the elements of the window. @defaultValue 1 */
  readonly dilation?: Sizes;
  /** Only `zeros`. @defaultValue `zeros` */
  readonly paddingMode?: PaddingMode;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Positional settings of transposed convolutions, in PyTorch's order. */
type ConvTransposePositions = [
  stride: Sizes,
  padding: Sizes,
  outputPadding: Sizes,
  groups: number,
  bias: boolean,
  dilation: Sizes,
];

const TRANSPOSED = {
  stride: 1 as Sizes,
  padding: 0 as Sizes,
  outputPadding: 0 as Sizes,
  groups: 1,
  bias: true,
  dilation: 1 as Sizes,
  paddingMode: "zeros" as PaddingMode,
  ...PLACE,
};

/** What a call of a transposed convolution takes by name. */
export interface ConvTransposeCall {
  /** Sizes of the result, where several give the input: with or without batch and channels. */
  readonly outputSize?: readonly Size[] | null;
}

/** What a call takes by position or by name. */
type TransposedCall = Settings<[outputSize: readonly Size[] | null], ConvTransposeCall>;

const TRANSPOSED_CALL: Required<ConvTransposeCall> = { outputSize: null };

type TransposedArguments = [...GivenConv, ...Settings<ConvTransposePositions, ConvTransposeOptions>];

function transposedParts(layer: string, rank: number, args: TransposedArguments): ConvParts {
  const [inChannels, outChannels, kernelSize, ...rest] = args;
  requireSizes(layer, { inChannels, outChannels, kernelSize });
  const settings = settingsOf(layer, rest, TRANSPOSED);
  if (settings.paddingMode !== "zeros")
    throw badSettings(
      layer,
      `Only "zeros" padding mode is supported for ${layer}`,
      "leave `paddingMode` out, or pad with a separate layer",
    );
  return {
    ...settings,
    inChannels,
    outChannels,
    kernelSize: sizesOf(kernelSize, rank),
    stride: sizesOf(settings.stride, rank),
    padding: sizesOf(settings.padding, rank),
    dilation: sizesOf(settings.dilation, rank),
    outputPadding: sizesOf(settings.outputPadding, rank),
    transposed: true,
  };
}

/** What transposed convolutions share. */
abstract class ConvTransposeNd extends ConvNd {
  /** Returns what is added to the result, so that it has the sizes that a call asks for. */
  protected outputPaddingOf(input: Tensor, rest: TransposedCall): readonly Size[] {
    const layer = this.constructor.name;
    const { outputSize } = settingsOf(layer, rest, TRANSPOSED_CALL);
    if (outputSize === null) return this.outputPadding;
    const { kernelSize, stride, dilation } = this;
    const padding = this.padding as readonly number[];
    const rank = kernelSize.length;
    const lead = input.ndim === rank + 2 ? 2 : 1;
    const wanted = outputSize.length === lead + rank ? outputSize.slice(lead) : outputSize;
    if (wanted.length !== rank)
      throw badSettings(
        layer,
        `ConvTranspose${rank}D: for ${input.ndim}D input, output_size must have ${rank} or ${lead + rank} elements (got ${wanted.length})`,
        "give a size for each dimension of the window",
      );
    const smallest = kernelSize.map((size, d) => {
      const spread = sym.mul(sym.sub(sizeOf(input, d + lead), 1), stride[d]!);
      return sym.add(sym.add(sym.sub(spread, 2 * padding[d]!), dilation[d]! * (size - 1)), 1);
    });
    const largest = smallest.map((size, d) => sym.sub(sym.add(size, stride[d]!), 1));
    for (const [d, size] of wanted.entries())
      if (guard(sym.lt(size, smallest[d]!)) || guard(sym.gt(size, largest[d]!)))
        throw badSettings(
          layer,
          `requested an output size of [${wanted.join(", ")}], but valid sizes range from [${smallest.join(", ")}] to [${largest.join(", ")}] (for an input of torch.Size([${inputSizes(input).slice(2).join(", ")}]))`,
          "ask for sizes in this range",
        );
    return wanted.map((size, d) => sym.sub(size, smallest[d]!));
  }
}

/** A transposed convolution of sequences (`torch.nn.ConvTranspose1d`). */
export class ConvTranspose1d extends ConvTransposeNd {
  static override readonly torchClass: string = "torch.nn.modules.conv.ConvTranspose1d";

  constructor(...args: TransposedArguments) {
    super(transposedParts("ConvTranspose1d", 1, args));
  }

  override forward(input: Tensor, ...rest: TransposedCall): Tensor {
    const { weight, bias, stride, groups, dilation } = this;
    const padding = this.padding as readonly number[];
    const added = this.outputPaddingOf(input, rest);
    return F.convTranspose1d(input, weight, bias, stride, padding, added, groups, dilation);
  }
}

/** A transposed convolution of images (`torch.nn.ConvTranspose2d`). */
export class ConvTranspose2d extends ConvTransposeNd {
  static override readonly torchClass: string = "torch.nn.modules.conv.ConvTranspose2d";

  constructor(...args: TransposedArguments) {
    super(transposedParts("ConvTranspose2d", 2, args));
  }

  override forward(input: Tensor, ...rest: TransposedCall): Tensor {
    const { weight, bias, stride, groups, dilation } = this;
    const padding = this.padding as readonly number[];
    const added = this.outputPaddingOf(input, rest);
    return F.convTranspose2d(input, weight, bias, stride, padding, added, groups, dilation);
  }
}

/** A transposed convolution of volumes (`torch.nn.ConvTranspose3d`). */
export class ConvTranspose3d extends ConvTransposeNd {
  static override readonly torchClass: string = "torch.nn.modules.conv.ConvTranspose3d";

  constructor(...args: TransposedArguments) {
    super(transposedParts("ConvTranspose3d", 3, args));
  }

  override forward(input: Tensor, ...rest: TransposedCall): Tensor {
    const { weight, bias, stride, groups, dilation } = this;
    const padding = this.padding as readonly number[];
    const added = this.outputPaddingOf(input, rest);
    return F.convTranspose3d(input, weight, bias, stride, padding, added, groups, dilation);
  }
}
