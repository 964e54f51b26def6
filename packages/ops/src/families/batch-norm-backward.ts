/** @file Gradients of batch normalization. */
import { type FakeTensor, float, type IntLike, type MetaValue } from "@sconce/ir";
import type { FloatLike } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { convert } from "../rules/decompose.js";
import { fake } from "../rules/fake.js";
import { fakeInFormatOf } from "../rules/memory-format.js";
import { computationDType } from "../rules/promote.js";
import { divided, productOf, ratio } from "../rules/size-math.js";

interface BackwardArgs {
  readonly grad_out: FakeTensor;
  readonly input: FakeTensor;
  readonly weight: FakeTensor | null;
  readonly running_mean: FakeTensor | null;
  readonly running_var: FakeTensor | null;
  readonly save_mean: FakeTensor | null;
  readonly save_invstd: FakeTensor | null;
  readonly train: boolean;
  readonly eps: number;
  readonly output_mask: readonly boolean[];
}

function gradients(args: BackwardArgs, env: Emit["env"]): readonly MetaValue[] {
  const { input, weight, output_mask: mask } = args;
  if (input.ndim < 2) throw shapeMismatch(`rank of the input must be at least 2, got ${input.ndim}`);
  const parameter = (): FakeTensor =>
    fake({ dtype: (weight ?? input).dtype, shape: [input.shape[1]!], like: input });
  return [
    fakeInFormatOf(input, input.shape, env),
    mask[1] ? parameter() : null,
    mask[2] ? parameter() : null,
  ];
}

/** Mean and inverse deviation that the forward pass normalized with. */
function statistics(
  t: Arithmetic,
  args: BackwardArgs,
  cast: Cast,
): readonly [mean: FakeTensor, inverse: FakeTensor] {
  const [mean, inverse] = [cast(args.save_mean), cast(args.save_invstd)];
  const [running, variance] = [cast(args.running_mean), cast(args.running_var)];
  if (args.train) {
    if (mean === null || inverse === null) {
      throw invalidArgument("when train=True, save_mean and save_invstd are required");
    }
    return [mean, inverse];
  }
  if (running === null || variance === null) {
    throw invalidArgument("running_mean and running_var must not be None in eval mode");
  }
  return [running, t.unary("rsqrt", t.add(variance, args.eps))];
}

/** One value per channel, with a dimension of 1 for every other one. */
function alongChannels(emit: Emit, perChannel: FakeTensor, shape: readonly IntLike[]): FakeTensor {
  let wide = perChannel;
  for (let dim = 0; dim < shape.length; dim++) {
    const size = dim === 1 ? shape[1]! : 1;
    if (size === 1 && (dim >= wide.ndim || wide.shape[dim] !== 1))
      wide = emit("aten.unsqueeze.default", [wide, dim]);
  }
  return wide;
}

/** Returns the number of elements of a channel, as Python computes it. */
function perChannel(emit: Emit, shape: readonly IntLike[]): FloatLike {
  return ratio(emit, productOf(emit, shape), shape[1]!);
}

type Cast = (tensor: FakeTensor | null) => FakeTensor | null;

function emitGradients(emit: Emit, args: BackwardArgs): readonly MetaValue[] {
  gradients(args, emit.env);
  const t = new Arithmetic(emit);
  const dtype = computationDType(args.input.dtype);
  const [grad, input, weight] = [args.grad_out, args.input, args.weight].map(
    (x) => x && convert(emit, x, dtype),
  ) as [FakeTensor, FakeTensor, FakeTensor | null];
  const count = perChannel(emit, input.shape);
  const [mean, inverse] = statistics(t, args, (tensor) => tensor && convert(emit, tensor, dtype));
  const { shape } = input;
  const axes = shape.map((_, d) => d).filter((d) => d !== 1);
  const wide = (tensor: FakeTensor): FakeTensor => alongChannels(emit, tensor, shape);
  const center = wide(mean);
  const norm = divided(emit, 1, count);
  const gradSum = emit("aten.sum.dim_IntList", [grad, axes]);
  const dot = emit("aten.sum.dim_IntList", [t.mul(grad, t.sub(input, center)), axes]);
  const gradMean = wide(t.mul(gradSum, norm));
  const scaledDot = t.mul(dot, norm);
  const slope = wide(t.mul(scaledDot, t.mul(inverse, inverse)));
  const scale = weight === null ? t.mul(wide(inverse), float(1)) : wide(t.mul(inverse, weight));
  const gradInput = args.train
    ? t.mul(t.sub(t.sub(grad, t.mul(t.sub(input, center), slope)), gradMean), scale)
    : t.mul(grad, scale);
  const parameterDType = (args.weight ?? args.input).dtype;
  return [
    convert(emit, gradInput, args.input.dtype),
    args.output_mask[1] ? convert(emit, t.mul(dot, inverse), parameterDType) : null,
    args.output_mask[2] ? convert(emit, gradSum, parameterDType) : null,
  ];
}

