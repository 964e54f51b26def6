/**
 * @file The `quantized_decomposed` operators of PyTorch's quantization passes. PyTorch keeps them
 * in graphs; the decompositions say what they compute.
 */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { type DType, isFloatDType, wrapDimension } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { convert } from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { elementwise } from "../rules/elementwise.js";
import { fake } from "../rules/fake.js";

const BOUNDS: Partial<Record<DType, readonly [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65535],
  int16: [-32768, 32767],
  int32: [-(2 ** 31), 2 ** 31 - 1],
};

function checkRange(min: IntLike, max: IntLike, dtype: DType): void {
  const bounds = BOUNDS[dtype];
  if (bounds === undefined) {
    if (isFloatDType(dtype)) return;
    throw dtypeMismatch(`Unsupported dtype: ${dtype}`);
  }
  if (typeof min === "number" && min < bounds[0]) {
    throw invalidArgument(
      `quant_min out of bound for dtype, quant_min_lower_bound: ${bounds[0]} quant_min: ${min}`,
    );
  }
  if (typeof max === "number" && max > bounds[1]) {
    throw invalidArgument(
      `quant_max out of bound for dtype, quant_max_upper_bound: ${bounds[1]} quant_max: ${max}`,
    );
  }
}

function requireQuantizable(input: FakeTensor): void {
  if (input.dtype !== "float32" && input.dtype !== "float16" && input.dtype !== "bfloat16") {
    throw dtypeMismatch(`Expecting input to have dtype torch.float32, but got dtype: ${input.dtype}`);
  }
}

function requireStored(input: FakeTensor, dtype: DType): void {
  if (input.dtype !== dtype)
    throw dtypeMismatch(`Expecting input to have dtype: ${dtype}, but got ${input.dtype}`);
}

function requireAxis(input: FakeTensor, axis: IntLike): void {
  if (Number(axis) >= input.ndim) throw shapeMismatch(`Expecting axis to be < ${input.ndim}`);
}

interface QuantizeArgs {
  readonly input: FakeTensor;
  readonly quant_min?: unknown;
  readonly quant_max?: unknown;
  readonly dtype: DType;
}

const quantizedLike = (
  { input, quant_min, quant_max, dtype }: QuantizeArgs,
  context: MetaContext,
): FakeTensor => {
  requireQuantizable(input);
  if (typeof quant_min === "number" && typeof quant_max === "number") checkRange(quant_min, quant_max, dtype);
  return elementwise(context, [input], { dtype });
};

const dequantizedLike = (
  {
    input,
    dtype,
    out_dtype,
  }: { readonly input: FakeTensor; readonly dtype: DType; readonly out_dtype: DType | null },
  context: MetaContext,
): FakeTensor => {
  requireStored(input, dtype);
  return elementwise(context, [input], { dtype: out_dtype ?? "float32" });
};

const clampTo = (emit: Emit, values: FakeTensor, min: IntLike, max: IntLike, dtype: DType): FakeTensor =>
  convert(emit, emit("aten.clamp.default", [values, min, max]), dtype);

/** `1.0 / scales`, as Python divides a number by a tensor. */
const inverse = (emit: Emit, scales: FakeTensor): FakeTensor =>
  emit("aten.mul.Tensor", [emit("aten.reciprocal.default", [scales]), float(1)]);

const tags = ["not_in_default_table"] as const;

const quantizePerTensor = defineOp({
  schema:
    "quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
  tags,
  meta: quantizedLike,
  decompose: (emit, { input, scale, zero_point, quant_min, quant_max, dtype }) => {
    const scaled = emit("aten.mul.Tensor", [convert(emit, input, "float32"), float(1 / scale)]);
    const shifted = emit("aten.add.Tensor", [emit("aten.round.default", [scaled]), zero_point]);
    return clampTo(emit, shifted, quant_min, quant_max, dtype);
  },
});

const quantizePerTensorOf = defineOp({
  schema:
    "quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
  meta: quantizedLike,
});

const quantizePerTensorOfRange = defineOp({
  schema:
    "quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
  meta: quantizedLike,
});

