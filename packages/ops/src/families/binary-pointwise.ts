/** @file Arithmetic of two operands, either of which may be a Python number. */
import { FakeTensor, float as pythonFloat, type ScalarLiteral } from "@sconce/ir";
import { type DType, isComplexDType, isFloatDType, isIntegralDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, requireWord } from "../rows/errors.js";
import { broadcastPair, convert, promoted } from "../rules/decompose.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { elementwise } from "../rules/elementwise.js";
import { fake } from "../rules/fake.js";
import { largestFinite } from "../rules/limits.js";
import { logAddExp } from "../rules/log-add-exp.js";
import { type Operand, promoteOperands, scalarKind, toFloatDType } from "../rules/promote.js";
import type { ScalarArg } from "../schema/schema-types.js";

const CORE: readonly OpTag[] = ["core", "pointwise"];
const COMMUTATIVE: readonly OpTag[] = ["core", "pointwise", "commutative"];
const COMPOSITE: readonly OpTag[] = ["composite"];

type BinarySchema = "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor";
export type DTypeRule = (operands: readonly Operand[]) => DType;

interface BinaryOptions {
  readonly tags?: readonly OpTag[];
  readonly overload?: string;
  readonly args?: string;
  readonly dtype?: DTypeRule;
  readonly isFast?: boolean;
  readonly isLastFirst?: boolean;
  readonly decompose?: (emit: Emit, self: FakeTensor, other: FakeTensor) => FakeTensor;
}

/** Defines a binary elementwise operator; `args` is the schema text of its two arguments. */
export function binary(name: string, options: BinaryOptions = {}): OpDefinition {
  const {
    tags = ["pointwise"],
    overload,
    args = "Tensor self, Tensor other",
    dtype = promoteOperands,
    isFast = false,
    isLastFirst = false,
    decompose,
  } = options;
  const [first, second] = args.split(", ").map((arg) => arg.split(" ")[1]!) as [string, string];
  return defineOp({
    schema: `aten::${name}${overload ? `.${overload}` : ""}(${args}) -> Tensor` as BinarySchema,
    tags,
    meta: (bound, context) => {
      const operands = operandsOf(bound, first, second);
      return elementwise(context, operands, { dtype: dtype(operands), isFast, isLastFirst });
    },
    ...(decompose && {
      decompose: (emit: Emit, bound: object) => {
        const [a, b] = operandsOf(bound, first, second);
        return decompose(emit, a as FakeTensor, b as FakeTensor);
      },
    }),
  });
}

const operandsOf = (bound: object, first: string, second: string): [Operand, Operand] => {
  const values = bound as Readonly<Record<string, Operand>>;
  return [values[first]!, values[second]!];
};

const toFloat: DTypeRule = (operands) => toFloatDType(promoteOperands(operands));

/** `alpha` may not be of a higher kind than the result. */
function checkAlpha(dtype: DType, alpha: ScalarArg): void {
  const kind = scalarKind(alpha);
  if (kind === "bool" && dtype !== "bool")
    throw invalidArgument("Boolean alpha only supported for Boolean results.");
  if (kind === "complex" && !isComplexDType(dtype)) {
    throw invalidArgument("For non-complex input tensors, argument alpha must not be a complex number.");
  }
  if (kind === "float" && !isFloatDType(dtype) && !isComplexDType(dtype)) {
    throw invalidArgument("For integral input tensors, argument alpha must not be a floating point number.");
  }
}

function addMeta(context: MetaContext, operands: readonly [Operand, Operand], alpha: ScalarArg): FakeTensor {
  const dtype = promoteOperands(operands);
  checkAlpha(dtype, alpha);
  return elementwise(context, operands, { dtype, isFast: true });
}

const _isBool = (operand: Operand): boolean =>
  operand instanceof FakeTensor ? operand.dtype === "bool" : scalarKind(operand) === "bool";

function subMeta(context: MetaContext, operands: readonly [Operand, Operand], alpha: ScalarArg): FakeTensor {
  return addMeta(context, operands, alpha);
}

