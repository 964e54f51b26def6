/** @file Batch normalization. Statistics are in float64, by two passes. */

import type { FakeTensor } from "@sconce/ir";
import { numel, type Tensor, Tensor as TensorClass } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { finishOutput, type NumberArray, openOutput, readNumbers } from "../kernel/dense.js";
import { roundTo, stepOf } from "../kernel/half.js";
import { defineKernels, emptyOutputs, type KernelContext, kernel } from "../kernel/kernel.js";
import { overflowOf } from "../kernel/overflow.js";
import { scratch } from "../kernel/scratch.js";
import { mapTuple, type TupleOf } from "../kernel/tuple.js";
import { fill, openOutputs, scaleRun } from "./normalization.js";
import { identity } from "./pointwise-math.js";

/** Statistics of each channel. */
interface ChannelStats {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
}

interface BatchInput {
  readonly x: NumberArray;
  readonly batch: number;
  readonly channels: number;
  readonly inner: number;
}

function batchInput(input: Tensor): BatchInput {
  const [batch, channels] = input.shape;
  return { x: readNumbers(input), batch, channels, inner: numel(input.shape.slice(2)) };
}

function channelStats({ x, batch, channels, inner }: BatchInput, { dtype }: Tensor): ChannelStats {
  const overflow = overflowOf(dtype);
  // PyTorch adds up float32 in float64, and bfloat16 in float32.
  const overflowOfSum = overflowOf(dtype === "bfloat16" ? dtype : "float64");
  const mean = scratch(Float64Array, channels);
  const variance = scratch(Float64Array, channels);
  const count = batch * inner;
  for (let c = 0; c < channels; c++) {
    let sum = 0;
    for (let n = 0; n < batch; n++) {
      const start = (n * channels + c) * inner;
      for (let p = start; p < start + inner; p++) sum += x[p]!;
    }
    const mu = overflowOfSum(sum) / count;
    let square = 0;
    for (let n = 0; n < batch; n++) {
      const start = (n * channels + c) * inner;
      for (let p = start; p < start + inner; p++) square += (x[p]! - mu) ** 2;
    }
    mean[c] = mu;
    variance[c] = overflow(square) / count;
  }
  return { mean, variance };
}

interface BatchNormArgs {
  readonly input: Tensor;
  readonly weight: Tensor | null;
  readonly bias: Tensor | null;
  readonly running_mean?: Tensor | null;
  readonly running_var?: Tensor | null;
  readonly momentum: number;
  readonly eps: number;
}

/**
 * Normalizes with the batch's statistics when training, else with the running ones; the outputs are
 * filled in.
 */
function batchNorm(
  args: BatchNormArgs,
  training: boolean,
  [out, mean, rstd]: readonly Tensor[],
): ChannelStats {
  const data = batchInput(args.input);
  const round = parameterRounding(args);
  const stats = training
    ? channelStats(data, args.input)
    : {
        mean: Float64Array.from(readNumbers(args.running_mean!)),
        variance: Float64Array.from(readNumbers(args.running_var!)),
      };
  const { x, batch, channels, inner } = data;
  const y = openOutput(out!);
  const rounded = training ? round.statistic : identity;
  const count = batch * inner;
  const spread = (v: number): number => (training ? round.variance(round.variance(v * count) / count) : v);
  const step = stepOf(args.input.dtype);
  // Running statistics are taken as they are: each step rounds, as PyTorch's do.
  const toScale = training
    ? (v: number): number => rounded(1 / Math.sqrt(spread(v) + args.eps))
    : (v: number): number => step(1 / step(Math.sqrt(step(v + step(args.eps)))));
  const scales = stats.variance.map(toScale);
  const means = stats.mean.map(rounded);
  const lines = channelLines(args, means, scales);
  for (const [c, line] of lines.entries())
    for (let n = 0; n < batch; n++) lineRun(x, y, (n * channels + c) * inner, inner, line);
  finishOutput(out!, y);
  if (mean !== undefined && mean.numel > 0) finishOutput(mean, fill(openOutput(mean), stats.mean));
  if (rstd !== undefined && rstd.numel > 0) finishOutput(rstd, fill(openOutput(rstd), scales));
  return stats;
}

/** What the elements of a channel become: `x * factor + shift`. */
interface Line {
  readonly factor: number;
  readonly shift: number;
}
function channelLines(
  { input, weight, bias }: BatchNormArgs,
  means: Float64Array,
  scales: Float64Array,
): Line[] {
  const step = stepOf(input.dtype);
  const [w, b] = [weight && readNumbers(weight), bias && readNumbers(bias)];
  return Array.from(scales, (scale, c) => {
    const factor = step(scale * (w ? w[c]! : 1));
    const shift = step((b ? b[c]! : 0) - means[c]! * factor);
    // PyTorch rounds `x * factor + shift` once: finite products do not count beside infinity.
    const isLost = Math.abs(shift) === Infinity && Number.isFinite(factor);
    return { factor: isLost ? Math.sign(factor) : factor, shift };
  });
}

/** From here on, products of float64 may be infinite where the sum is not. */
const LARGE = 2 ** 1000;

function lineRun(
  x: NumberArray,
  y: NumberArray,
  start: number,
  count: number,
  { factor, shift }: Line,
): void {
  const isLarge = Math.abs(shift) > LARGE && Math.abs(shift) < Infinity;
  scaleRun(x, y, start, count, isLarge ? factor / 2 : factor, isLarge ? shift / 2 : shift);
  if (isLarge) for (let p = start; p < start + count; p++) y[p] = y[p]! * 2;
}

