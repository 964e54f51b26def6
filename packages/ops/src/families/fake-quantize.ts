/** @file Quantization simulated in floats. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { wrapDim } from "../rules/dims.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { areOther, requireSizes } from "../rules/operand-sizes.js";
import { emptyLike } from "../rules/options.js";

/** Returns the quantized values and the mask of those that were in range. */
function withMask(self: FakeTensor, env: SymEnv): readonly FakeTensor[] {
  if (!isFloatDType(self.dtype))
    throw dtypeMismatch(
      `"fake_quantize_tensor_cachemask_kernel_type_handling" not implemented for '${self.dtype}'`,
    );
  return [emptyLike(self, env), emptyLike(self, env, "bool")];
}

function checkRange(min: number, max: number): void {
  if (min > max) throw invalidArgument("`quant_min` should be less than or equal to `quant_max`.");
}

interface ChannelArgs {
  readonly self: FakeTensor;
  readonly scale: FakeTensor;
  readonly zero_point: FakeTensor;
  readonly axis: IntLike;
}

/** A scale and a zero point for each channel. */
function checkChannels({ self, scale, zero_point: zero, axis }: ChannelArgs, env: SymEnv): void {
  if (scale.dtype !== "float32" && scale.dtype !== "bfloat16")
    throw dtypeMismatch(`Scale must be Float or BFloat16, found ${scalarTypeName(scale.dtype)}`);
  if (!["int32", "float32", "float16"].includes(zero.dtype))
    throw dtypeMismatch(`Zero-point must be Int32, Float or Half, found ${scalarTypeName(zero.dtype)}`);
  if (scale.ndim !== 1) throw shapeMismatch("scale should be a 1-D tensor");
  if (zero.ndim !== 1) throw shapeMismatch("zero point should be a 1-D tensor");
  if (areOther(env, scale.shape, zero.shape))
    throw shapeMismatch("scale and zero-point need to have the same dimensions");
  if (self.ndim === 0) throw invalidArgument("Dimension specified as 0 but tensor has no dimensions");
  const channel = wrapDim(axis, self.ndim);
  if (areOther(env, scale.shape, [self.shape[channel]!]))
    throw shapeMismatch("dimensions of scale and zero-point are not consistent with input tensor");
  if (Number(axis) < 0) throw invalidArgument("`axis` must be between 0 and number of dimensions of input");
}

/** Returns the operator whose gradient passes where the value was in range. */
const maskedGradient = (name: "per_tensor" | "per_channel"): OpDefinition =>
  defineOp({
    schema: `aten::fake_quantize_${name}_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor`,
    tags: ["composite"],
    decompose: (emit, { grad, mask }) => {
      if (mask.dtype !== "bool") throw dtypeMismatch("`mask` must be a bool tensor");
      requireSizes(emit.env, "mask", mask.shape, grad.shape);
      return emit("aten.mul.Tensor", [grad, mask]);
    },
  });

export const fakeQuantizeOps: readonly OpDefinition[] = [
  maskedGradient("per_tensor"),
  maskedGradient("per_channel"),
  defineOp({
    schema:
      "aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor",
    tags: ["composite"],
    meta: ({ self, quant_min: min, quant_max: max }, { env }) => {
      checkRange(Number(min), Number(max));
      return withMask(self, env)[0]!;
    },
    decompose: (emit, { self, scale, zero_point: zero, quant_min: min, quant_max: max }) =>
      emit.many("aten.fake_quantize_per_tensor_affine_cachemask.default", [self, scale, zero, min, max])[0]!,
  }),
  defineOp({
    schema:
      "aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    meta: ({ self, zero_point: zero, quant_min: min, quant_max: max }, { env }) => {
      checkRange(Number(min), Number(max));
      if (zero < min || zero > max)
        throw invalidArgument("`zero_point` must be between `quant_min` and `quant_max`.");
      return withMask(self, env);
    },
  }),
  defineOp({
    schema:
      "aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor",
    tags: ["composite"],
    meta: ({ self, quant_min: min, quant_max: max }, { env }) => {
      checkRange(Number(min), Number(max));
      return withMask(self, env)[0]!;
    },
    decompose: (emit, { self, scale, zero_point: zero, quant_min: min, quant_max: max }) => {
      const enabled = emit("aten.ones.default", [[1]], {
        dtype: "int64",
        device: self.device,
        pin_memory: false,
      });
      return emit.many("aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default", [
        self,
        scale,
        zero,
        enabled,
        min,
        max,
      ])[0]!;
    },
  }),
  defineOp({
    schema:
      "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, Tensor fake_quant_enabled, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    meta: ({ self, quant_min: min, quant_max: max }, { env }) => {
      checkRange(Number(min), Number(max));
      return withMask(self, env);
    },
  }),
  defineOp({
    schema:
      "aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor",
    tags: ["composite"],
    meta: (args, { env }) => {
      checkChannels(args, env);
      return withMask(args.self, env)[0]!;
    },
    decompose: (emit, { self, scale, zero_point: zero, axis, quant_min: min, quant_max: max }) =>
      emit.many("aten.fake_quantize_per_channel_affine_cachemask.default", [
        self,
        scale,
        zero,
        axis,
        min,
        max,
      ])[0]!,
  }),
  defineOp({
    schema:
      "aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    meta: (args, { env }) => {
      checkRange(Number(args.quant_min), Number(args.quant_max));
      checkChannels(args, env);
      return withMask(args.self, env);
    },
  }),
];
