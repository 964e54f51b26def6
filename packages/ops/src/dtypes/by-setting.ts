/** @file Refusals of dtypes that depend on more than one setting, asked of PyTorch by hand. */
import { type DType, isComplexDType, isFloatDType, isIntegralDType } from "@sconce/tensor";
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

/** Dilated or transposed. */
const convolves: Check = (bound) => {
  const { input, transposed } = bound as { readonly input: Typed; readonly transposed: unknown };
  if (transposed !== true) return dilated(bound);
  const isTaken = input.dtype === "int64" || (isFloatDType(input.dtype) && !input.dtype.startsWith("float8"));
  const rank = input.shape.length === 5 || (bound["stride"] as readonly unknown[]).length === 3 ? 3 : 2;
  return isTaken || input.shape.includes(0)
    ? undefined
    : notImplemented(`slow_conv_transpose${rank}d_out_cpu`, input.dtype);
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

const isComplexValue = (value: unknown): boolean =>
  isComplexDType((value as Partial<Typed> | null)?.dtype ?? "bool") ||
  (value as { readonly kind?: unknown } | null)?.kind === "complex";

/** A complex number fills complex tensors only. */
const fillsComplex: Check = ({ self, value }) =>
  isComplexValue(value) && !isComplexValue(self)
    ? "index_fill_(): Converting complex Scalar to non-complex type is not supported"
    : undefined;

/** The result is in double precision, which `self` has to have. */
const floatPower: Check = ({ self, exponent }) => {
  const isComplex = isComplexValue(self) || isComplexValue(exponent);
  const { dtype } = self as Typed;
  const wanted = isComplex ? "complex128" : "float64";
  return dtype === wanted
    ? undefined
    : `the base given to float_power_ has dtype ${scalarTypeName(dtype)} but the operation's result requires dtype ${scalarTypeName(wanted)}`;
};

/** Returns a check that refuses True and False in the place of a number: `isin` has no kernel. */
const looksForBool =
  (name: string): Check =>
  (bound) =>
    isBool(bound[name]) ? "Unsupported input type encountered for isin(): Bool" : undefined;

/** One bound is a maximum or a minimum, which bools have. */
const clampsBools: Check = ({ self, min, max }) =>
  [self, min, max].every((one) => (one as Typed | null)?.dtype === "bool")
    ? notImplemented("clamp_cpu", "bool")
    : undefined;

const CONVOLUTIONS = ["conv1d", "conv2d", "conv3d"].flatMap((name) => [`${name}.default`, `${name}.padding`]);

/** By target. */
export const BY_SETTING: ReadonlyMap<string, Check> = new Map([
  ...CONVOLUTIONS.map((name): [string, Check] => [`aten.${name}`, dilated]),
  ["aten.convolution.default", convolves],
  ["aten.index_fill.int_Scalar", fillsComplex],
  ["aten.index_fill.int_Tensor", fillsComplex],
  ["aten.float_power_.Scalar", floatPower],
  ["aten.float_power_.Tensor", floatPower],
  ["aten.isin.Tensor_Scalar", looksForBool("test_element")],
  ["aten.isin.Scalar_Tensor", looksForBool("element")],
  ["aten.clamp.Tensor", clampsBools],
  ["aten.index_reduce.default", indexReduce],
  ["aten.addcdiv.default", wholeDivision],
  ["aten._scaled_dot_product_flash_attention_for_cpu_backward.default", attentionGradient],
  ...SUBTRACTIONS.map((name): [string, Check] => [`aten.${name}`, subtractsBool]),
]);