/** How the batch's statistics round before they are used. */
interface StatisticRounding {
  readonly statistic: (x: number) => number;
  readonly variance: (x: number) => number;
}

/**
 * Statistics of halves are halves, unless the parameters are wider; of bfloat16 the sum of squares
 * is one too, and its quotient by the count. Measured with PyTorch 2.14 on a CPU.
 */
function parameterRounding({ input, weight }: BatchNormArgs): StatisticRounding {
  const { dtype } = weight ?? input;
  const half = dtype === "float16" || dtype === "bfloat16";
  return {
    statistic: half ? roundTo(dtype) : identity,
    variance: dtype === "bfloat16" ? roundTo(dtype) : identity,
  };
}

/** Returns a running statistic after one more batch: the variance is the unbiased one. */
function updated(running: Tensor, batch: Float64Array, momentum: number, correction: number): Tensor {
  const old = readNumbers(running);
  // Not yet in the dtype of the running statistic: the functional overload gives it wider.
  const out = TensorClass.empty(running.shape, "float64");
  const values = openOutput(out);
  for (let c = 0; c < batch.length; c++)
    values[c] = momentum * batch[c]! * correction + (1 - momentum) * old[c]!;
  return finishOutput(out, values);
}

function runningStats(
  args: BatchNormArgs,
  stats: ChannelStats,
): readonly [mean: Tensor | null, variance: Tensor | null] {
  const count = args.input.numel / args.input.shape[1]!;
  const { running_mean: mean, running_var: variance, momentum } = args;
  return [
    mean ? updated(mean, stats.mean, momentum, 1) : null,
    variance ? updated(variance, stats.variance, momentum, count / (count - 1)) : null,
  ];
}

/**
 * Returns the outputs of a batch normalization; new running statistics have the dtype of the old.
 */
function batchOutputs<const M extends readonly FakeTensor[]>(
  args: BatchNormArgs,
  context: KernelContext<M>,
): TupleOf<M, Tensor> {
  const { input, weight, bias, running_mean: mean, running_var: variance } = args;
  return openOutputs(context, input, [weight, bias, mean, variance]);
}

function functionalOutputs<const M extends readonly FakeTensor[]>(
  args: BatchNormArgs,
  context: KernelContext<M>,
): TupleOf<M, Tensor> {
  const outputs = batchOutputs(args, context);
  const running = [args.running_mean, args.running_var];
  return mapTuple(outputs, (out, i) => {
    const old = running[i - (outputs.length - 2)];
    return old && old.dtype !== out.dtype ? TensorClass.empty(out.shape, old.dtype) : out;
  });
}

/** Batch normalization that writes the running statistics in place. */
function mutatingBatchNorm<T extends readonly Tensor[]>(
  args: BatchNormArgs,
  training: boolean,
  outputs: T,
): T {
  const stats = batchNorm(args, training, outputs);
  if (training) {
    const [mean, variance] = runningStats(args, stats);
    if (mean !== null) copyInto(args.running_mean!, mean);
    if (variance !== null) copyInto(args.running_var!, variance);
  }
  return outputs;
}

/** Batch normalization that returns the new running statistics as its last two outputs. */
function functionalBatchNorm<T extends readonly Tensor[]>(
  args: BatchNormArgs,
  training: boolean,
  outputs: T,
): T {
  const stats = batchNorm(args, training, outputs);
  const [mean, variance] = training
    ? runningStats(args, stats)
    : [args.running_mean ?? null, args.running_var ?? null];
  const last = outputs.length - 2;
  if (mean !== null) copyInto(outputs[last]!, mean);
  if (variance !== null) copyInto(outputs[last + 1]!, variance);
  return outputs;
}

/** Statistics alone; running ones are updated in place, though the schema does not say so. */
const updateStatistics = kernel(
  "aten::batch_norm_update_stats(Tensor input, Tensor? running_mean, Tensor? running_var, float momentum) -> (Tensor, Tensor)",
  (args, context) => {
    const [mean, variance] = emptyOutputs(context);
    const stats = channelStats(batchInput(args.input), args.input);
    const updates = runningStats({ ...args, weight: null, bias: null, eps: 0 }, stats);
    for (const [at, running] of [args.running_mean, args.running_var].entries())
      if (running !== null) copyInto(running, updates[at]!);
    finishOutput(mean, fill(openOutput(mean), stats.mean));
    finishOutput(variance, fill(openOutput(variance), stats.variance));
    return [mean, variance];
  },
);

export const batchNormKernels = defineKernels([
  updateStatistics,
  kernel(
    "aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    (args, context) => mutatingBatchNorm(args, args.training, batchOutputs(args, context)),
  ),
  kernel(
    "aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    (args, context) => mutatingBatchNorm(args, true, batchOutputs(args, context)),
  ),
  kernel(
    "aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    (args, context) => mutatingBatchNorm(args, false, batchOutputs(args, context)),
  ),
  kernel(
    "aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
    (args, context) => functionalBatchNorm(args, args.training, functionalOutputs(args, context)),
  ),
  kernel(
    "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    (args, context) => mutatingBatchNorm(args, args.training, batchOutputs(args, context)),
  ),
  kernel(
    "aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
    (args, context) => mutatingBatchNorm(args, true, batchOutputs(args, context)),
  ),
  kernel(
    "aten::_batch_norm_with_update_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
    (args, context) => functionalBatchNorm(args, true, functionalOutputs(args, context)),
  ),
]);
