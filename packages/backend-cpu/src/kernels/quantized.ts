/**
 * @file Quantization: to integers, back, and both at once (`fake_quantize`). Each step rounds as
 * PyTorch's does.
 */

import type { FakeTensor } from "@sconce/ir";
import { checkQuantizedRange } from "@sconce/ops";
import {
  bfloat16ToNumber,
  castTensor,
  type DType,
  dtypeInfo,
  float16ToNumber,
  floatToInt32,
  isBigIntDType,
  numberToBfloat16,
  numberToFloat16,
  promoteTypes,
  Tensor,
  wrapDimension,
} from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { finishOutput, openOutput, readNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import {
  defineKernels,
  emptyOutput,
  emptyOutputs,
  type Kernel,
  type KernelContext,
  kernel,
} from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { elementwise, type LaneLoop, map1, map3 } from "./pointwise-loop.js";
import { clamp, identity, roundHalfEven } from "./pointwise-math.js";

const numberOf = (value: Tensor | number): number =>
  typeof value === "number" ? value : readNumbers(value)[0]!;

/** Rounds a number to what a dtype of floats can hold. */
type Round = (value: number) => number;

function roundTo(dtype: DType): Round {
  if (dtype === "float16") return (value) => float16ToNumber(numberToFloat16(value));
  if (dtype === "bfloat16") return (value) => bfloat16ToNumber(numberToBfloat16(value));
  return dtype === "float64" ? identity : Math.fround;
}

/** PyTorch computes with halves in float32. */
const stepOf = (dtype: DType): Round => (dtype === "float64" ? identity : Math.fround);

/**
 * Returns a level of the range: limits and level are floats, so that the greatest of int32 is 2^31
 * in float32. What is not in int32 then becomes its least.
 */
function limitedTo(round: Round, least: number, most: number, target: DType): (level: number) => number {
  const [low, high] = [round(least), round(most)];
  return dtypeInfo(target).kind === "float"
    ? (level) => clamp(round(level), low, high)
    : (level) => floatToInt32(clamp(round(level), low, high));
}

const quantizePerTensor = kernel(
  [
    "quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    "quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    "quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
  ],
  (args, context) => {
    const scale = numberOf(args.scale);
    if (scale === 0) throw invalidArgument("the scale is 0: it has no inverse");
    const [low, high] = [args.quant_min, args.quant_max].map((end: Tensor | number) => limitOf(end));
    checkQuantizedRange(low!, high!, args.dtype);
    const inverse = Math.fround(1 / scale);
    const zero = Math.fround(numberOf(args.zero_point));
    const limited = limitedTo(Math.fround, low!, high!, args.dtype);
    const f = (x: number): number => limited(roundHalfEven(Math.fround(x * inverse)) + zero);
    return pointwise(map1(f), [args.input], context);
  },
);

/** Runs a loop in float64 on operands; elementwise loops take 8-bit floats as wider ones. */
function pointwise(
  real: LaneLoop,
  operands: readonly (Tensor | number)[],
  context: KernelContext<FakeTensor>,
): Tensor {
  const out = emptyOutput(context);
  const wide = operands.map((one) =>
    typeof one !== "number" && one.dtype.startsWith("float8") ? castTensor(one, "float32") : one,
  );
  if (!out.dtype.startsWith("float8")) return elementwise({ real }, out, wide, "float64");
  const levels = elementwise({ real }, Tensor.empty(out.shape, "float32"), wide, "float64");
  copyInto(out, castTensor(levels, out.dtype));
  return out;
}

/** Returns the number of a limit. */
function limitOf(limit: Tensor | number): number {
  if (typeof limit === "number" || limit.numel === 1) return numberOf(limit);
  throw invalidArgument(`a Tensor with ${limit.numel} elements cannot be converted to Scalar`);
}

const dequantizePerTensor = kernel(
  [
    "quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
    "quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
    "quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  ],
  ({ input, scale, zero_point: zeroPoint, out_dtype: dtype }, context) => {
    const [round, step] = [roundTo(dtype ?? "float32"), stepOf(dtype ?? "float32")];
    const [factor, zero] = [step(numberOf(scale)), step(numberOf(zeroPoint))];
    const real = map1((q) => round(round(round(q) - zero) * factor));
    return pointwise(real, [input], context);
  },
);

/** Returns a tensor with one value for each channel, broadcast over the others. */
function alongAxis(values: Tensor, input: Tensor, axis: number): Tensor {
  const d = wrapDimension(axis, input.ndim);
  const count = values.shape[0];
  if (values.numel !== count || (count !== 1 && count !== input.shape[d]))
    throw invalidArgument(
      `one value for each of ${input.shape[d]} channels is needed, and there is a tensor of shape [${values.shape.join(", ")}]`,
    );
  const step = count === 1 ? 0 : values.strides[0]!;
  return values.asStrided(
    input.shape,
    input.shape.map((_, k) => (k === d ? step : 0)),
  );
}

const quantizePerChannel = kernel(
  "quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
  (args, context) => {
    const { input, scales, zero_points: zeros, axis, quant_min: low, quant_max: high } = args;
    const kind = dtypeInfo(scales.dtype).kind === "float" ? scales.dtype : "float32";
    const [own, product] = [roundTo(kind), roundTo(promoteTypes("float32", kind))];
    const sum = roundTo(promoteTypes(promoteTypes("float32", kind), zeros.dtype));
    const limited = limitedTo(sum, low, high, args.dtype);
    const f = (x: number, scale: number, zero: number): number =>
      limited(roundHalfEven(product(x * own(1 / own(scale)))) + sum(zero));
    const operands = [input, alongAxis(scales, input, axis), alongAxis(zeros, input, axis)];
    return pointwise(map3(f), operands, context);
  },
);

/** Returns a difference of integers of a dtype, which wraps. */
function wrapTo(dtype: DType): Round {
  if (dtypeInfo(dtype).kind === "float") return roundTo(dtype);
  if (isBigIntDType(dtype)) return identity;
  const { array } = dtypeInfo(dtype);
  const one = new array(new ArrayBuffer(8), 0, 1) as Int32Array;
  return (value) => {
    one[0] = value;
    return one[0]!;
  };
}

const dequantizePerChannel = kernel(
  "quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  ({ input, scales, zero_points: zeros, axis }, context) => {
    const levels = zeros === null ? input.dtype : promoteTypes(input.dtype, zeros.dtype);
    const product = promoteTypes(levels, scales.dtype);
    const [level, round] = [wrapTo(levels), roundTo(product)];
    const real = map3((q, scale, zero) => round(round(level(level(q) - level(zero))) * round(scale)));
    const operands = [
      input,
      alongAxis(scales, input, axis),
      zeros === null ? 0 : alongAxis(zeros, input, axis),
    ];
    return pointwise(real, operands, context);
  },
);

interface FakeQuantize {
  readonly self: Tensor;
  readonly scale: Tensor | number;
  readonly zero_point: Tensor | number;
  readonly axis?: number;
  readonly quant_min: number;
  readonly quant_max: number;
  readonly fake_quant_enabled?: Tensor;
}

/** Returns a level; the least int64 in place of what int64 cannot hold, as processors convert. */
export const inInt64 = (level: number): number => (Math.abs(level) < 2 ** 63 ? level : -(2 ** 63));

/**
 * Zero points of channels that are integers have to be in the range. PyTorch's rule takes scales of
 * bfloat16, and its kernel fails at them.
 */
function checkChannels(scales: Tensor, zeros: Tensor, low: number, high: number): void {
  if (scales.dtype === "bfloat16") throw invalidArgument("Scale must be Float, found BFloat16");
  if (zeros.dtype !== "int32") return;
  if (zeros.numel === 0)
    throw invalidArgument(
      "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
    );
  if (Array.from(readNumbers(zeros)).some((zero) => zero < low || zero > high))
    throw invalidArgument("`zero_point` must be between `quant_min` and `quant_max`.");
}

/** Returns the one number of a setting that is a tensor. */
function settingOf(setting: Tensor | number): number {
  if (typeof setting === "number") return setting;
  if (setting.numel !== 1)
    throw invalidArgument(`a Tensor with ${setting.numel} elements cannot be converted to Scalar`);
  return readNumbers(setting)[0]!;
}

/** A zero point of a whole tensor is an integer, also where a tensor of floats gives it. */
function wholeZero(setting: Tensor | number): number {
  const zero = Math.trunc(settingOf(setting));
  if (typeof setting === "number" || floatToInt32(zero) === zero) return zero;
  throw invalidArgument("value cannot be converted to type int without overflow");
}

interface Quantizer {
  readonly scales: ArrayLike<number>;
  readonly zeros: ArrayLike<number>;
  /** The level of a scaled value, which is not rounded yet. */
  readonly level: (scaled: number, zero: number) => number;
  /** Rounds as the type in which levels become values. */
  readonly last: (value: number) => number;
}

/**
 * Returns a quantizer whose steps round to float32; float64 has its own steps, but the last one of
 * a whole tensor.
 */
function quantizerOf({ self, scale, zero_point: zero, axis, quant_min, quant_max }: FakeQuantize): Quantizer {
  const step = self.dtype === "float64" ? identity : Math.fround;
  if (axis === undefined) {
    const [scales, zeros] = [settingOf(scale), wholeZero(zero)].map((value) =>
      scratch(Float64Array, self.numel).fill(value),
    );
    const level = (scaled: number, at: number): number => roundHalfEven(step(scaled)) + at;
    return { scales: scales!, zeros: zeros!, level, last: Math.fround };
  }
  const [each, origins] = [scale as Tensor, zero as Tensor];
  checkChannels(each, origins, quant_min, quant_max);
  return {
    scales: readNumbers(alongAxis(each, self, axis)),
    zeros: readNumbers(alongAxis(origins, self, axis)),
    level:
      dtypeInfo(origins.dtype).kind === "float"
        ? (scaled, at) => inInt64(roundHalfEven(Math.fround(scaled + at)))
        : (scaled, at) => inInt64(roundHalfEven(step(scaled)) + at),
    last: step,
  };
}

/**
 * The value on the quantized grid, and whether it was inside of the range. NaN is at its low end.
 * For channels, levels are 64-bit integers between the steps; zero points that are floats are added
 * before the rounding, in one step of float32.
 */
export function fakeQuantize(args: FakeQuantize, out: Tensor, mask?: Tensor): void {
  const { self, quant_min: low, quant_max: high } = args;
  const values = readNumbers(self);
  const { scales, zeros, level: levelOf, last } = quantizerOf(args);
  const enabled = args.fake_quant_enabled === undefined || settingOf(args.fake_quant_enabled) !== 0;
  const results = openOutput(out);
  const inside = mask === undefined ? undefined : openOutput(mask);
  for (let i = 0; i < values.length; i++) {
    const scale = Math.fround(scales[i]!);
    const level = levelOf(values[i]! * Math.fround(1 / scale), zeros[i]!);
    const limited = Number.isNaN(level) ? low : clamp(level, low, high);
    results[i] = enabled ? last(last(limited - zeros[i]!) * scale) : values[i]!;
    if (inside !== undefined) inside[i] = !enabled || (level >= low && level <= high) ? 1 : 0;
  }
  finishOutput(out, results);
  if (mask !== undefined) finishOutput(mask, inside!);
}

const fakeQuantizeOnly: Kernel<FakeQuantize> = (args, context) => {
  const out = emptyOutput(context);
  fakeQuantize(args, out);
  return out;
};

const fakeQuantizeWithMask: Kernel<FakeQuantize, readonly [Tensor, Tensor]> = (args, context) => {
  const [out, mask] = emptyOutputs(context);
  fakeQuantize(args, out, mask);
  return [out, mask];
};

export const quantizedKernels = defineKernels([
  quantizePerTensor,
  dequantizePerTensor,
  quantizePerChannel,
  dequantizePerChannel,
  kernel(
    [
      "aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor",
      "aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor",
      "aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor",
    ],
    fakeQuantizeOnly,
  ),
  kernel(
    [
      "aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
      "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, Tensor fake_quant_enabled, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
      "aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    ],
    fakeQuantizeWithMask,
  ),
]);
