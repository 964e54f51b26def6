/**
 * @file The connectionist temporal classification loss: forward variables of all alignments, in
 * logarithms (Graves et al., "Connectionist temporal classification", 2006, equations 6 to 8).
 */
import type { Tensor } from "@sconce/tensor";
import { finishOutput, type NumberArray, openOutput, readNumbers } from "../kernel/dense.js";
import { indexOutOfRange } from "../kernel/errors.js";
import { defineKernels, emptyOutput, emptyOutputs, type KernelContext, kernel } from "../kernel/kernel.js";

/** One sample: its labels, and where its rows lie. */
interface Sample {
  readonly logs: NumberArray;
  /** Place of the scores of one step, from the step. */
  readonly row: (step: number) => number;
  /** Labels with blanks between and around. */
  readonly labels: readonly number[];
  readonly steps: number;
  readonly blank: number;
}

function logSumExp(a: number, b: number, c: number): number {
  const most = Math.max(a, b, c);
  if (most === Number.NEGATIVE_INFINITY) return most;
  return most + Math.log(Math.exp(a - most) + Math.exp(b - most) + Math.exp(c - most));
}

/** Fills `alpha`, one row of `width` a step, and gives the loss. */
function forward(sample: Sample, alpha: NumberArray, width: number): number {
  const { logs, row, labels, steps, blank } = sample;
  if (steps === 0) return labels.length === 1 ? 0 : Number.POSITIVE_INFINITY;
  alpha.fill(Number.NEGATIVE_INFINITY);
  for (let s = 0; s < Math.min(2, labels.length); s++) alpha[s] = logs[row(0) + labels[s]!]!;
  for (let t = 1; t < steps; t++) {
    const [from, to] = [(t - 1) * width, t * width];
    labels.forEach((label, s) => {
      const before = s > 0 ? alpha[from + s - 1]! : Number.NEGATIVE_INFINITY;
      // A label follows the one before the blank, unless both are the same.
      const skips = s > 1 && label !== blank && label !== labels[s - 2];
      const skipped = skips ? alpha[from + s - 2]! : Number.NEGATIVE_INFINITY;
      alpha[to + s] = logSumExp(alpha[from + s]!, before, skipped) + logs[row(t) + label]!;
    });
  }
  const last = (steps - 1) * width + labels.length - 1;
  const other = labels.length > 1 ? alpha[last - 1]! : Number.NEGATIVE_INFINITY;
  return -logSumExp(alpha[last]!, other, Number.NEGATIVE_INFINITY);
}

interface Targets {
  readonly log_probs: Tensor;
  readonly targets: Tensor;
  readonly blank: number;
}

/** Returns the samples of a batch. @throws SconceError `INDEX_OUT_OF_RANGE` */
function samplesOf(
  { log_probs, targets, blank }: Targets,
  inputs: readonly number[],
  counts: readonly number[],
): readonly Sample[] {
  const [logs, all] = [readNumbers(log_probs), readNumbers(targets)];
  const [, batch, classes] = log_probs.shape as readonly [number, number, number];
  let start = 0;
  return Array.from({ length: batch }, (_, b) => {
    const count = counts[b]!;
    const first = targets.ndim === 1 ? start : b * targets.shape[1]!;
    start += count;
    const own = Array.from(all.subarray(first, first + count));
    if (own.some((label) => label < 0 || label >= classes)) {
      throw indexOutOfRange("ctc_loss: a label of the targets is outside of the classes");
    }
    const labels = [blank, ...own.flatMap((label) => [label, blank])];
    const row = (step: number): number => (step * batch + b) * classes;
    return { logs, row, labels, steps: inputs[b]!, blank };
  });
}

