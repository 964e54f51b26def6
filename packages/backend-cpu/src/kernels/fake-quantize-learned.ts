/** @file Simulated quantization: gradients of its settings, and settings that follow the data. */
import type { FakeTensor } from "@sconce/ir";
import { numel, type Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { finishOutput, openOutput, readNumbers, writeNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutputs, type KernelContext, kernel } from "../kernel/kernel.js";
import { clamp, roundHalfEven } from "./pointwise-math.js";
import { fakeQuantize, inInt64 } from "./quantized.js";

interface GradientArgs {
  readonly grad: Tensor;
  readonly self: Tensor;
  readonly scale: Tensor;
  readonly zero_point: Tensor;
  readonly quant_min: number;
  readonly quant_max: number;
  readonly grad_factor: number;
  readonly axis?: number;
}

type Outputs = KernelContext<readonly [FakeTensor, FakeTensor, FakeTensor]>;

/** Gradients of the input, of the scale and of the zero point. */
function gradients(args: GradientArgs, context: Outputs): [Tensor, Tensor, Tensor] {
  const { self, axis, quant_min: low, quant_max: high, grad_factor: factor } = args;
  const outputs = emptyOutputs(context);
  const [dx, dScale, dZero] = outputs;
  const [values, grad, scales, zeros] = [self, args.grad, args.scale, args.zero_point].map((one) =>
    readNumbers(one),
  );
  const inner = axis === undefined ? self.numel : numel(self.shape.slice(axis + 1));
  const channels = axis === undefined ? 1 : self.shape[axis]!;
  const results = openOutput(dx);
  const [ofScale, ofZero] = [dScale, dZero].map((one) => new Float64Array(one.numel)) as [
    Float64Array,
    Float64Array,
  ];
  for (let i = 0; i < self.numel; i++) {
    const channel = Math.floor(i / inner) % channels;
    const [x, g, scale] = [values![i]!, grad![i]!, scales![channel]!];
    const start = zeros![channel]!;
    const zero = clamp(axis === undefined ? Math.trunc(start + 0.5) : roundHalfEven(start), low, high);
    const inverse = Math.fround(1 / scale);
    const level = inInt64(roundHalfEven(Math.fround(zero + Math.fround(x * inverse))));
    const isInside = level >= low && level <= high;
    results[i] = isInside ? g : 0;
    const limited = clamp(level, low, high);
    ofZero[channel]! += isInside ? 0 : -g * scale * factor;
    ofScale[channel]! += g * factor * (isInside ? ((limited - zero) * scale - x) * inverse : limited - zero);
  }
  finishOutput(dx, results);
  writeNumbers(dScale, ofScale);
  writeNumbers(dZero, ofZero);
  return outputs;
}

/** Scales below this are not used (`SMALL_SCALE_THRESHOLD` of `QuantUtils.h`). */
const SMALLEST_SCALE = Math.fround(6.1e-5);

interface Levels {
  readonly low: number;
  readonly high: number;
  /** Whether the zero point is in the middle of the levels. */
  readonly isSymmetric: boolean;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Returns a range as wide on both sides of 0 as the levels are. */
function widened({ min, max }: Range, { low, high }: Levels): Range {
  const half = Math.trunc((high - low) / 2);
  const [least, most] = [-(half + 1), half];
  const scale = Math.max(Math.abs(min / least), Math.abs(max / most));
  return { min: scale * least, max: scale * most };
}

/** Returns a range that the smallest scale covers. */
function atLeast({ min, max }: Range, scale: number, { low, high }: Levels): Range {
  if (min === 0) return { min, max: SMALLEST_SCALE * (high - low) };
  if (max === 0) return { min: -SMALLEST_SCALE * (high - low), max };
  const factor = SMALLEST_SCALE / scale;
  return { min: min * factor, max: max * factor };
}

/** Scale and zero point for a range (`ChooseQuantizationParams` of `QuantUtils.h`). */
function settingsOf(given: Range, levels: Levels): readonly [scale: number, zero: number] {
  const { low, high, isSymmetric } = levels;
  const isBalanced = isSymmetric && given.min < 0 && given.max > 0;
  let range = isBalanced ? widened(given, levels) : given;
  range = { min: Math.min(range.min, 0), max: Math.max(range.max, 0) };
  let scale = (range.max - range.min) / (high - low);
  if (Math.fround(scale) === 0 || !Number.isFinite(Math.fround(1 / Math.fround(scale)))) scale = 0.1;
  if (scale < SMALLEST_SCALE) {
    range = atLeast(range, scale, levels);
    scale = SMALLEST_SCALE;
  }
  const [fromMin, fromMax] = [low - range.min / scale, high - range.max / scale];
  const [errorMin, errorMax] = [
    Math.abs(low) + Math.abs(range.min / scale),
    Math.abs(high) + Math.abs(range.max / scale),
  ];
  const middle = range.min < 0 && range.max > 0 && isSymmetric;
  const zero = middle ? (low + high) / 2 : errorMin < errorMax ? fromMin : fromMax;
  return [scale, clamp(roundHalfEven(zero), low, high)];
}

/** Least and greatest of each row, or of all elements. */
function rangesOf(self: Tensor, rows: number): readonly Range[] {
  const values = readNumbers(self);
  const size = values.length / rows;
  return Array.from({ length: rows }, (_, r) => {
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = r * size; i < (r + 1) * size; i++) {
      min = Math.min(min, values[i]!);
      max = Math.max(max, values[i]!);
    }
    return { min, max };
  });
}

/** Moves running ranges toward what is seen; ones that are not finite begin with it. */
function follow(self: Tensor, min: Tensor, max: Tensor, byRow: boolean, constant: number): void {
  const average = Math.fround(constant);
  const moved = (old: number, seen: number): number =>
    Number.isFinite(old) ? Math.fround(old + Math.fround(average * Math.fround(seen - old))) : seen;
  const seen = rangesOf(self, byRow ? self.shape[0]! : 1);
  const [lows, highs] = [readNumbers(min), readNumbers(max)];
  const next = seen.map((range, r) => [moved(lows[r]!, range.min), moved(highs[r]!, range.max)] as const);
  writeNumbers(
    min,
    next.map(([low]) => low),
  );
  writeNumbers(
    max,
    next.map(([, high]) => high),
  );
}

const observed = kernel(
  "aten::_fused_moving_avg_obs_fq_helper_functional(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor running_min, Tensor running_max, Tensor scale, Tensor zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask, Tensor running_min_out, Tensor running_max_out, Tensor scale_out, Tensor zero_point_out)",
  (args, context) => {
    const { self, quant_min: low, quant_max: high, per_row_fake_quant: byRow } = args;
    const [out, mask, min, max, scale, zero] = emptyOutputs(context);
    const state = [args.running_min, args.running_max, args.scale, args.zero_point];
    for (const [at, target] of [min, max, scale, zero].entries()) copyInto(target, state[at]!);
    if (readNumbers(args.observer_on)[0] !== 0) follow(self, min, max, byRow, args.averaging_const);
    if (readNumbers(args.fake_quant_on)[0] !== 0) {
      const levels = { low, high, isSymmetric: args.symmetric_quant };
      const [lows, highs] = [readNumbers(min), readNumbers(max)];
      const settings = Array.from(lows, (least, r) => settingsOf({ min: least, max: highs[r]! }, levels));
      writeNumbers(
        scale,
        settings.map(([value]) => value),
      );
      writeNumbers(
        zero,
        settings.map(([, value]) => value),
      );
    }
    const enabled = args.fake_quant_on;
    const axis = byRow ? { axis: args.ch_axis } : {};
    fakeQuantize(
      {
        self,
        scale,
        zero_point: zero,
        fake_quant_enabled: enabled,
        quant_min: low,
        quant_max: high,
        ...axis,
      },
      out,
      mask,
    );
    return [out, mask, min, max, scale, zero];
  },
);

export const fakeQuantizeLearnedKernels = defineKernels([
  observed,
  kernel(
    "aten::_fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)",
    (args, context) => gradients(args, context),
  ),
  kernel(
    "aten::_fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)",
    (args, context) => gradients(args, context),
  ),
]);