const dequantizePerTensor = defineOp({
  schema:
    "quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  tags,
  meta: dequantizedLike,
  decompose: (emit, { input, scale, zero_point, out_dtype }) => {
    const shifted = emit("aten.sub.Tensor", [convert(emit, input, out_dtype ?? "float32"), zero_point]);
    return emit("aten.mul.Tensor", [shifted, float(scale)]);
  },
});

const dequantizePerTensorOf = defineOp({
  schema:
    "quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  meta: dequantizedLike,
});

const dequantizePerTensorOfRange = defineOp({
  schema:
    "quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  meta: dequantizedLike,
});

/** Swaps a dimension with the first. */
function axisFirst(emit: Emit, tensor: FakeTensor, axis: IntLike): FakeTensor {
  const order = tensor.shape.map((_, d) => d);
  const at = wrapDimension(Number(axis), tensor.ndim);
  order[at] = 0;
  order[0] = at;
  return emit("aten.permute.default", [tensor, order]);
}

const perRow = (emit: Emit, values: FakeTensor, like: FakeTensor): FakeTensor =>
  emit("aten.view.default", [values, like.shape.map((_, d) => (d === 0 ? values.shape[0]! : 1))]);

const quantizePerChannel = defineOp({
  schema:
    "quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
  tags,
  meta: (args, context) => {
    requireAxis(args.input, args.axis);
    return quantizedLike(args, context);
  },
  decompose: (emit, args) => {
    const { axis, quant_min, quant_max, dtype } = args;
    const input = axisFirst(emit, convert(emit, args.input, "float32"), axis);
    const scales = perRow(emit, args.scales, input);
    const zeros = perRow(emit, args.zero_points, input);
    const scaled = emit("aten.mul.Tensor", [input, inverse(emit, scales)]);
    const shifted = emit("aten.add.Tensor", [emit("aten.round.default", [scaled]), zeros]);
    const clamped = emit("aten.clamp.default", [shifted, quant_min, quant_max]);
    return convert(emit, axisFirst(emit, clamped, axis), dtype);
  },
});

const dequantizePerChannel = defineOp({
  schema:
    "quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  tags,
  meta: (args, context) => {
    requireAxis(args.input, args.axis);
    checkRange(args.quant_min, args.quant_max, args.dtype);
    return dequantizedLike(args, context);
  },
  decompose: (emit, args) => {
    const input = axisFirst(emit, args.input, args.axis);
    const scales = perRow(emit, args.scales, input);
    const shifted =
      args.zero_points === null
        ? input
        : emit("aten.sub.Tensor", [input, perRow(emit, args.zero_points, input)]);
    const scaled = convert(emit, emit("aten.mul.Tensor", [shifted, scales]), args.out_dtype ?? "float32");
    return axisFirst(emit, scaled, args.axis);
  },
});

const quantizePerToken = defineOp({
  schema:
    "quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
  tags,
  meta: ({ input, quant_min, quant_max, dtype }, context) => {
    checkRange(quant_min, quant_max, dtype);
    return elementwise(context, [input], { dtype });
  },
  decompose: (emit, { input, scales, zero_points, quant_min, quant_max, dtype }) => {
    const scaled = emit("aten.mul.Tensor", [input, inverse(emit, scales)]);
    const rounded = emit("aten.round.default", [emit("aten.add.Tensor", [scaled, zero_points])]);
    return clampTo(emit, rounded, quant_min, quant_max, dtype);
  },
});

const dequantizePerToken = defineOp({
  schema:
    "quantized_decomposed::dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor",
  tags,
  meta: ({ input, quant_min, quant_max, dtype, output_dtype }, context) => {
    checkRange(quant_min, quant_max, dtype);
    return elementwise(context, [input], { dtype: output_dtype });
  },
  decompose: (emit, { input, scales, zero_points, output_dtype }) => {
    const scaled = emit("aten.mul.Tensor", [emit("aten.sub.Tensor", [input, zero_points]), scales]);
    return convert(emit, scaled, output_dtype);
  },
});

interface GroupArgs {
  readonly input: FakeTensor;
  readonly scales: FakeTensor;
  readonly group_size: IntLike;
}

