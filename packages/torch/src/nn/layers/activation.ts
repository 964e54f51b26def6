/** @file Activation functions. */
import { float } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { defineLayer, REQUIRED } from "../define-layer.js";
import { badSettings } from "../errors.js";
import { functional as F } from "../functional.js";
import { constant_ } from "../init.js";
import { Module } from "../module.js";
import { pythonText, type Settings, settingsOf, settingsText } from "../settings.js";
import { emptyState, PLACE } from "../state-place.js";
import { Parameter } from "../tensors.js";

type Unary = [input: Tensor];
type InPlace = { inplace: boolean };

const inPlaceText = ({ inplace }: InPlace): string => (inplace ? "inplace=True" : "");
/** Settings before `inplace`, which is shown when it is set. */
const withInPlace =
  (...names: readonly string[]) =>
  (settings: InPlace): string =>
    settingsText(settings.inplace ? [...names, "inplace"] : names, settings);

/** An activation that may write to its input. */
const inPlaceLayer = (name: string, forward: (input: Tensor, inplace: boolean) => Tensor, shown = true) =>
  defineLayer<[], [inplace: boolean], InPlace, Unary, Tensor>({
    name,
    module: "activation",
    defaults: { inplace: false },
    forward: ({ inplace }, input) => forward(input, inplace),
    text: shown ? inPlaceText : () => "",
  });

/** An activation without settings. */
const plainLayer = (name: string, forward: (input: Tensor) => Tensor) =>
  defineLayer<[], [], object, Unary, Tensor>({
    name,
    module: "activation",
    defaults: {},
    forward: (_, input) => forward(input),
  });

/** `max(0, x)` (`torch.nn.ReLU`). */
export const ReLU = inPlaceLayer("ReLU", F.relu);
/** `min(max(0, x), 6)` (`torch.nn.ReLU6`). */
export const ReLU6 = inPlaceLayer("ReLU6", (input, inplace) =>
  F.hardtanh(input, float(0), float(6), inplace),
);
/** `x * sigmoid(x)` (`torch.nn.SiLU`). */
export const SiLU = inPlaceLayer("SiLU", F.silu);
/** `x * tanh(softplus(x))` (`torch.nn.Mish`). */
export const Mish = inPlaceLayer("Mish", F.mish);
/** The self-normalizing exponential unit (`torch.nn.SELU`). */
export const SELU = inPlaceLayer("SELU", F.selu);
/** A piecewise linear sigmoid (`torch.nn.Hardsigmoid`). */
export const Hardsigmoid = inPlaceLayer("Hardsigmoid", F.hardsigmoid, false);
/** `x` times a piecewise linear sigmoid (`torch.nn.Hardswish`). */
export const Hardswish = inPlaceLayer("Hardswish", F.hardswish, false);
/** `1 / (1 + exp(-x))` (`torch.nn.Sigmoid`). */
export const Sigmoid = plainLayer("Sigmoid", F.sigmoid);
/** The hyperbolic tangent (`torch.nn.Tanh`). */
export const Tanh = plainLayer("Tanh", F.tanh);
/** The logarithm of the sigmoid (`torch.nn.LogSigmoid`). */
export const LogSigmoid = plainLayer("LogSigmoid", F.logsigmoid);
/** `x / (1 + |x|)` (`torch.nn.Softsign`). */
export const Softsign = plainLayer("Softsign", F.softsign);
/** `x - tanh(x)` (`torch.nn.Tanhshrink`). */
export const Tanhshrink = plainLayer("Tanhshrink", F.tanhshrink);

/** `x` above a threshold, else a value (`torch.nn.Threshold`). */
export const Threshold = defineLayer<
  [threshold: number, value: number],
  [inplace: boolean],
  InPlace & { threshold: number; value: number },
  Unary,
  Tensor
>({
  name: "Threshold",
  module: "activation",
  defaults: { threshold: REQUIRED, value: REQUIRED, inplace: false },
  forward: ({ threshold, value, inplace }, input) => F.threshold(input, threshold, value, inplace),
  text: ({ threshold, value, inplace }) =>
    `threshold=${pythonText(threshold)}, value=${pythonText(value)}${inplace ? ", inplace=True" : ""}`,
});

/** A leaky ReLU with random slopes in training (`torch.nn.RReLU`). */
export const RReLU = defineLayer<
  [],
  [lower: number, upper: number, inplace: boolean],
  InPlace & { lower: number; upper: number },
  Unary,
  Tensor
>({
  name: "RReLU",
  module: "activation",
  defaults: { lower: 1 / 8, upper: 1 / 3, inplace: false },
  forward: ({ lower, upper, training, inplace }, input) => F.rrelu(input, lower, upper, training, inplace),
  text: withInPlace("lower", "upper"),
});

