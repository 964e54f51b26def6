/** @file Refusals of dtypes that depend on more than one setting, asked of PyTorch by hand. */
import { type DType, isFloatDType, isIntegralDType } from "@sconce/tensor";
import type { BoundArgs } from "../rows/define-op.js";
import { scalarTypeName } from "../rules/dtype-names.js";

/** Returns why a call is refused, if it is. */
type Check = (bound: BoundArgs) => string | undefined;

interface Typed {
  readonly dtype: DType;
  readonly shape: readonly unknown[];
}

const notImplemented = (kernel: string, dtype: DType): string =>
  `"${kernel}" not implemented for '${scalarTypeName(dtype)}'`;

const SMALL_INTEGERS: ReadonlySet<DType> = new Set(["int8", "int16", "int32", "uint8"]);

/** Dilated convolutions have a separate kernel. */
const dilated: Check = ({ input, dilation, transposed }) => {
  const { dtype } = input as Typed;
  const isDilated = Array.isArray(dilation) && dilation.some((step) => step !== 1);
  return isDilated && transposed !== true && SMALL_INTEGERS.has(dtype)
    ? notImplemented("slow_conv_dilated<>", dtype)
    : undefined;
};

const isOrdered = (dtype: DType): boolean =>
  dtype !== "bool" && !/^(?:float8|complex|uint(?:16|32|64))/.test(dtype);

/** Slices of several dimensions are combined by operators that take more dtypes. */
const indexReduce: Check = ({ self, include_self }) => {
  const { dtype, shape } = self as Typed;
  if (isOrdered(dtype)) return undefined;
  if (include_self !== true) return notImplemented("index_reduce_func_exclude_input_init", dtype);
  return shape.length <= 1 ? notImplemented("index_func_", dtype) : undefined;
};

/** Whatever they are added to. */
const wholeDivision: Check = ({ tensor1, tensor2 }) =>
  [tensor1, tensor2].every((one) => isIntegralDType((one as Typed).dtype, true))
    ? "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true " +
      "division of tensor1 and tensor2."
    : undefined;

const isBool = (value: unknown): boolean =>
  typeof value === "boolean" || (value as { readonly kind?: unknown } | null)?.kind === "SymBool";

/** True and False as numbers; of bools other checks speak. */
const subtractsBool: Check = ({ self, other }) =>
  isBool(other) && (self as Partial<Typed>).dtype !== "bool"
    ? "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, " +
      "use the `~` or `logical_not()` operator instead."
    : undefined;
const SUBTRACTIONS = ["sub.Tensor", "sub.Scalar", "rsub.Scalar", "subtract.Tensor"];

/** The logarithms of halves are in float32: the recorded calls give all operands one dtype. */
const attentionGradient: Check = ({ grad_out, query, logsumexp }) => {
  const { dtype } = query as Typed;
  if (!isFloatDType(dtype)) return undefined;
  const wanted = [
    [dtype, grad_out],
    [dtype === "float64" ? dtype : "float32", logsumexp],
  ] as const;
  const wrong = wanted.find(([one, given]) => (given as Typed).dtype !== one);
  return (
    wrong &&
    `expected scalar type ${scalarTypeName(wrong[0])} but found ${scalarTypeName((wrong[1] as Typed).dtype)}`
  );
};

const CONVOLUTIONS = ["conv1d", "conv2d", "conv3d"].flatMap((name) => [`${name}.default`, `${name}.padding`]);

/** By target. */
export const BY_SETTING: ReadonlyMap<string, Check> = new Map([
  ...["convolution.default", ...CONVOLUTIONS].map((name): [string, Check] => [`aten.${name}`, dilated]),
  ["aten.index_reduce.default", indexReduce],
  ["aten.addcdiv.default", wholeDivision],
  ["aten._scaled_dot_product_flash_attention_for_cpu_backward.default", attentionGradient],
  ...SUBTRACTIONS.map((name): [string, Check] => [`aten.${name}`, subtractsBool]),
]);
