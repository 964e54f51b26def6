/** @file Scale and zero point for the range of values that a tensor has. */

import type { FakeTensor } from "@sconce/ir";
import { contiguousStrides, type DType, floatToInt32, type Tensor } from "@sconce/tensor";
import { finishOutput, readNumbers, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutputs, emptyStrided, type KernelContext, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { clamp, roundHalfEven } from "./pointwise-math.js";

interface Range {
  readonly low: number;
  readonly high: number;
}

/** Least and greatest of a run of values, widened to take in 0. */
function rangeOf(values: ArrayLike<number>, start: number, count: number): Range {
  let [low, high] = [0, 0];
  for (let i = start; i < start + count; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) return { low: value, high: value };
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

interface TensorArgs {
  readonly input: Tensor;
  readonly quant_min: number;
  readonly quant_max: number;
  readonly eps: number;
  readonly dtype: DType;
}

/** One scale for the whole tensor; all is computed in float32. */
function wholeTensor(
  args: TensorArgs,
  context: KernelContext<readonly [FakeTensor, FakeTensor]>,
  symmetric: boolean,
): [scales: Tensor, zeros: Tensor] {
  const { input, quant_min: least, quant_max: most } = args;
  if (input.numel === 0)
    throw invalidArgument(
      "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
    );
  const { low, high } = rangeOf(readNumbers(input), 0, input.numel);
  const eps = Math.fround(args.eps);
  const [scales, zeros] = emptyOutputs(context);
  if (symmetric) {
    const scale = Math.max(Math.fround(Math.max(-low, high) / ((most - least) / 2)), eps);
    return [
      finishOutput(scales, new Float64Array([scale])),
      finishOutput(zeros, new Float64Array([args.dtype === "uint8" ? 128 : 0])),
    ];
  }
  const scale = Math.max(Math.fround(Math.fround(high - low) / (most - least)), eps);
  // In int32: NaN is its least there, and the difference wraps.
  const zero = clamp((least - floatToInt32(roundHalfEven(Math.fround(low / scale)))) | 0, least, most);
  return [finishOutput(scales, new Float64Array([scale])), finishOutput(zeros, new Float64Array([zero]))];
}

/**
 * The greatest magnitude of each row. What it gives is in float32, whatever the shape rule says.
 */
const perToken = kernel(
  "quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
  ({ input, dtype }) => {
    if (dtype !== "int8") throw invalidArgument(`unsupported dtype in choose_qparams_per_token: ${dtype}`);
    const values = readNumbers(input);
    const width = input.shape.at(-1)!;
    const shape = [...input.shape.slice(0, -1), 1];
    const kind = input.dtype === "float16" ? "float32" : input.dtype;
    const [scales, zeros] = [0, 1].map(() => emptyStrided(shape, contiguousStrides(shape), kind)) as [
      Tensor,
      Tensor,
    ];
    const results = scratch(Float64Array, scales.numel);
    for (let row = 0; row < results.length; row++) {
      const { low, high } = rangeOf(values, row * width, width);
      results[row] = Math.max(-low, high, 1e-5) / 127;
    }
    writeNumbers(scales, results);
    return [scales, zeros];
  },
);

const perTokenAsymmetric = kernel(
  "quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
  ({ input }, context) => {
    const values = readNumbers(input);
    const width = input.shape.at(-1)!;
    const [scales, zeros] = emptyOutputs(context);
    const results = scratch(Float64Array, scales.numel);
    const places = scratch(Float64Array, scales.numel);
    for (let row = 0; row < results.length; row++) {
      const { low, high } = rangeOf(values, row * width, width);
      const scale = Math.max(Math.fround(Math.fround(high - low) / 255), 2 ** -23);
      const [least, most] = [Math.fround(low / scale), Math.fround(high / scale)];
      const place = Math.fround(-128 + least) + Math.fround(127 + most) > 0 ? -128 - least : 127 - most;
      results[row] = scale;
      places[row] = roundHalfEven(clamp(Math.fround(place), -128, 127));
    }
    return [finishOutput(scales, results), finishOutput(zeros, places)];
  },
);

export const quantizedParametersKernels = defineKernels([
  kernel(
    "quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
    (args, context) => wholeTensor(args, context, false),
  ),
  kernel(
    "quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
    (args, context) => wholeTensor(args, context, true),
  ),
  perToken,
  perTokenAsymmetric,
]);