const native = defineOp({
  schema:
    "aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
  meta: (args, { env }) => gradients(args, env),
  decompose: emitGradients,
});

const withReserve = defineOp({
  schema:
    "aten::batch_norm_backward(Tensor grad_out, Tensor input, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, bool update, float eps, bool[3] output_mask, Tensor reserve) -> (Tensor, Tensor, Tensor)",
  tags: ["not_in_default_table"],
  meta: (args, { env }) => gradients({ ...args, save_invstd: args.save_var, train: args.update }, env),
  decompose: (emit, args) =>
    emit.value("aten.native_batch_norm_backward.default", [
      args.grad_out,
      args.input,
      args.weight,
      args.running_mean,
      args.running_var,
      args.save_mean,
      args.save_var,
      args.update,
      args.eps,
      args.output_mask,
    ]),
});

interface DeviceArgs {
  readonly input: FakeTensor;
  readonly grad_output: FakeTensor;
  readonly weight: FakeTensor | null;
  readonly running_mean: FakeTensor | null;
  readonly running_var: FakeTensor | null;
  readonly save_mean: FakeTensor | null;
  readonly save_var: FakeTensor | null;
}

const ALL = [true, true, true];

/**
 * Returns the gradients by the native operator: what other libraries save are the same statistics.
 */
const byNative = (
  emit: Emit,
  { grad_output, input, weight, running_mean, running_var, save_mean, save_var }: DeviceArgs,
  train: boolean,
  eps: number,
  mask: readonly boolean[],
): MetaValue => {
  const statistics = [running_mean, running_var, save_mean, save_var];
  const args = [grad_output, input, weight, ...statistics, train, eps, mask];
  return emit.value("aten.native_batch_norm_backward.default", args);
};

const ofDevice = (args: DeviceArgs, train: boolean, eps: number, mask: readonly boolean[]): BackwardArgs => ({
  ...args,
  grad_out: args.grad_output,
  save_invstd: args.save_var,
  train,
  eps,
  output_mask: mask,
});

const cudnn = defineOp({
  schema:
    "aten::cudnn_batch_norm_backward(Tensor input, Tensor grad_output, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, float epsilon, Tensor reserveSpace) -> (Tensor, Tensor, Tensor)",
  meta: (args, { env }) => gradients(ofDevice(args, true, args.epsilon, ALL), env),
  decompose: (emit, args) => byNative(emit, args, true, args.epsilon, ALL),
});

const miopen = defineOp({
  schema:
    "aten::miopen_batch_norm_backward(Tensor input, Tensor grad_output, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, float epsilon) -> (Tensor, Tensor, Tensor)",
  meta: (args, { env }) => gradients(ofDevice(args, true, args.epsilon, ALL), env),
  decompose: (emit, args) => byNative(emit, args, true, args.epsilon, ALL),
});

/** `impl_index` says by which library the forward pass ran: 0 native, 1 cuDNN, 2 MIOpen. */
const byIndex = defineOp({
  schema:
    "aten::_batch_norm_impl_index_backward(int impl_index, Tensor input, Tensor grad_output, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var_transform, bool train, float eps, bool[3] output_mask, Tensor reservedSpace) -> (Tensor, Tensor, Tensor)",
  tags: ["composite"],
  decompose: (
    emit,
    { impl_index: index, save_var_transform: save_var, train, eps, output_mask: mask, ...rest },
  ) => {
    const args = { ...rest, save_var };
    if (index === 0) return byNative(emit, args, train, eps, mask);
    const { input, grad_output, weight, running_mean, running_var, save_mean } = args;
    const given = [input, grad_output, weight, running_mean, running_var, save_mean, save_var, eps];
    if (index === 1)
      return emit.value("aten.cudnn_batch_norm_backward.default", [...given, args.reservedSpace]);
    if (index === 2) return emit.value("aten.miopen_batch_norm_backward.default", given);
    throw invalidArgument("Unsupported impl_index in _batch_norm_impl_index_backward");
  },
});

export const batchNormBackwardOps: readonly OpDefinition[] = [native, withReserve, cudnn, miopen, byIndex];