/** Elements that share a scale. */
function groupSize({ input, scales, group_size }: GroupArgs): IntLike {
  if (input.ndim !== 2) throw shapeMismatch("input must be 2-dimensional");
  if (Number(group_size) <= 1) throw invalidArgument("group_size must be > 1");
  const columns = input.shape[1]!;
  if (typeof columns !== "number") return group_size;
  const size = Number(group_size) > columns && scales.shape.at(-1) === 1 ? columns : Number(group_size);
  if (columns % size !== 0) throw shapeMismatch("input.shape[-1] must be divisible by group_size");
  return size;
}

const asColumn = (emit: Emit, tensor: FakeTensor): FakeTensor =>
  emit("aten.reshape.default", [tensor, [-1, 1]]);

const quantizePerGroup = defineOp({
  schema:
    "quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor",
  tags,
  meta: (args, context) => {
    groupSize(args);
    return elementwise(context, [args.input], { dtype: args.dtype });
  },
  decompose: (emit, args) => {
    const groups = emit("aten.reshape.default", [args.input, [-1, groupSize(args)]]);
    const scaled = emit("aten.mul.Tensor", [groups, inverse(emit, asColumn(emit, args.scales))]);
    const shifted = emit("aten.add.Tensor", [scaled, asColumn(emit, args.zero_points)]);
    const rounded = emit("aten.round.default", [shifted]);
    const clamped = clampTo(emit, rounded, args.quant_min, args.quant_max, args.dtype);
    return emit("aten.reshape.default", [clamped, args.input.shape]);
  },
});

const dequantizePerGroup = defineOp({
  schema:
    "quantized_decomposed::dequantize_per_channel_group(Tensor input, Tensor scales, Tensor? zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor",
  tags,
  meta: (args, context) => {
    groupSize(args);
    return elementwise(context, [args.input], { dtype: args.output_dtype });
  },
  decompose: (emit, args) => {
    const groups = emit("aten.reshape.default", [args.input, [-1, groupSize(args)]]);
    const shifted =
      args.zero_points === null
        ? groups
        : emit("aten.sub.Tensor", [groups, asColumn(emit, args.zero_points)]);
    const scaled = emit("aten.mul.Tensor", [shifted, asColumn(emit, args.scales)]);
    return convert(emit, emit("aten.reshape.default", [scaled, args.input.shape]), args.output_dtype);
  },
});

/** Scale and zero point, one each. */
const parameters = (input: FakeTensor, shape: readonly IntLike[]): readonly [FakeTensor, FakeTensor] => [
  fake({ dtype: "float64", shape, like: input }),
  fake({ dtype: "int64", shape, like: input }),
];

const perToken = ({ input }: { readonly input: FakeTensor }): readonly [FakeTensor, FakeTensor] =>
  parameters(input, [...input.shape.slice(0, -1), 1]);

const chooseParameters = defineOp({
  schema:
    "quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
  meta: ({ input, quant_min, quant_max }) => {
    requireQuantizable(input);
    if (Number(quant_min) >= Number(quant_max)) {
      throw invalidArgument(
        `Expecting quant_min to be smaller than quant_max but received min: ${describeSize(quant_min)} max: ${describeSize(quant_max)}`,
      );
    }
    return parameters(input, [1]);
  },
});

const chooseSymmetricParameters = defineOp({
  schema:
    "quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
  meta: ({ input }) => parameters(input, [1]),
});

const chooseTokenParameters = defineOp({
  schema:
    "quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
  meta: perToken,
});

const chooseAsymmetricTokenParameters = defineOp({
  schema:
    "quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
  meta: perToken,
});

/** Quantization as PyTorch's passes write it. */
export const quantizedOps = [
  quantizePerTensor,
  quantizePerTensorOf,
  quantizePerTensorOfRange,
  dequantizePerTensor,
  dequantizePerTensorOf,
  dequantizePerTensorOfRange,
  quantizePerChannel,
  dequantizePerChannel,
  quantizePerToken,
  dequantizePerToken,
  quantizePerGroup,
  dequantizePerGroup,
  chooseParameters,
  chooseSymmetricParameters,
  chooseTokenParameters,
  chooseAsymmetricTokenParameters,
] as const satisfies readonly OpDefinition[];
