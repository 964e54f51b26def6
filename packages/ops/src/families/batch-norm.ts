/**
 * @file Batch normalization: the composite, and the forms it takes with and without running
 * statistics.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { type DType, type PromotionOperand, resultType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { describeSize } from "../rules/describe.js";
import { elementwise } from "../rules/elementwise.js";
import { fake, hasNoElements, numelOf } from "../rules/fake.js";
import { computationDType } from "../rules/promote.js";
import { sizeProduct } from "../rules/size-product.js";

interface NormArgs {
  readonly input: FakeTensor;
  readonly weight: FakeTensor | null;
  readonly bias: FakeTensor | null;
  readonly running_mean?: FakeTensor | null;
  readonly running_var?: FakeTensor | null;
}

/** The normalized tensor keeps the layout of a dense input. */
function normalizedLike(args: NormArgs, context: MetaContext): FakeTensor {
  const { input } = args;
  if (input.ndim < 2) throw shapeMismatch(`batch_norm: expected at least 2 dimensions, got ${input.ndim}`);
  const channels = input.shape[1]!;
  for (const name of ["running_mean", "running_var", "weight", "bias"] as const) {
    const tensor = args[name];
    if (tensor && mayDiffer(context.env, numelOf(tensor.shape), channels)) {
      throw shapeMismatch(
        `${name} should contain ${describeSize(channels)} elements not ${describeSize(numelOf(tensor.shape))}`,
      );
    }
  }
  for (const name of ["running_mean", "running_var"] as const) {
    const tensor = args[name];
    if (tensor && tensor.ndim !== 1)
      throw shapeMismatch(`TensorAccessor expected 1 dims but tensor has ${tensor.ndim}`);
  }
  const perChannel = fake({
    dtype: input.dtype,
    shape: input.shape.map((size, d) => (d === 1 ? size : 1)),
    like: input,
  });
  return elementwise(context, [input, perChannel]);
}

/** Returns a value per channel; none in evaluation. */
export const statistic = (input: FakeTensor, training: boolean, dtype = input.dtype): FakeTensor =>
  fake({ dtype, shape: [training ? input.shape[1]! : 0], like: input });

const results = (args: NormArgs, training: boolean, context: MetaContext): readonly FakeTensor[] => [
  normalizedLike(args, context),
  statistic(args.input, training),
  statistic(args.input, training),
];

const noTraining = defineOp({
  schema:
    "aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
  tags: ["core"],
  meta: (args, context) => results(args, false, context),
});

const noStatistics = defineOp({
  schema:
    "aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
  tags: ["core"],
  meta: (args, context) => results(args, args.training, context),
});

const mutating = defineOp({
  schema:
    "aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
  tags: ["core"],
  meta: (args, context) => results(args, args.training, context),
});

const functional = defineOp({
  schema:
    "aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
  doc: "Batch normalization that gives the new running statistics as results.",
  meta: (args, context) => [...results(args, args.training, context), ...newStatistics(args)],
});

/** New running statistics stay in the dtype that they are computed in. */
const newStatistics = ({
  input,
  running_mean,
  running_var,
}: {
  input: FakeTensor;
  running_mean: FakeTensor;
  running_var: FakeTensor;
}) =>
  [running_mean, running_var].map((tensor) => {
    const dtype = resultType([computationDType(input.dtype), tensor.dtype].map(dimensioned));
    return fake({ dtype, shape: tensor.shape, like: tensor });
  });

const dimensioned = (dtype: DType): PromotionOperand => ({ dtype, rank: "dimensioned" });

const reserve = (input: FakeTensor): FakeTensor => fake({ dtype: "uint8", shape: [0], like: input });

const updating = defineOp({
  schema:
    "aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
  meta: (args, context) => [...results(args, true, context), reserve(args.input)],
});

const updatingFunctional = defineOp({
  schema:
    "aten::_batch_norm_with_update_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
  meta: (args, context) => [...results(args, true, context), reserve(args.input), ...newStatistics(args)],
});

interface BatchNormArgs extends Required<NormArgs> {
  readonly training: boolean;
  readonly momentum: number;
  readonly eps: number;
}

/**
 * Returns the form for the statistics at hand; with running ones a training step also writes them.
 */