/** Clamps to a range (`torch.nn.Hardtanh`). */
export const Hardtanh = defineLayer<
  [],
  [minVal: number, maxVal: number, inplace: boolean],
  InPlace & { minVal: number; maxVal: number },
  Unary,
  Tensor
>({
  name: "Hardtanh",
  module: "activation",
  defaults: { minVal: float(-1), maxVal: float(1), inplace: false },
  forward: ({ minVal, maxVal, inplace }, input) => F.hardtanh(input, minVal, maxVal, inplace),
  text: withInPlace("minVal", "maxVal"),
});

/** The exponential linear unit (`torch.nn.ELU`). */
export const ELU = defineLayer<
  [],
  [alpha: number, inplace: boolean],
  InPlace & { alpha: number },
  Unary,
  Tensor
>({
  name: "ELU",
  module: "activation",
  defaults: { alpha: float(1), inplace: false },
  forward: ({ alpha, inplace }, input) => F.elu(input, alpha, inplace),
  text: withInPlace("alpha"),
});

/** The continuously differentiable exponential linear unit (`torch.nn.CELU`). */
export const CELU = defineLayer<
  [],
  [alpha: number, inplace: boolean],
  InPlace & { alpha: number },
  Unary,
  Tensor
>({
  name: "CELU",
  module: "activation",
  defaults: { alpha: float(1), inplace: false },
  forward: ({ alpha, inplace }, input) => F.celu(input, alpha, inplace),
  text: withInPlace("alpha"),
});

/** `x`, or a small multiple of it below 0 (`torch.nn.LeakyReLU`). */
export const LeakyReLU = defineLayer<
  [],
  [negativeSlope: number, inplace: boolean],
  InPlace & { negativeSlope: number },
  Unary,
  Tensor
>({
  name: "LeakyReLU",
  module: "activation",
  defaults: { negativeSlope: 0.01, inplace: false },
  forward: ({ negativeSlope, inplace }, input) => F.leakyRelu(input, negativeSlope, inplace),
  text: withInPlace("negativeSlope"),
});

/** One half of the input times the sigmoid of the other (`torch.nn.GLU`). */
export const GLU = defineLayer<[], [dim: number], { dim: number }, Unary, Tensor>({
  name: "GLU",
  module: "activation",
  defaults: { dim: -1 },
  forward: ({ dim }, input) => F.glu(input, dim),
});

/** `x` times the normal distribution's probability of less (`torch.nn.GELU`). */
export const GELU = defineLayer<
  [],
  [approximate: "none" | "tanh"],
  { approximate: "none" | "tanh" },
  Unary,
  Tensor
>({
  name: "GELU",
  module: "activation",
  defaults: { approximate: "none" },
  forward: ({ approximate }, input) => F.gelu(input, { approximate }),
});

/** 0 near 0, else `x` (`torch.nn.Hardshrink`). */
export const Hardshrink = defineLayer<[], [lambd: number], { lambd: number }, Unary, Tensor>({
  name: "Hardshrink",
  module: "activation",
  defaults: { lambd: 0.5 },
  forward: ({ lambd }, input) => F.hardshrink(input, lambd),
  text: ({ lambd }) => pythonText(lambd),
});

/** 0 near 0, else `x` moved toward it (`torch.nn.Softshrink`). */
export const Softshrink = defineLayer<[], [lambd: number], { lambd: number }, Unary, Tensor>({
  name: "Softshrink",
  module: "activation",
  defaults: { lambd: 0.5 },
  forward: ({ lambd }, input) => F.softshrink(input, lambd),
  text: ({ lambd }) => pythonText(lambd),
});

/** A smooth ReLU (`torch.nn.Softplus`). */
export const Softplus = defineLayer<
  [],
  [beta: number, threshold: number],
  { beta: number; threshold: number },
  Unary,
  Tensor
>({
  name: "Softplus",
  module: "activation",
  defaults: { beta: float(1), threshold: float(20) },
  forward: ({ beta, threshold }, input) => F.softplus(input, beta, threshold),
  text: ({ beta, threshold }) => `beta=${pythonText(beta)}, threshold=${pythonText(threshold)}`,
});

const dimLayer = (name: string, forward: (input: Tensor, dim?: number) => Tensor) =>
  defineLayer<[], [dim: number], { dim: number | undefined }, Unary, Tensor>({
    name,
    module: "activation",
    defaults: { dim: undefined },
    forward: ({ dim }, input) => forward(input, dim),
  });

