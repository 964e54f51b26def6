/**
 * @file Quantization: to integers, back, and both at once (`fake_quantize`). Each step rounds as
 * PyTorch's does.
 */

import { dtypeInfo, floatToInt32, type Tensor } from "@sconce/tensor";
import { finishOutput, openOutput, readNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { elementwise, map1, map3 } from "./pointwise-loop.js";
import { clamp, identity, roundHalfEven } from "./pointwise-math.js";

const numberOf = (value: Tensor | number): number =>
  typeof value === "number" ? value : readNumbers(value)[0]!;

/**
 * A level of the range, as an integer: limits and level are in float32, in which the greatest of
 * int32 is 2^31. What is not in int32 then becomes its least.
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

/** A tensor with one value for each channel, broadcast over the others. */
function alongAxis(values: Tensor, input: Tensor, axis: number): Tensor {
  const d = axis < 0 ? axis + input.ndim : axis;
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

/** What int64 does not hold becomes its least, as processors convert. */
const inInt64 = (level: number): number => (Math.abs(level) < 2 ** 63 ? level : -(2 ** 63));

/** Zero points of channels that are integers have to be in the range. */
function checkZeroPoints(zeros: Tensor, low: number, high: number): void {
  if (zeros.dtype !== "int32") return;
  if (zeros.numel === 0)
    throw invalidArgument(
      "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
    );
  if (Array.from(readNumbers(zeros)).some((zero) => zero < low || zero > high))
    throw invalidArgument("`zero_point` must be between `quant_min` and `quant_max`.");
}

/**
 * The value on the quantized grid, and whether it was inside of the range. NaN is at its low end.
 * For channels, levels are 64-bit integers between the steps; zero points that are floats are added
 * before the rounding.
 */
function fakeQuantize(args: FakeQuantize, out: Tensor, mask?: Tensor): void {
  const { self, quant_min: low, quant_max: high, axis } = args;
  const spread = (value: Tensor | number): ArrayLike<number> =>
    typeof value === "number" || axis === undefined
      ? scratch(Float64Array, self.numel).fill(numberOf(value))
      : readNumbers(alongAxis(value, self, axis));
  const [values, scales, zeros] = [readNumbers(self), spread(args.scale), spread(args.zero_point)];
  const enabled = args.fake_quant_enabled === undefined || readNumbers(args.fake_quant_enabled)[0] !== 0;
  if (axis !== undefined) checkZeroPoints(args.zero_point as Tensor, low, high);
  const isShifted = typeof args.zero_point !== "number" && dtypeInfo(args.zero_point.dtype).kind === "float";
  const results = openOutput(out);
  const inside = mask === undefined ? undefined : openOutput(mask);
  for (let i = 0; i < values.length; i++) {
    const scale = Math.fround(scales[i]!);
    const scaled = Math.fround(values[i]! * Math.fround(1 / scale));
    const zero = zeros[i]!;
    const rounded = isShifted ? roundHalfEven(Math.fround(scaled + zero)) : roundHalfEven(scaled) + zero;
    const level = axis === undefined ? rounded : inInt64(rounded);
    const limited = Number.isNaN(level) ? low : clamp(level, low, high);
    results[i] = enabled ? Math.fround(limited - zero) * scale : values[i]!;
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