const addOps = [
  defineOp({
    schema: "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    tags: COMMUTATIVE,
    meta: ({ self, other, alpha }, context) => addMeta(context, [self, other], alpha),
  }),
  defineOp({
    schema: "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    tags: CORE,
    meta: ({ self, other, alpha }, context) => addMeta(context, [self, other], alpha),
  }),
  defineOp({
    schema: "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    tags: CORE,
    meta: ({ self, other, alpha }, context) => subMeta(context, [self, other], alpha),
  }),
  defineOp({
    schema: "aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    tags: CORE,
    meta: ({ self, other, alpha }, context) => subMeta(context, [self, other], alpha),
  }),
  defineOp({
    schema: "aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    meta: ({ self, other, alpha }, context) => subMeta(context, [other, self], alpha),
    decompose: (emit, { self, other, alpha }) => emit("aten.sub.Tensor", [other, self], { alpha }),
  }),
  defineOp({
    schema: "aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    tags: ["pointwise"],
    meta: ({ self, other, alpha }, context) => subMeta(context, [other, self], alpha),
    decompose: (emit, { self, other, alpha }) => emit("aten.sub.Tensor", [other, self], { alpha }),
  }),
  defineOp({
    schema: "aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    tags: COMPOSITE,
    decompose: (emit, { self, other, alpha }) => emit("aten.sub.Tensor", [self, other], { alpha }),
  }),
];

/** Returns the dtype of a quotient: true division gives floats, a rounded one keeps integers. */
function quotientDType(operands: readonly Operand[], rounding: string | null): DType {
  if (rounding === null) return toFloat(operands);
  requireWord(
    rounding,
    ["trunc", "floor"],
    `div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '${rounding}'`,
  );
  return promoteOperands(operands);
}

const divisionOps = [
  binary("div", { overload: "Tensor", tags: CORE, dtype: toFloat, isFast: true }),
  binary("div", { overload: "Scalar", args: "Tensor self, Scalar other", tags: CORE, dtype: toFloat }),
  defineOp({
    schema: "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
    tags: CORE,
    meta: ({ self, other, rounding_mode: mode }, context) =>
      elementwise(context, [self, other], {
        dtype: quotientDType([self, other], mode),
        isLastFirst: mode === "floor",
      }),
  }),
  defineOp({
    schema: "aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
    tags: CORE,
    meta: ({ self, other, rounding_mode: mode }, context) =>
      elementwise(context, [self, other], { dtype: quotientDType([self, other], mode) }),
  }),
  binary("true_divide", {
    overload: "Tensor",
    tags: ["composite", "pointwise"],
    dtype: toFloat,
    isFast: true,
    decompose: (emit, self, other) => emit("aten.div.Tensor", [self, other]),
  }),
  binary("divide", {
    overload: "Tensor",
    tags: COMPOSITE,
    dtype: toFloat,
    decompose: (emit, self, other) => emit("aten.div.Tensor", [self, other]),
  }),
  defineOp({
    schema: "aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
    tags: COMPOSITE,
    decompose: (emit, { self, other, rounding_mode: mode }) =>
      emit("aten.div.Tensor_mode", [self, other], { rounding_mode: mode }),
  }),
  defineOp({
    schema: "aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
    tags: COMPOSITE,
    decompose: (emit, { self, other, rounding_mode: mode }) =>
      emit("aten.div.Scalar_mode", [self, other], { rounding_mode: mode }),
  }),
  ...["floor_divide", "floor_divide.Scalar"].map((text) =>
    binary("floor_divide", {
      ...(text.endsWith("Scalar") && { overload: "Scalar", args: "Tensor self, Scalar other" }),
      tags: [],
      dtype: promoteOperands,
      isLastFirst: true,
      decompose: (emit, self, other) =>
        emit("aten.div.Tensor_mode", [self, other], { rounding_mode: "floor" }),
    }),
  ),
  ...["remainder", "fmod"].flatMap((name) => [
    binary(name, { overload: "Tensor", tags: CORE, dtype: promoteOperands }),
    binary(name, {
      overload: "Scalar",
      args: "Tensor self, Scalar other",
      tags: CORE,
      dtype: promoteOperands,
    }),
  ]),
  binary("remainder", {
    overload: "Scalar_Tensor",
    args: "Scalar self, Tensor other",
    dtype: promoteOperands,
  }),
];

function powDType(operands: readonly Operand[]): DType {
  const [base, exponent] = operands as [Operand, Operand];
  const whole = base instanceof FakeTensor && !isFloatDType(base.dtype) && !isComplexDType(base.dtype);
  if (whole && !(exponent instanceof FakeTensor) && isNegativeInt(exponent)) {
    throw invalidArgument("Integers to negative integer powers are not allowed.");
  }
  return promoteOperands(operands);
}

const isNegativeInt = (value: ScalarArg): boolean =>
  (typeof value === "number" || typeof value === "bigint") && scalarKind(value) === "int" && value < 0;

/** `float_power` computes in double precision. */
function doubleOf(operands: readonly Operand[]): DType {
  const complex = operands.some((operand) =>
    operand instanceof FakeTensor ? isComplexDType(operand.dtype) : scalarKind(operand) === "complex",
  );
  return complex ? "complex128" : "float64";
}

