/** @file Initialization of tensors in place (`torch.nn.init`). */
import type { Tensor } from "@sconce/tensor";
import { callOperator } from "../trace/dispatch.js";
import { badSettings, requireWord } from "./errors.js";
import type { GainOptions } from "./init-structured.js";
import { type Settings, settingsOf } from "./settings.js";

export {
  dirac_,
  eye_,
  type GainOptions,
  orthogonal_,
  sparse_,
  type TruncNormalOptions,
  truncNormal_,
} from "./init-structured.js";

/** The bounds of {@link uniform_}. */
export interface UniformOptions {
  /** The smallest number. @defaultValue 0 */
  readonly a?: number;
  /** The number above the largest. @defaultValue 1 */
  readonly b?: number;
}

/** Fills a tensor with numbers drawn evenly from `[a, b)`. */
export function uniform_(tensor: Tensor, ...rest: Settings<[a: number, b: number], UniformOptions>): Tensor {
  const { a, b } = settingsOf("init.uniform_", rest, { a: 0, b: 1 });
  return callOperator("aten.uniform_.default", [tensor, a, b]) as Tensor;
}

/** The distribution of {@link normal_}. */
export interface NormalOptions {
  /** The mean. @defaultValue 0 */
  readonly mean?: number;
  /** The standard deviation. @defaultValue 1 */
  readonly std?: number;
}

/** Fills a tensor with numbers drawn from a normal distribution. */
export function normal_(
  tensor: Tensor,
  ...rest: Settings<[mean: number, std: number], NormalOptions>
): Tensor {
  const { mean, std } = settingsOf("init.normal_", rest, { mean: 0, std: 1 });
  return callOperator("aten.normal_.default", [tensor, mean, std]) as Tensor;
}

/** Fills a tensor with a value. */
export function constant_(tensor: Tensor, value: number): Tensor {
  return callOperator("aten.fill_.Scalar", [tensor, value]) as Tensor;
}

/** Fills a tensor with ones. */
export const ones_ = (tensor: Tensor): Tensor => constant_(tensor, 1);
/** Fills a tensor with zeros. */
export const zeros_ = (tensor: Tensor): Tensor => constant_(tensor, 0);

/** Returns the numbers of values that one output reads, and that one input reaches. */
export function fans({ shape }: Tensor): { readonly fanIn: number; readonly fanOut: number } {
  if (shape.length < 2)
    throw badSettings(
      "init",
      "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
      "initialize vectors with `init.uniform_` or `init.zeros_`",
    );
  const field = shape.slice(2).reduce((count, size) => count * size, 1);
  return { fanIn: shape[1]! * field, fanOut: shape[0]! * field };
}

const NONLINEARITIES = ["linear", "conv1d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"];
const LINEAR = /^(?:linear|sigmoid|conv(?:_transpose)?[123]d)$/;

/**
 * Returns the factor by which an activation function scales its input's deviation.
 * @throws SconceError `LAYER_ARGUMENTS` for an activation without one
 */
export function calculateGain(nonlinearity: string, parameter?: number): number {
  switch (nonlinearity) {
    case "tanh":
      return 5 / 3;
    case "relu":
      return Math.SQRT2;
    case "leaky_relu":
      return Math.sqrt(2 / (1 + (parameter ?? 0.01) ** 2));
    case "selu":
      return 3 / 4;
    default:
      if (!LINEAR.test(nonlinearity))
        requireWord("init", nonlinearity, NONLINEARITIES, `Unsupported nonlinearity ${nonlinearity}`);
      return 1;
  }
}

/** Options of the Kaiming initializations. */
export interface KaimingOptions {
  /** The negative slope of `leaky_relu`. @defaultValue 0 */
  readonly a?: number;
  /** Which direction keeps its variance. @defaultValue `fan_in` */
  readonly mode?: "fan_in" | "fan_out";
  /** The activation that follows. @defaultValue `leaky_relu` */
  readonly nonlinearity?: string;
}

/** What the Kaiming initializations take by position, in PyTorch's order. */
type KaimingPositions = [a: number, mode: "fan_in" | "fan_out", nonlinearity: string];

const KAIMING: Required<KaimingOptions> = { a: 0, mode: "fan_in", nonlinearity: "leaky_relu" };

function kaimingDeviation(tensor: Tensor, options: Required<KaimingOptions>): number {
  const { a, mode, nonlinearity } = options;
  requireWord(
    "init",
    mode,
    ["fan_in", "fan_out"],
    `Mode ${String(mode)} not supported, please use one of ['fan_in', 'fan_out']`,
  );
  const { fanIn, fanOut } = fans(tensor);
  return calculateGain(nonlinearity, a) / Math.sqrt(mode === "fan_in" ? fanIn : fanOut);
}

/** He's initialization, evenly distributed. */
export function kaimingUniform_(tensor: Tensor, ...rest: Settings<KaimingPositions, KaimingOptions>): Tensor {
  const options = settingsOf("init.kaimingUniform_", rest, KAIMING);
  if (tensor.numel === 0) return tensor;
  const bound = Math.sqrt(3) * kaimingDeviation(tensor, options);
  return uniform_(tensor, -bound, bound);
}

/** He's initialization, normally distributed. */
export function kaimingNormal_(tensor: Tensor, ...rest: Settings<KaimingPositions, KaimingOptions>): Tensor {
  const options = settingsOf("init.kaimingNormal_", rest, KAIMING);
  if (tensor.numel === 0) return tensor;
  return normal_(tensor, 0, kaimingDeviation(tensor, options));
}

/** Glorot's initialization, evenly distributed. */
export function xavierUniform_(tensor: Tensor, ...rest: Settings<[gain: number], GainOptions>): Tensor {
  const { gain } = settingsOf("init.xavierUniform_", rest, { gain: 1 });
  const { fanIn, fanOut } = fans(tensor);
  const bound = Math.sqrt(3) * gain * Math.sqrt(2 / (fanIn + fanOut));
  return uniform_(tensor, -bound, bound);
}

/** Glorot's initialization, normally distributed. */
export function xavierNormal_(tensor: Tensor, ...rest: Settings<[gain: number], GainOptions>): Tensor {
  const { gain } = settingsOf("init.xavierNormal_", rest, { gain: 1 });
  const { fanIn, fanOut } = fans(tensor);
  return normal_(tensor, 0, gain * Math.sqrt(2 / (fanIn + fanOut)));
}
