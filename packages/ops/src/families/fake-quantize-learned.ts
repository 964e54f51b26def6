/** @file Simulated quantization whose scale and zero point are learned, or follow what they see. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { fake, rowMajorLike } from "../rules/fake.js";
import { emptyLike } from "../rules/options.js";

/** Zero points are learned as floats: the nearest integer in the range. */
function wholeZero(emit: Emit, zero: FakeTensor, min: IntLike, max: IntLike): FakeTensor {
  const rounded = emit("aten.clamp.default", [emit("aten.round.default", [zero]), min, max]);
  return emit("aten._to_copy.default", [rounded], { dtype: "int32" });
}

const perTensor = defineOp({
  schema:
    "aten::_fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, { self, scale, zero_point: zero, quant_min: min, quant_max: max }) =>
    emit("aten.fake_quantize_per_tensor_affine.tensor_qparams", [
      self,
      scale,
      wholeZero(emit, zero, min, max),
      min,
      max,
    ]),
});

const perChannel = defineOp({
  schema:
    "aten::_fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, { self, scale, zero_point: zero, axis, quant_min: min, quant_max: max }) =>
    emit("aten.fake_quantize_per_channel_affine.default", [
      self,
      scale,
      wholeZero(emit, zero, min, max),
      axis,
      min,
      max,
    ]),
});

const perTensorBackward = defineOp({
  schema:
    "aten::_fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)",
  meta: ({ self }, { env }) => {
    const one = (): FakeTensor => fake({ dtype: self.dtype, shape: [1], like: self });
    return [emptyLike(self, env), one(), one()];
  },
});

const perChannelBackward = defineOp({
  schema:
    "aten::_fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)",
  meta: ({ self, scale }, { env }) => {
    const one = (): FakeTensor => fake({ dtype: self.dtype, shape: scale.shape, like: self });
    return [emptyLike(self, env), one(), one()];
  },
});

const OBSERVER =
  "Tensor running_min, Tensor running_max, Tensor scale, Tensor zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False";

const observed = defineOp({
  schema: `aten::_fused_moving_avg_obs_fq_helper_functional(Tensor self, Tensor observer_on, Tensor fake_quant_on, ${OBSERVER}) -> (Tensor output, Tensor mask, Tensor running_min_out, Tensor running_max_out, Tensor scale_out, Tensor zero_point_out)`,
  doc: "Simulated quantization by a moving average of the range of what it sees.",
  meta: (args, { env }) => {
    const { self, running_min: low, running_max: high, scale, zero_point: zero } = args;
    if (args.per_row_fake_quant && args.ch_axis !== 0)
      throw invalidArgument(
        "Per-channel FakeQuant in fused_moving_avg_obs_fake_quant is only supported on axis == 0",
      );
    const mask = emptyLike(self, env, "bool");
    return [emptyLike(self, env), mask, ...[low, high, scale, zero].map(rowMajorLike)];
  },
});

const observedInPlace = defineOp({
  schema:
    "aten::fused_moving_avg_obs_fake_quant(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) =>
    emit.many("aten._fused_moving_avg_obs_fq_helper.default", [
      args.self,
      args.observer_on,
      args.fake_quant_on,
      args.running_min,
      args.running_max,
      args.scale,
      args.zero_point,
      args.averaging_const,
      args.quant_min,
      args.quant_max,
      args.ch_axis,
      args.per_row_fake_quant,
      args.symmetric_quant,
    ])[0]!,
});

export const fakeQuantizeLearnedOps: readonly OpDefinition[] = [
  perTensor,
  perChannel,
  perTensorBackward,
  perChannelBackward,
  observed,
  observedInPlace,
];