const powerOps = [
  binary("pow", {
    overload: "Tensor_Tensor",
    args: "Tensor self, Tensor exponent",
    tags: CORE,
    dtype: powDType,
  }),
  binary("pow", {
    overload: "Tensor_Scalar",
    args: "Tensor self, Scalar exponent",
    tags: CORE,
    dtype: powDType,
  }),
  defineOp({
    schema: "aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
    tags: CORE,
    // Its result is row-major: this overload does not go through TensorIterator.
    meta: ({ self, exponent }) =>
      fake({ dtype: powDType([self, exponent]), shape: exponent.shape, like: exponent }),
  }),
  binary("float_power", {
    overload: "Tensor_Scalar",
    args: "Tensor self, Scalar exponent",
    tags: ["composite", "pointwise"],
    dtype: doubleOf,
    decompose: (emit, self, exponent) => {
      const dtype = doubleOf([self, exponent]);
      return emit("aten.pow.Tensor_Scalar", [
        convert(emit, self, dtype),
        asFloat(exponent as unknown as ScalarLiteral),
      ]);
    },
  }),
  binary("float_power", {
    overload: "Scalar",
    args: "Scalar self, Tensor exponent",
    tags: ["composite", "pointwise"],
    dtype: doubleOf,
    decompose: (emit, self, exponent) => {
      const dtype = doubleOf([self, exponent]);
      return emit("aten.pow.Scalar", [
        asFloat(self as unknown as ScalarLiteral),
        convert(emit, exponent, dtype),
      ]);
    },
  }),
  binary("float_power", {
    overload: "Tensor_Tensor",
    args: "Tensor self, Tensor exponent",
    tags: ["composite", "pointwise"],
    dtype: doubleOf,
    decompose: (emit, self, exponent) => {
      const dtype = doubleOf([self, exponent]);
      // C++ evaluates the exponent's conversion first.
      const power = convert(emit, exponent, dtype);
      return emit("aten.pow.Tensor_Tensor", [convert(emit, self, dtype), power]);
    },
  }),
];

const asFloat = (value: ScalarLiteral): ScalarLiteral =>
  typeof value === "object" ? value : pythonFloat(Number(value));

function xLog(log: "log" | "log1p") {
  return (emit: Emit, self: Operand, other: Operand): FakeTensor =>
    promoted(emit, "int-to-float", [self, other], (x, y) => {
      const b = y instanceof FakeTensor ? y : scalarLike(emit, y, x as FakeTensor);
      const a = x instanceof FakeTensor ? x : scalarLike(emit, x, b);
      const zero = emit("aten.eq.Scalar", [a, 0]);
      const product = emit("aten.mul.Tensor", [a, emit(`aten.${log}.default`, [b])]);
      const inside = emit("aten.where.ScalarSelf", [zero, 0, product]);
      return emit("aten.where.ScalarSelf", [emit("aten.isnan.default", [b]), Number.NaN, inside]);
    });
}

/** PyTorch leaves this primitive in the graph. */
const scalarLike = (emit: Emit, value: ScalarArg, like: FakeTensor): FakeTensor =>
  emit("prims.scalar_tensor.default", [asFloat(value as ScalarLiteral)], {
    dtype: like.dtype,
    device: like.device,
  });

/** Returns the overload of two tensors and those with a number on one side. */
const withScalars = (name: string, options: BinaryOptions): readonly OpDefinition[] => [
  binary(name, options),
  binary(name, { ...options, overload: "other_scalar", args: "Tensor self, Scalar other" }),
  binary(name, { ...options, overload: "self_scalar", args: "Scalar self, Tensor other" }),
];

const heaviside: BinaryOptions = {
  args: "Tensor self, Tensor values",
  dtype: (operands) => {
    const [self] = operands as [FakeTensor, FakeTensor];
    return self.dtype;
  },
  decompose: (emit, self, values) =>
    promoted(emit, "default", [self, values], (input, value) => {
      const [x, atZero] = broadcastPair(emit, input, value);
      const zero = emit("aten.eq.Scalar", [x, 0]);
      const below = emit("aten.lt.Scalar", [x, 0]);
      const low = emit("aten.logical_or.default", [below, emit("aten.isnan.default", [x])]);
      const steps = emit("aten.where.Scalar", [low, 0, 1]);
      return emit("aten.where.self", [zero, atZero, steps]);
    }),
};

const UNSIGNED: ReadonlySet<DType> = new Set(["uint16", "uint32", "uint64"]);

/**
 * A float by a power of two with an integer exponent is one step; anything else is a product with
 * `2 ** other`, whose layout counts.
 */
