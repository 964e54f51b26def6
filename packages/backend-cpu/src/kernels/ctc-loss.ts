/**
 * @file The connectionist temporal classification loss: forward variables of all alignments, in
 * logarithms (Graves et al., "Connectionist temporal classification", 2006, equations 6 to 8).
 */
import { finishOutput, type NumberArray, openOutput, readNumbers } from "../kernel/dense.js";
import { indexOutOfRange } from "../kernel/errors.js";
import { defineKernels, emptyOutputs, kernel } from "../kernel/kernel.js";

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

const ctcLoss = kernel(
  "aten::_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)",
  (args, context) => {
    const { log_probs, targets, input_lengths, target_lengths, blank } = args;
    const [loss, logAlpha] = emptyOutputs(context);
    const [losses, alphas] = [openOutput(loss), openOutput(logAlpha)];
    const [logs, all] = [readNumbers(log_probs), readNumbers(targets)];
    const [time, batch, classes] = log_probs.shape;
    const width = logAlpha.shape[2]!;
    let start = 0;
    for (let b = 0; b < batch; b++) {
      const count = target_lengths[b]!;
      const first = targets.ndim === 1 ? start : b * targets.shape[1]!;
      start += count;
      const own = Array.from(all.subarray(first, first + count));
      if (own.some((label) => label < 0 || label >= classes)) {
        throw indexOutOfRange("ctc_loss: a label of the targets is outside of the classes");
      }
      const labels = [blank, ...own.flatMap((label) => [label, blank])];
      const row = (step: number): number => (step * batch + b) * classes;
      const alpha = alphas.subarray(b * time * width, (b + 1) * time * width);
      losses[b] = forward({ logs, row, labels, steps: input_lengths[b]!, blank }, alpha, width);
    }
    return [finishOutput(loss, losses), finishOutput(logAlpha, alphas)];
  },
);

export const ctcLossKernels = defineKernels([ctcLoss]);
