/** @file Batch normalization in parts: older forms, and statistics on their own. */
import type { FakeTensor } from "@sconce/ir";
import { symInt } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { statistic } from "./batch-norm.js";

const noReserve = (emit: Emit, { device }: FakeTensor): FakeTensor =>
  emit("aten.empty.memory_format", [[0]], { dtype: "uint8", device });

const withoutUpdate = defineOp({
  schema:
    "aten::_batch_norm_no_update(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
  doc: "Batch normalization by the running statistics.",
  tags: ["not_in_default_table"],
  decompose: (emit, { input, weight, bias, running_mean, running_var, momentum, eps }) => {
    if (running_mean === null || running_var === null)
      throw invalidArgument("running_mean and running_var must be defined in evaluation mode");
    const [out] = emit.many("aten._native_batch_norm_legit_no_training.default", [
      input,
      weight,
      bias,
      running_mean,
      running_var,
      momentum,
      eps,
    ]) as readonly [FakeTensor];
    const { dtype, device } = weight ?? input;
    const [mean, deviation] = [0, 1].map(() => emit("aten.empty.memory_format", [[0]], { dtype, device }));
    return [out, mean!, deviation!, noReserve(emit, input)];
  },
});

/** The last result says by which library it was computed: 0 is PyTorch itself. */
const byLibrary = defineOp({
  schema:
    "aten::_batch_norm_impl_index(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> (Tensor, Tensor, Tensor, Tensor, int)",
  tags: ["composite", "maybe_aliasing_or_mutating"],
  decompose: (emit, { input, weight, bias, running_mean, running_var, training, momentum, eps }) => {
    if (!training && running_mean === null)
      throw invalidArgument("running_mean must be defined in evaluation mode");
    const reserve = noReserve(emit, input);
    const results = emit.many("aten.native_batch_norm.default", [
      input,
      weight,
      bias,
      running_mean,
      running_var,
      training,
      momentum,
      eps,
    ]);
    return [...results, reserve, symInt(0)];
  },
});

const statistics = defineOp({
  schema:
    "aten::batch_norm_update_stats(Tensor input, Tensor? running_mean, Tensor? running_var, float momentum) -> (Tensor, Tensor)",
  doc: "Mean and variance of each channel, by which running statistics are updated.",
  tags: ["maybe_aliasing_or_mutating"],
  meta: ({ input }) => [statistic(input, true), statistic(input, true)],
});

export const batchNormPartOps: readonly OpDefinition[] = [withoutUpdate, byLibrary, statistics];