const ldexp = defineOp({
  schema: "aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self, other }, context) => {
    const dtype = toFloat([self, other]);
    if (isFloatDType(self.dtype) && isIntegralDType(other.dtype, true)) {
      if (other.dtype === "bool" || UNSIGNED.has(other.dtype))
        throw dtypeMismatch(`"ldexp_cpu_exp" not implemented for '${scalarTypeName(other.dtype)}'`);
      return elementwise(context, [self, other], { dtype, isFast: true });
    }
    // The base is a number for integers and float32, and `pow.Scalar` gives row-major memory; else
    // it is a tensor.
    const byNumber = self.dtype === "float32" || isIntegralDType(self.dtype, true);
    const power = byNumber ? fake({ dtype, shape: other.shape, like: other }) : other;
    return elementwise(context, [self, power], { dtype, isFast: true });
  },
});

/**
 * Returns a sum, with 0 in place of what is negative; infinities become the largest number. NaN is
 * 0.
 */
function addRelu(emit: Emit, sum: FakeTensor): FakeTensor {
  const { dtype } = sum;
  if (dtype !== "float32" && dtype !== "float64") return emit("aten.relu.default", [sum]);
  const isPositive = emit("aten.gt.Scalar", [sum, 0]);
  return emit("aten.where.ScalarOther", [
    isPositive,
    emit("aten.clamp_max.default", [sum, pythonFloat(largestFinite(dtype))]),
    0,
  ]);
}

const addReluOps: readonly OpDefinition[] = [
  defineOp({
    schema: "aten::_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    tags: ["not_in_default_table"],
    decompose: (emit, { self, other, alpha }) =>
      addRelu(emit, emit("aten.add.Tensor", [self, other], { alpha })),
  }),
  defineOp({
    schema: "aten::_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    tags: ["not_in_default_table"],
    decompose: (emit, { self, other, alpha }) => addRelu(emit, emit("aten.add.Scalar", [self, other, alpha])),
  }),
];

export const binaryPointwiseOps: readonly OpDefinition[] = [
  ...addReluOps,
  ...addOps,
  ...divisionOps,
  ...powerOps,
  binary("mul", { overload: "Tensor", tags: COMMUTATIVE, isFast: true }),
  binary("mul", { overload: "Scalar", args: "Tensor self, Scalar other", tags: CORE }),
  binary("multiply", {
    overload: "Tensor",
    tags: COMPOSITE,
    decompose: (emit, a, b) => emit("aten.mul.Tensor", [a, b]),
  }),
  ...["maximum", "minimum"].map((name) => binary(name, { tags: COMMUTATIVE, dtype: promoteOperands })),
  ...["fmax", "fmin"].map((name) => binary(name, { dtype: promoteOperands })),
  ...[
    ["max", "maximum"],
    ["min", "minimum"],
  ].map(([name, target]) =>
    binary(name!, {
      overload: "other",
      tags: ["composite", "pointwise"],
      decompose: (emit, a, b) => emit(`aten.${target}.default`, [a, b]),
    }),
  ),
  binary("atan2", { tags: CORE, dtype: toFloat }),
  binary("arctan2", {
    tags: COMPOSITE,
    dtype: toFloat,
    decompose: (emit, a, b) => emit("aten.atan2.default", [a, b]),
  }),
  ...["igamma", "igammac"].map((name) => binary(name, { dtype: promoteOperands })),
  binary("copysign", { overload: "Tensor", dtype: toFloat, isLastFirst: true }),
  binary("copysign", { overload: "Scalar", args: "Tensor self, Scalar other", dtype: toFloat }),
  binary("hypot"),
  binary("nextafter"),
  binary("gcd", { dtype: promoteOperands }),
  binary("lcm", { dtype: promoteOperands }),
  ldexp,
  binary("logaddexp", { dtype: promoteOperands, decompose: logAddExp(false) }),
  binary("logaddexp2", { dtype: promoteOperands, decompose: logAddExp(true) }),
  binary("xlogy", {
    overload: "Tensor",
    dtype: toFloat,
    isFast: true,
    isLastFirst: true,
    decompose: xLog("log"),
  }),
  binary("xlogy", {
    overload: "Scalar_Other",
    args: "Tensor self, Scalar other",
    dtype: toFloat,
    decompose: xLog("log"),
  }),
  binary("xlogy", {
    overload: "Scalar_Self",
    args: "Scalar self, Tensor other",
    dtype: toFloat,
    decompose: xLog("log"),
  }),
  ...withScalars("special_xlog1py", { dtype: toFloat, decompose: xLog("log1p") }),
  ...withScalars("special_zeta", { dtype: toFloat }),
  binary("heaviside", heaviside),
];