const ctcLoss = kernel(
  "aten::_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)",
  (args, context) => {
    const [loss, logAlpha] = emptyOutputs(context);
    const [losses, alphas] = [openOutput(loss), openOutput(logAlpha)];
    const [, time, width] = logAlpha.shape as readonly [number, number, number];
    for (const [b, sample] of samplesOf(args, args.input_lengths, args.target_lengths).entries()) {
      const alpha = alphas.subarray(b * time * width, (b + 1) * time * width);
      losses[b] = forward(sample, alpha, width);
    }
    return [finishOutput(loss, losses), finishOutput(logAlpha, alphas)];
  },
);

/**
 * Backward variables of one step from those of the next: the logarithms of the alignments that are
 * left (equation 10).
 */
function backwardStep({ logs, row, labels, blank }: Sample, next: Float64Array, step: number): Float64Array {
  const last = labels.length - 1;
  const none = Number.NEGATIVE_INFINITY;
  return next.map((stay, s) => {
    const label = labels[s]!;
    const after = s < last ? next[s + 1]! : none;
    const skips = s + 2 <= last && label !== blank && label !== labels[s + 2];
    return logSumExp(stay, after, skips ? next[s + 2]! : none) + logs[row(step) + label]!;
  });
}

/** Adds the gradient of one sample to `out`, which has the places of the scores. */
function addGradient(
  sample: Sample,
  alpha: NumberArray,
  width: number,
  { loss, factor, classes }: { readonly loss: number; readonly factor: number; readonly classes: number },
  out: NumberArray,
): void {
  const { logs, row, labels, steps } = sample;
  let beta = new Float64Array(labels.length).fill(Number.NEGATIVE_INFINITY);
  for (let t = steps - 1; t >= 0; t--) {
    if (t === steps - 1) {
      for (let s = Math.max(0, labels.length - 2); s < labels.length; s++)
        beta[s] = logs[row(t) + labels[s]!]!;
    } else beta = backwardStep(sample, beta, t) as Float64Array<ArrayBuffer>;
    const sums = new Float64Array(classes).fill(Number.NEGATIVE_INFINITY);
    for (const [s, label] of labels.entries())
      sums[label] = logSumExp(sums[label]!, alpha[t * width + s]! + beta[s]!, Number.NEGATIVE_INFINITY);
    for (let c = 0; c < classes; c++) {
      const score = logs[row(t) + c]!;
      out[row(t) + c] = (Math.exp(score) - Math.exp(sums[c]! + loss - score)) * factor;
    }
  }
}

interface BackwardArgs extends Targets {
  readonly grad: Tensor;
  readonly neg_log_likelihood: Tensor;
  readonly log_alpha: Tensor;
  readonly zero_infinity: boolean;
}

function ctcBackward(
  args: BackwardArgs,
  inputs: readonly number[],
  counts: readonly number[],
  context: KernelContext,
): Tensor {
  const out = emptyOutput(context);
  const values = openOutput(out);
  const [grad, losses, alphas] = [args.grad, args.neg_log_likelihood, args.log_alpha].map((one) =>
    readNumbers(one),
  ) as [NumberArray, NumberArray, NumberArray];
  const [, time, width] = args.log_alpha.shape as readonly [number, number, number];
  const classes = args.log_probs.shape[2]!;
  for (const [b, sample] of samplesOf(args, inputs, counts).entries()) {
    const loss = losses[b]!;
    if (args.zero_infinity && loss === Number.POSITIVE_INFINITY) continue;
    const alpha = alphas.subarray(b * time * width, (b + 1) * time * width);
    addGradient(sample, alpha, width, { loss, factor: grad[b]!, classes }, values);
  }
  return finishOutput(out, values);
}

const lengthsOf = (tensor: Tensor): readonly number[] => Array.from(readNumbers(tensor));

export const ctcLossKernels = defineKernels([
  ctcLoss,
  kernel(
    "aten::_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor",
    (args, context) => ctcBackward(args, args.input_lengths, args.target_lengths, context),
  ),
  kernel(
    "aten::_ctc_loss_backward.Tensor(Tensor grad, Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor",
    (args, context) =>
      ctcBackward(args, lengthsOf(args.input_lengths), lengthsOf(args.target_lengths), context),
  ),
]);
