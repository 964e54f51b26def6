/**
 * @file Scales and zero points for the range of values of a tensor, as PyTorch's passes write them.
 */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { convert } from "../rules/decompose.js";
import { fake } from "../rules/fake.js";

const TARGETS: ReadonlySet<DType> = new Set([
  "uint8",
  "int8",
  "uint16",
  "int16",
  "int32",
  "float8_e5m2",
  "float8_e4m3fn",
]);

interface TensorArgs {
  readonly input: FakeTensor;
  readonly quant_min: IntLike;
  readonly quant_max: IntLike;
  readonly eps: number;
  readonly dtype: DType;
}

function checkArguments({ input, dtype, quant_min: low, quant_max: high }: TensorArgs): void {
  if (!["float32", "float16", "bfloat16"].includes(input.dtype))
    throw dtypeMismatch(`Expecting input to have dtype torch.float32/16/b16, but got dtype: ${input.dtype}`);
  if (!TARGETS.has(dtype))
    throw dtypeMismatch(`Expecting target dtype to be one of ${[...TARGETS].join(", ")}, but got: ${dtype}`);
  if (Number(low) > 0 || Number(high) < 0)
    throw invalidArgument("Used-specified quantization range must include 0.");
  if (Number(low) >= Number(high))
    throw invalidArgument("qmin must be strictly less than qmax for user-specified quantization range.");
}

/** Scale and zero point, one each. */
const parameters = (input: FakeTensor, shape: readonly IntLike[]): readonly [FakeTensor, FakeTensor] => [
  fake({ dtype: "float64", shape, like: input }),
  fake({ dtype: "int64", shape, like: input }),
];

const perToken = ({ input }: { readonly input: FakeTensor }): readonly [FakeTensor, FakeTensor] =>
  parameters(input, [...input.shape.slice(0, -1), 1]);

/** Returns the least and the greatest value, moved to 0 where they are beyond it. */
function range(
  emit: Emit,
  input: FakeTensor,
  ...dims: readonly unknown[]
): readonly [FakeTensor, FakeTensor] {
  const [least, greatest] = ["aten.amin.default", "aten.amax.default"].map((op) =>
    emit(op, [input, ...(dims as [readonly number[], boolean])]),
  );
  const low = emit("aten.minimum.default", [least!, emit("aten.zeros_like.default", [least!])]);
  return [low, emit("aten.maximum.default", [greatest!, emit("aten.zeros_like.default", [greatest!])])];
}

/** `max(scale, eps)`, of shape (1,), in float32. */
const floored = (emit: Emit, scale: FakeTensor, eps: number): FakeTensor =>
  emit("aten.maximum.default", [scale, emit("aten.full.default", [[1], float(eps)], { dtype: "float32" })]);

const tags = ["not_in_default_table"] as const;

const chooseParameters = defineOp({
  schema:
    "quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
  tags,
  meta: (args) => {
    checkArguments(args);
    return parameters(args.input, [1]);
  },
  decompose: (emit, { input, quant_min: least, quant_max: most, eps }) => {
    const [low, high] = range(emit, input, []);
    const width = emit("aten.sub.Tensor", [high, low]);
    const steps = float(Number(most) - Number(least));
    const scale = floored(emit, emit("aten.div.Tensor", [width, steps]), eps);
    const place = emit("aten.round.default", [emit("aten.div.Tensor", [low, scale])]);
    const zero = emit("aten.rsub.Scalar", [convert(emit, place, "int32"), least]);
    const limited = emit("aten.clamp.default", [zero, least, most]);
    return [convert(emit, scale, "float64"), convert(emit, limited, "int64")];
  },
});

const chooseSymmetricParameters = defineOp({
  schema:
    "quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
  tags,
  meta: (args) => {
    checkArguments(args);
    return parameters(args.input, [1]);
  },
  decompose: (emit, { input, quant_min: least, quant_max: most, eps, dtype }) => {
    const [low, high] = range(emit, input, []);
    const greatest = emit("aten.maximum.default", [emit("aten.neg.default", [low]), high]);
    const steps = float((Number(most) - Number(least)) / 2);
    const scale = floored(emit, emit("aten.div.Tensor", [greatest, steps]), eps);
    const zero = emit("aten.full.default", [[1], dtype === "uint8" ? 128 : 0], { dtype: "int64" });
    return [convert(emit, scale, "float64"), zero];
  },
});

const chooseTokenParameters = defineOp({
  schema:
    "quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
  tags,
  // PyTorch's rule says float64 and int64, and its kernel gives others.
  meta: perToken,
  decompose: (emit, { input, dtype }) => {
    if (dtype !== "int8") throw invalidArgument(`unsupported dtype in choose_qparams_per_token: ${dtype}`);
    const greatest = emit("aten.amax.default", [emit("aten.abs.default", [input]), [-1], true]);
    const wide = greatest.dtype === "float16" ? convert(emit, greatest, "float32") : greatest;
    const scales = emit("aten.div.Tensor", [emit("aten.clamp.default", [wide, float(1e-5)]), 127]);
    return [scales, emit("aten.zeros_like.default", [scales])];
  },
});

/** Scale and zero point of int8 for each row, by the errors at both ends. */
function asymmetric(
  emit: Emit,
  { input }: { readonly input: FakeTensor },
): readonly [FakeTensor, FakeTensor] {
  const [low, high] = range(emit, input, [-1], true);
  const width = emit("aten.div.Tensor", [emit("aten.sub.Tensor", [high, low]), float(255)]);
  const scale = emit("aten.clamp.default", [width, float(2 ** -23)]);
  const [least, most] = [low, high].map((end) => emit("aten.div.Tensor", [end, scale]));
  const errors = [emit("aten.add.Tensor", [least!, -128]), emit("aten.add.Tensor", [most!, 127])];
  const isAbove = emit("aten.gt.Scalar", [emit("aten.add.Tensor", errors), 0]);
  const places = [emit("aten.rsub.Scalar", [least!, -128]), emit("aten.rsub.Scalar", [most!, 127])];
  const place = emit("aten.where.self", [isAbove, ...places]);
  const zero = emit("aten.round.default", [emit("aten.clamp.default", [place, -128, 127])]);
  return [convert(emit, scale, "float64"), convert(emit, zero, "int64")];
}

const chooseAsymmetricTokenParameters = defineOp({
  schema:
    "quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
  tags,
  meta: perToken,
  decompose: asymmetric,
});

const chooseAsymmetricTokenParametersInline = defineOp({
  schema:
    "quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
  tags: ["composite"],
  meta: perToken,
  decompose: asymmetric,
});

export const quantizedParametersOps = [
  chooseParameters,
  chooseSymmetricParameters,
  chooseTokenParameters,
  chooseAsymmetricTokenParameters,
  chooseAsymmetricTokenParametersInline,
] as const satisfies readonly OpDefinition[];
