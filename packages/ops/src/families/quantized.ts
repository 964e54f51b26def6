/**
 * @file The `quantized_decomposed` operators of PyTorch's quantization passes. PyTorch keeps them
 * in graphs; the decompositions say what they compute.
 */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { type DType, isFloatDType, wrapDimension } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { elementwise } from "../rules/elementwise.js";
import { numelOf } from "../rules/fake.js";
import { checkQuantizedRange, isQuantizedDType } from "../rules/quantized-range.js";

function requireQuantizable(input: FakeTensor): void {
  if (input.dtype !== "float32" && input.dtype !== "float16" && input.dtype !== "bfloat16") {
    throw dtypeMismatch(`Expecting input to have dtype torch.float32, but got dtype: ${input.dtype}`);
  }
}

function requireFloat32(input: FakeTensor): void {
  if (input.dtype !== "float32")
    throw dtypeMismatch(`Expecting input to have dtype torch.float32, but got dtype: ${input.dtype}`);
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
  if (typeof quant_min === "number" && typeof quant_max === "number")
    checkQuantizedRange(quant_min, quant_max, dtype);
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
  if (!isQuantizedDType(dtype)) throw dtypeMismatch(`Unsupported dtype in dequantize_per_tensor: ${dtype}`);
  if (out_dtype !== null && !isFloatDType(out_dtype))
    throw dtypeMismatch(`out_dtype has to be a dtype of floats, and is ${out_dtype}`);
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
    if (scale === 0) throw invalidArgument("scale is 0: it has no inverse");
    const scaled = emit("aten.mul.Tensor", [convert(emit, input, "float32"), float(1 / scale)]);
    const shifted = emit("aten.add.Tensor", [emit("aten.round.default", [scaled]), zero_point]);
    return clampTo(emit, shifted, quant_min, quant_max, dtype);
  },
});

interface Settings {
  readonly scale: FakeTensor;
  readonly zero_point: FakeTensor;
}

function requireOne(env: SymEnv, { scale, zero_point }: Settings): void {
  for (const [name, { shape }] of [
    ["zero_point", zero_point],
    ["scale", scale],
  ] as const)
    if (mayDiffer(env, numelOf(shape), 1))
      throw shapeMismatch(
        `Expecting ${name} tensor to be one element, but received : ${describeSize(numelOf(shape))}`,
      );
}

const quantizePerTensorOf = defineOp({
  schema:
    "quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
  meta: (args, context) => {
    requireOne(context.env, args);
    return quantizedLike(args, context);
  },
});

const quantizePerTensorOfRange = defineOp({
  schema:
    "quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
  meta: (args, context) => {
    requireOne(context.env, args);
    return quantizedLike(args, context);
  },
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

interface Levels extends Settings {
  readonly input: FakeTensor;
  readonly dtype: DType;
  readonly out_dtype: DType | null;
}

const dequantizedBy = (args: Levels, context: MetaContext): FakeTensor => {
  requireOne(context.env, args);
  return dequantizedLike(args, context);
};

/** As with numbers in place of the tensors: PyTorch reads their values. */
function dequantizeBy(emit: Emit, { input, scale, zero_point: zero, out_dtype }: Levels): FakeTensor {
  const dtype = out_dtype ?? "float32";
  const number = (tensor: FakeTensor): FakeTensor =>
    emit("aten.reshape.default", [convert(emit, tensor, dtype === "float64" ? dtype : "float32"), []]);
  const shifted = emit("aten.sub.Tensor", [convert(emit, input, dtype), number(zero)]);
  return convert(emit, emit("aten.mul.Tensor", [convert(emit, shifted, dtype), number(scale)]), dtype);
}

const dequantizePerTensorOf = defineOp({
  schema:
    "quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  tags,
  meta: dequantizedBy,
  decompose: dequantizeBy,
});

const dequantizePerTensorOfRange = defineOp({
  schema:
    "quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
  tags,
  meta: dequantizedBy,
  decompose: dequantizeBy,
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
    checkQuantizedRange(args.quant_min, args.quant_max, args.dtype);
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
    checkQuantizedRange(quant_min, quant_max, dtype);
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
    checkQuantizedRange(quant_min, quant_max, dtype);
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
    const isWhole = emit("aten.logical_not.default", [
      emit("aten.any.default", [emit("aten.isnan.default", [groups])]),
    ]);
    emit.value("aten._assert_async.msg", [isWhole, "to_quant must not contain NaNs"]);
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
    if (args.zero_points === null && args.input.dtype === "uint16")
      throw dtypeMismatch("\"add_stub\" not implemented for 'UInt16': there are no zero points");
    groupSize(args);
    return elementwise(context, [args.input], { dtype: args.output_dtype });
  },
  decompose: (emit, args) => {
    const groups = emit("aten.reshape.default", [args.input, [-1, groupSize(args)]]);
    const zeros =
      args.zero_points === null
        ? emit("aten.full.default", [[], 0], { dtype: "int32" })
        : asColumn(emit, args.zero_points);
    const shifted = emit("aten.sub.Tensor", [groups, zeros]);
    const scaled = emit("aten.mul.Tensor", [shifted, asColumn(emit, args.scales)]);
    return convert(emit, emit("aten.reshape.default", [scaled, args.input.shape]), args.output_dtype);
  },
});

const fakePerChannel = defineOp({
  schema:
    "quantized_decomposed::fake_quant_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max) -> Tensor",
  doc: "Values on the grid of each channel, in float32.",
  tags: ["always_decomposed"],
  meta: ({ input, axis }, context) => {
    requireFloat32(input);
    requireAxis(input, axis);
    return elementwise(context, [input]);
  },
  decompose: (emit, { input, axis, quant_min: low, quant_max: high, ...args }) => {
    const factors = convert(emit, args.scales, "float32");
    const origins = convert(emit, args.zero_points, "int32");
    const [scales, zeros] = [beside(emit, factors, input, axis), beside(emit, origins, input, axis)];
    const scaled = emit("aten.mul.Tensor", [input, inverse(emit, scales)]);
    const level = emit("aten.add.Tensor", [emit("aten.round.default", [scaled]), zeros]);
    const limited = emit("aten.clamp.default", [level, low, high]);
    return emit("aten.mul.Tensor", [emit("aten.sub.Tensor", [limited, zeros]), scales]);
  },
});

/** One value for each channel, with dimensions of size 1 for the others. */
function beside(emit: Emit, values: FakeTensor, input: FakeTensor, axis: IntLike): FakeTensor {
  let result = values;
  // As `range` has it: a negative axis gives each dimension one more.
  for (let d = 0; d < input.ndim; d++) if (d !== axis) result = emit("aten.unsqueeze.default", [result, d]);
  return result;
}

const convertElements = defineOp({
  schema: "quantized_decomposed::convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor",
  doc: "A conversion that fusion leaves alone.",
  tags,
  meta: ({ input, dtype }, context) => elementwise(context, [input], { dtype }),
  decompose: (emit, { input, dtype }) => emit("prims.convert_element_type.default", [input, dtype]),
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
  fakePerChannel,
  convertElements,
] as const satisfies readonly OpDefinition[];
