/** @file The connectionist temporal classification loss (`LossCTC.cpp`). */
import type { FakeTensor, IntLike } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isAtMost, isBelow, isEqual, mayDiffer } from "../rules/comparison.js";
import { describeSize } from "../rules/describe.js";
import { fake, numelOf, rowMajorLike } from "../rules/fake.js";
import { REDUCTION } from "../rules/loss-reduction.js";

interface CtcArgs {
  readonly log_probs: FakeTensor;
  readonly targets: FakeTensor;
  readonly input_lengths: readonly IntLike[];
  readonly target_lengths: readonly IntLike[];
  readonly blank: IntLike;
}

function checkCtc(args: CtcArgs, env: SymEnv): readonly [time: IntLike, batch: IntLike] {
  const { log_probs: logs, targets, input_lengths, target_lengths, blank } = args;
  if (logs.dtype !== "float32" && logs.dtype !== "float64") {
    throw dtypeMismatch(`"ctc_loss_cpu" not implemented for '${logs.dtype}'`);
  }
  if (targets.dtype !== "int64" && targets.dtype !== "int32") {
    throw dtypeMismatch(`expected scalar type Long or Int but found ${targets.dtype}`);
  }
  const [time, batch, classes] = logs.shape as readonly [IntLike, IntLike, IntLike];
  if (typeof blank !== "number" || blank < 0 || isAtMost(env, classes, blank)) {
    throw invalidArgument("blank must be in label range");
  }
  if (mayDiffer(env, input_lengths.length, batch))
    throw invalidArgument("input_lengths must be of size batch_size");
  if (mayDiffer(env, target_lengths.length, batch))
    throw invalidArgument("target_lengths must be of size batch_size");
  if (target_lengths.some((length) => Number(length) < 0)) {
    throw invalidArgument("Expected target_lengths to have value at least 0");
  }
  if (input_lengths.some((length) => Number(length) < 0 || isBelow(env, time, length))) {
    throw invalidArgument(`Expected input_lengths to have value at most ${String(time)}`);
  }
  return [time, batch];
}

function checkTargets({ targets, target_lengths }: CtcArgs, env: SymEnv): number {
  const lengths = target_lengths.map(Number);
  const longest = Math.max(0, ...lengths);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const [dim, wanted] = targets.ndim === 1 ? [0, total] : [1, longest];
  const size = targets.shape[dim] ?? 0;
  if (targets.ndim === 1 ? mayDiffer(env, size, wanted) : isBelow(env, size, wanted)) {
    throw shapeMismatch(
      `Expected tensor to have size ${targets.ndim === 1 ? "" : "at least "}${wanted} at dimension ${dim}, but got size ` +
        `${describeSize(size)} for argument #2 'targets' (while checking arguments for ctc_loss_cpu)`,
    );
  }
  return longest;
}

const ctc = defineOp({
  schema:
    "aten::_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)",
  meta: (args, { env }) => {
    const { log_probs: logs } = args;
    if (logs.ndim !== 3 || isEqual(env, numelOf(logs.shape), 0) || isBelow(env, logs.shape[0]!, 1)) {
      throw shapeMismatch("log_probs tensor must not be empty");
    }
    const [time, batch] = checkCtc(args, env);
    const longest = checkTargets(args, env);
    const { dtype } = logs;
    return [
      fake({ dtype, shape: [batch], like: logs }),
      fake({ dtype, shape: [batch, time, 2 * longest + 1], like: logs }),
    ];
  },
});

/** Lengths as a tensor. */
const lengthsOf = (emit: Emit, lengths: readonly IntLike[], { dtype, device }: FakeTensor): FakeTensor =>
  emit("aten.stack.default", [
    lengths.map((length) => emit("aten.scalar_tensor.default", [length], { dtype, device })),
  ]);

const ctcLoss = defineOp({
  schema:
    "aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => {
    const batched = args.log_probs.ndim === 3;
    const logs = batched ? args.log_probs : emit("aten.unsqueeze.default", [args.log_probs, 1]);
    let [loss] = emit.many("aten._ctc_loss.default", [
      logs,
      args.targets,
      args.input_lengths,
      args.target_lengths,
      args.blank,
      args.zero_infinity,
    ]) as [FakeTensor, FakeTensor];
    const { dtype, device } = loss;
    if (args.zero_infinity) {
      const infinite = emit("aten.eq.Scalar", [loss, Number.POSITIVE_INFINITY]);
      const zero = emit("aten.zeros.default", [[]], { dtype, layout: "strided", device });
      loss = emit("aten.where.self", [infinite, zero, loss]);
    }
    if (args.reduction === REDUCTION.mean) {
      const lengths = emit("aten.clamp_min.default", [lengthsOf(emit, args.target_lengths, loss), 1]);
      return emit("aten.mean.default", [emit("aten.div.Tensor", [loss, lengths])]);
    }
    if (args.reduction === REDUCTION.sum) return emit("aten.sum.default", [loss]);
    return batched ? loss : emit("aten.squeeze.dim", [loss, 0]);
  },
});

/** Returns the gradient of the scores, row-major. */
const gradient = ({ log_probs: logs }: { readonly log_probs: FakeTensor }): FakeTensor => rowMajorLike(logs);

const backward = defineOp({
  schema:
    "aten::_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor",
  meta: gradient,
});

const backwardOfTensors = defineOp({
  schema:
    "aten::_ctc_loss_backward.Tensor(Tensor grad, Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor",
  meta: gradient,
});

export const ctcLossOps: readonly OpDefinition[] = [ctc, ctcLoss, backward, backwardOfTensors];
