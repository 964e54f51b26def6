/**
 * @file What PyTorch's dispatcher makes of in-place overloads that are composites
 * (`CompositeImplicitAutograd` in `native_functions.yaml`): calls of other in-place overloads. It
 * does so before it functionalizes, so a lowered program has `pow` where the source has `square_`,
 * though `square` itself stays. The list is that of
 * `torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd")` over all
 * overloads that write.
 */
import { type FakeTensor, float } from "@sconce/ir";
import type { BoundArgs } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { plainNoise } from "../rules/noise.js";

/** As `DecomposeRule`, of whatever schema. */
export type InPlaceRule = (emit: Emit, args: BoundArgs) => FakeTensor;

/**
 * Other names of the same operator, without the underscore; all overloads of one go to the same
 * overload.
 */
const RENAMED: Readonly<Record<string, string>> = {
  absolute: "abs",
  arccos: "acos",
  arccosh: "acosh",
  arcsin: "asin",
  arcsinh: "asinh",
  arctan: "atan",
  arctan2: "atan2",
  arctanh: "atanh",
  clip: "clamp",
  divide: "div",
  fix: "trunc",
  greater: "gt",
  greater_equal: "ge",
  less: "lt",
  less_equal: "le",
  multiply: "mul",
  negative: "neg",
  not_equal: "ne",
  subtract: "sub",
  true_divide: "div",
};

/** `a |= b` and its like, of which no overload but the in-place one decomposes. */
const OPERATORS: Readonly<Record<string, string>> = {
  "aten.__iand__": "aten.bitwise_and_",
  "aten.__ior__": "aten.bitwise_or_",
  "aten.__ixor__": "aten.bitwise_xor_",
};

const arg = (args: BoundArgs, name: string): EmitArg => args[name] as EmitArg;

const squared: InPlaceRule = (emit, args) => emit("aten.pow_.Scalar", [arg(args, "self"), 2]);

/** Exponents are taken to the dtype of the computation, which `self` has to have. */
const raisedToTensor: InPlaceRule = (emit, args) => {
  const exponent = args["exponent"] as FakeTensor;
  const { dtype } = args["self"] as FakeTensor;
  const cast =
    exponent.dtype === dtype ? exponent : emit("aten.to.dtype", [exponent, { kind: "dtype", dtype }]);
  return emit("aten.pow_.Tensor", [arg(args, "self"), cast]);
};

const raisedToScalar: InPlaceRule = (emit, args) => {
  const { exponent } = args;
  const whole = typeof exponent === "number" ? float(exponent) : (exponent as EmitArg);
  return emit("aten.pow_.Scalar", [arg(args, "self"), whole]);
};

const bounded: InPlaceRule = (emit, args) => emit("aten.hardtanh_.default", [arg(args, "self"), 0, 6]);

/** Constants of self-normalizing networks (`SELU_ALPHA`, `SELU_SCALE` in `Activation.cpp`). */
const selfNormalized: InPlaceRule = (emit, args) =>
  emit("aten.elu_.default", [arg(args, "self"), 1.6732632423543772, 1.0507009873554805]);

const drawnSlopes: InPlaceRule = (emit, args) => {
  const self = arg(args, "self");
  const noise = emit("aten.empty_like.default", [self], { memory_format: "contiguous_format" });
  const rest = ["lower", "upper", "training"].map((name) => arg(args, name));
  return emit("aten.rrelu_with_noise_.default", [self, noise, ...rest]);
};

/** In-place dropout has no fused kernel: it multiplies by noise. */
const dropped: InPlaceRule = (emit, args) => {
  const self = args["self"] as FakeTensor;
  const p = Number(args["p"]);
  const isNothing = args["train"] !== true || p === 0 || self.shape.includes(0);
  return isNothing ? self : emit("aten.mul_.Tensor", [self, plainNoise(emit, self, p)]);
};

const WRITTEN_OUT: Readonly<Record<string, InPlaceRule>> = {
  "aten.dropout_.default": dropped,
  "aten.square_.default": squared,
  "aten.float_power_.Tensor": raisedToTensor,
  "aten.float_power_.Scalar": raisedToScalar,
  "aten.relu6_.default": bounded,
  "aten.selu_.default": selfNormalized,
  "aten.rrelu_.default": drawnSlopes,
};

/**
 * Returns the target that an overload is another name of: `abs_` for `absolute_`, `bitwise_and` for
 * `__and__`.
 */
export function otherName(target: string): string | undefined {
  const [, packet, name, overload] = /^(aten\.(\w+))\.(\w+)$/.exec(target) ?? [];
  if (packet === undefined || name === undefined || overload === undefined) return undefined;
  const operator = /^__(and|or|xor)__$/.exec(name)?.[1];
  if (operator !== undefined) return `aten.bitwise_${operator}.${overload}`;
  const simple = name.endsWith("_") ? RENAMED[name.slice(0, -1)] : undefined;
  const into = OPERATORS[packet] ?? (simple === undefined ? undefined : `aten.${simple}_`);
  return into === undefined ? undefined : `${into}.${overload}`;
}

/** Returns the rule of an in-place composite; undefined for other targets. */
export function inPlaceComposite(target: string): InPlaceRule | undefined {
  const own = WRITTEN_OUT[target];
  if (own !== undefined) return own;
  const into = /_\.|^aten\.__i/.test(target) ? otherName(target) : undefined;
  return into === undefined ? undefined : renamed(into);
}

/** Returns the same arguments to another overload; keyword-only ones stay keywords. */
const renamed =
  (target: string): InPlaceRule =>
  (emit, args) => {
    const isKeyword = (name: string): boolean =>
      name === "rounding_mode" || (name === "alpha" && target.endsWith(".Tensor"));
    const names = Object.keys(args);
    const keywords = names.filter(isKeyword).map((name) => [name, arg(args, name)] as const);
    const positional = names.filter((name) => !isKeyword(name)).map((name) => arg(args, name));
    return emit(target, positional, Object.fromEntries(keywords));
  };