function dispatch(emit: Emit, args: BatchNormArgs): readonly FakeTensor[] {
  const { input, weight, bias, running_mean, running_var, training, momentum, eps } = args;
  if (running_mean === null && running_var === null) {
    return emit.many("aten._native_batch_norm_legit.no_stats", [
      input,
      weight,
      bias,
      training,
      momentum,
      eps,
    ]);
  }
  if (running_mean === null || running_var === null) {
    throw invalidArgument("running_mean and running_var should both be None or both be provided");
  }
  const parameters = [input, weight, bias, running_mean, running_var];
  return training
    ? emit.many("aten._native_batch_norm_legit.default", [...parameters, training, momentum, eps])
    : emit.many("aten._native_batch_norm_legit_no_training.default", [...parameters, momentum, eps]);
}

const nativeBatchNorm = defineOp({
  schema:
    "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
  // Dispatched to a Python implementation above functionalization, as composites are; it writes the
  // running statistics.
  tags: ["composite", "maybe_aliasing_or_mutating"],
  meta: (args, context) => results(args, args.training, context),
  decompose: dispatch,
});

/** Batch normalization by cuDNN, which saves no statistics for inference. */
const cudnn = defineOp({
  schema:
    "aten::cudnn_batch_norm(Tensor input, Tensor weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float exponential_average_factor, float epsilon) -> (Tensor, Tensor, Tensor, Tensor)",
  tags: ["composite", "maybe_aliasing_or_mutating"],
  decompose: (emit, args) => {
    const { input, weight, bias, running_mean, running_var, training } = args;
    const [out, mean, inverse] = emit.many("aten.native_batch_norm.default", [
      input,
      weight,
      bias,
      running_mean,
      running_var,
      training,
      args.exponential_average_factor,
      args.epsilon,
    ]) as [FakeTensor, FakeTensor, FakeTensor];
    const nothing = (like: FakeTensor): FakeTensor => emit("aten.new_zeros.default", [like, [0]]);
    const saved = training ? [mean, inverse] : [nothing(weight), nothing(weight)];
    return [out, ...saved, emit("aten.new_zeros.default", [input, [0]], { dtype: "uint8" })];
  },
});

const batchNorm = defineOp({
  schema:
    "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
  tags: ["composite", "maybe_aliasing_or_mutating"],
  decompose: (emit, args) => {
    const { input, weight, bias } = args;
    if (hasNoElements(emit.env, input)) {
      let out = emit("aten.clone.default", [input]);
      const first = (tensor: FakeTensor): FakeTensor => emit("aten.select.int", [tensor, 0, 0]);
      if (weight !== null) out = emit("aten.mul.Tensor", [out, first(weight)]);
      return bias === null ? out : emit("aten.add.Tensor", [out, first(bias)]);
    }
    return dispatch(emit, args)[0]!;
  },
});

const instanceNorm = defineOp({
  schema:
    "aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
  doc: "Batch normalization with every instance's channel as a separate channel.",
  tags: ["composite"],
  decompose: (emit, args) => {
    const { input, use_input_stats, momentum, eps, cudnn_enabled } = args;
    if (!use_input_stats && (args.running_mean === null || args.running_var === null)) {
      throw invalidArgument(
        "Expected running_mean and running_var to be defined when use_input_stats is false",
      );
    }
    const [batch, channels, ...spatial] = input.shape as readonly [IntLike, IntLike, ...IntLike[]];
    const rows = sizeProduct(emit, [batch, channels]);
    const repeat = (tensor: FakeTensor | null): FakeTensor | null =>
      tensor && emit("aten.repeat.default", [tensor, [batch]]);
    const [weight, bias, mean, variance] = [args.weight, args.bias, args.running_mean, args.running_var].map(
      repeat,
    );
    const flat = emit("aten.view.default", [emit("aten.contiguous.default", [input]), [1, rows, ...spatial]]);
    const out = emit("aten.batch_norm.default", [
      flat,
      weight,
      bias,
      mean,
      variance,
      use_input_stats,
      momentum,
      eps,
      cudnn_enabled,
    ]);
    const average = (into: FakeTensor | null, repeated: FakeTensor | null | undefined): void => {
      if (!use_input_stats || into === null || !repeated) return;
      const perInstance = emit("aten.view.default", [repeated, [batch, channels]]);
      emit("aten.copy_.default", [
        emit("aten.alias.default", [into]),
        emit("aten.mean.dim", [perInstance, [0], false]),
      ]);
    };
    average(args.running_mean, mean);
    average(args.running_var, variance);
    return emit("aten.view.default", [out, input.shape]);
  },
});

/** Normalization over the batch. */
export const batchNormOps: readonly OpDefinition[] = [
  noTraining,
  noStatistics,
  mutating,
  functional,
  updating,
  updatingFunctional,
  nativeBatchNorm,
  cudnn,
  batchNorm,
  instanceNorm,
];