/** Numbers from 0 to 1 that sum to 1 along a dimension (`torch.nn.Softmax`). */
export const Softmax = dimLayer("Softmax", F.softmax);
/** The softmax of the negated input (`torch.nn.Softmin`). */
export const Softmin = dimLayer("Softmin", F.softmin);
/** The logarithm of the softmax (`torch.nn.LogSoftmax`). */
export const LogSoftmax = dimLayer("LogSoftmax", F.logSoftmax);

/** The softmax over the channels of images (`torch.nn.Softmax2d`). */
export const Softmax2d = plainLayer("Softmax2d", (input) => {
  if (input.ndim === 3 || input.ndim === 4) return F.softmax(input, -3);
  throw badSettings(
    "Softmax2d",
    `Softmax2d: expected input to be 3D or 4D, got ${input.ndim}D instead`,
    "give [batch, channels, height, width] or [channels, height, width]",
  );
});

/** Settings of {@link PReLU}. */
export interface PReLUOptions {
  /** 1, or one for each channel. @defaultValue 1 */
  readonly numParameters?: number;
  /** The slope below 0 at first. @defaultValue 0.25 */
  readonly init?: number;
  /** The device of the parameter: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameter. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** A leaky ReLU whose slope is learned (`torch.nn.PReLU`). */
export class PReLU extends Module {
  static override readonly torchClass: string = "torch.nn.modules.activation.PReLU";

  /** The slope below 0, `[numParameters]`. */
  weight: Tensor;

  constructor(...rest: Settings<[numParameters: number, init: number], PReLUOptions>) {
    super();
    const { numParameters, init, ...place } = settingsOf("PReLU", rest, {
      numParameters: 1,
      init: 0.25,
      ...PLACE,
    });
    this.weight = new Parameter(constant_(emptyState([numParameters], place), init));
  }

  override forward(input: Tensor): Tensor {
    return F.prelu(input, this.weight);
  }

  override extraRepr(): string {
    return `num_parameters=${this.weight.numel}`;
  }
}

/** A layer of {@link ReLU}. */
export type ReLU = InstanceType<typeof ReLU>;
/** A layer of {@link ReLU6}. */
export type ReLU6 = InstanceType<typeof ReLU6>;
/** A layer of {@link SiLU}. */
export type SiLU = InstanceType<typeof SiLU>;
/** A layer of {@link Mish}. */
export type Mish = InstanceType<typeof Mish>;
/** A layer of {@link Hardsigmoid}. */
export type Hardsigmoid = InstanceType<typeof Hardsigmoid>;
/** A layer of {@link Hardswish}. */
export type Hardswish = InstanceType<typeof Hardswish>;
/** A layer of {@link Sigmoid}. */
export type Sigmoid = InstanceType<typeof Sigmoid>;
/** A layer of {@link Tanh}. */
export type Tanh = InstanceType<typeof Tanh>;
/** A layer of {@link LogSigmoid}. */
export type LogSigmoid = InstanceType<typeof LogSigmoid>;
/** A layer of {@link Softsign}. */
export type Softsign = InstanceType<typeof Softsign>;
/** A layer of {@link Tanhshrink}. */
export type Tanhshrink = InstanceType<typeof Tanhshrink>;
/** A layer of {@link Threshold}. */
export type Threshold = InstanceType<typeof Threshold>;
/** A layer of {@link RReLU}. */
export type RReLU = InstanceType<typeof RReLU>;
/** A layer of {@link Hardtanh}. */
export type Hardtanh = InstanceType<typeof Hardtanh>;
/** A layer of {@link LeakyReLU}. */
export type LeakyReLU = InstanceType<typeof LeakyReLU>;
/** A layer of {@link Hardshrink}. */
export type Hardshrink = InstanceType<typeof Hardshrink>;
/** A layer of {@link Softshrink}. */
export type Softshrink = InstanceType<typeof Softshrink>;
/** A layer of {@link Softplus}. */
export type Softplus = InstanceType<typeof Softplus>;
/** A layer of {@link Softmax}. */
export type Softmax = InstanceType<typeof Softmax>;
/** A layer of {@link Softmin}. */
export type Softmin = InstanceType<typeof Softmin>;
/** A layer of {@link LogSoftmax}. */
export type LogSoftmax = InstanceType<typeof LogSoftmax>;
/** A layer of {@link Softmax2d}. */
export type Softmax2d = InstanceType<typeof Softmax2d>;
/** A layer of {@link SELU}. */
export type SELU = InstanceType<typeof SELU>;
/** A layer of {@link ELU}. */
export type ELU = InstanceType<typeof ELU>;
/** A layer of {@link CELU}. */
export type CELU = InstanceType<typeof CELU>;
/** A layer of {@link GLU}. */
export type GLU = InstanceType<typeof GLU>;
/** A layer of {@link GELU}. */
export type GELU = InstanceType<typeof GELU>;
