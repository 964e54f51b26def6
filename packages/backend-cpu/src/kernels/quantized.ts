/**
 * @file Quantization: to integers, back, and both at once (`fake_quantize`). Each step rounds as
 * PyTorch's does.
 */

import { dtypeInfo, floatToInt32, type Tensor, wrapDimension } from "@sconce/tensor";
import { finishOutput, openOutput, readNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { elementwise, map1, map3 } from "./pointwise-loop.js";
import { clamp, identity, roundHalfEven } from "./pointwise-math.js";

const numberOf = (value: Tensor | number): number =>
  typeof value === "number" ? value : readNumbers(value)[0]!;

/**
 * Returns a level of the range, as an integer: limits and level are in float32, in which the
 * greatest of int32 is 2^31. What is not in int32 then becomes its least.
 */
function limitedTo(least: number, most: number): (level: number) => number {
  const [low, high] = [Math.fround(least), Math.fround(most)];
  return (level) => floatToInt32(clamp(Math.fround(level), low, high));
}

const quantizePerTensor = kernel(
  [
    "quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    "quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    "quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
  ],
  (args, context) => {
    const inverse = Math.fround(1 / numberOf(args.scale));
    const zero = numberOf(args.zero_point);
    const limited = limitedTo(numberOf(args.quant_min), numberOf(args.quant_max));
    const f = (x: number): number => limited(roundHalfEven(Math.fround(x * inverse)) + zero);
    return elementwise({ real: map1(f) }, emptyOutput(context), [args.input], "float64");
  },
);

const dequantizePerTensor = kernel(
  [
    "quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
    "quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
    "quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  ],
  ({ input, scale, zero_point: zeroPoint }, context) => {
    const factor = Math.fround(numberOf(scale));
    const zero = numberOf(zeroPoint);
    return elementwise({ real: map1((q) => (q - zero) * factor) }, emptyOutput(context), [input], "float64");
  },
);

/** Returns a tensor with one value for each channel, broadcast over the others. */
function alongAxis(values: Tensor, input: Tensor, axis: number): Tensor {
  const d = wrapDimension(axis, input.ndim);
  return values.asStrided(
    input.shape,
    input.shape.map((_, k) => (k === d ? values.strides[0]! : 0)),
  );
}

const quantizePerChannel = kernel(
  "quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
  (args, context) => {
    const { input, scales, zero_points: zeros, axis, quant_min: low, quant_max: high } = args;
    const step = scales.dtype === "float64" ? identity : Math.fround;
    const limited = limitedTo(low, high);
    const f = (x: number, scale: number, zero: number): number =>
      limited(roundHalfEven(step(x * step(1 / scale))) + zero);
    const operands = [
      input,
      alongAxis(scales, input, axis),
      zeros === null ? 0 : alongAxis(zeros, input, axis),
    ];
    return elementwise({ real: map3(f) }, emptyOutput(context), operands, "float64");
  },
);

const dequantizePerChannel = kernel(
  "quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  ({ input, scales, zero_points: zeros, axis }, context) => {
    const operands = [
      input,
      alongAxis(scales, input, axis),
      zeros === null ? 0 : alongAxis(zeros, input, axis),
    ];
    const real = map3((q, scale, zero) => (q - zero) * scale);
    return elementwise({ real }, emptyOutput(context), operands, "float64");
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
