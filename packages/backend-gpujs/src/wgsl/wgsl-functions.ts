/** @file Scalar functions of loop nests as WGSL expressions. */
import type { ScalarFn } from "@sconce/codegen";
import type { DType } from "@sconce/tensor";
import { type WgslModule, type WgslType, wgslType } from "./wgsl-text.js";

type Template = (a: string, b: string, c: string) => string;

const INFIX =
  (sign: string): Template =>
  (a, b) =>
    `(${a} ${sign} ${b})`;

const COMPARISONS: Partial<Record<ScalarFn, string>> = {
  eq: "==",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};

/** Direct forms in WGSL; other functions are ours. */
const FLOAT: Partial<Record<ScalarFn, Template>> = {
  neg: (a) => `(-${a})`,
  abs: (a) => `abs(${a})`,
  sign: (a) => `(select(0.0f, 1.0f, ${a} > 0.0f) - select(0.0f, 1.0f, ${a} < 0.0f))`,
  floor: (a) => `floor(${a})`,
  ceil: (a) => `ceil(${a})`,
  round: (a) => `round(${a})`,
  trunc: (a) => `trunc(${a})`,
  add: INFIX("+"),
  sub: INFIX("-"),
  mul: INFIX("*"),
  fma: (a, b, c) => `fma(${a}, ${b}, ${c})`,
};
/** Ours that go by other names than the functions. */
export const OWN_FLOAT: Partial<Record<ScalarFn, string>> = {
  div: "f_div",
  floor_div: "f_floordiv",
  trunc_div: "f_truncdiv",
  max: "f_max",
  min: "f_min",
};
const INT: Partial<Record<ScalarFn, Template>> = {
  neg: (a) => `(-${a})`,
  abs: (a) => `abs(${a})`,
  sign: (a) => `sign(${a})`,
  bitwise_not: (a) => `(~${a})`,
  add: INFIX("+"),
  sub: INFIX("-"),
  mul: INFIX("*"),
  max: (a, b) => `max(${a}, ${b})`,
  min: (a, b) => `min(${a}, ${b})`,
  bitwise_and: INFIX("&"),
  bitwise_or: INFIX("|"),
  bitwise_xor: INFIX("^"),
};
const OWN_INT: Partial<Record<ScalarFn, string>> = {
  floor_div: "i_floordiv",
  trunc_div: "i_truncdiv",
  remainder: "i_remainder",
  fmod: "i_fmod",
  pow: "i_pow",
  shift_left: "i_left",
  shift_right: "i_right",
};
/** Both operands are computed anyway: the forms that branch would take time. */
const BOOL: Partial<Record<ScalarFn, Template>> = {
  not: (a) => `(!${a})`,
  and: INFIX("&"),
  or: INFIX("|"),
  xor: INFIX("!="),
  add: INFIX("|"),
  mul: INFIX("&"),
  max: INFIX("|"),
  min: INFIX("&"),
  bitwise_and: INFIX("&"),
  bitwise_or: INFIX("|"),
  bitwise_xor: INFIX("!="),
  bitwise_not: (a) => `(!${a})`,
};
const NO_INT: ReadonlySet<ScalarFn> = new Set(["isnan", "isinf", "and", "or", "xor", "not"]);

/** Returns whether a shader can compute the function for operands of a type. */
export function hasFunction(fn: ScalarFn, type: WgslType): boolean {
  if (fn === "ne" || COMPARISONS[fn] !== undefined) return true;
  if (type === "bool") return BOOL[fn] !== undefined;
  if (type === "i32") return INT[fn] !== undefined || OWN_INT[fn] !== undefined;
  return (
    !fn.startsWith("bitwise") &&
    !fn.startsWith("shift") &&
    !(fn !== "isnan" && fn !== "isinf" && NO_INT.has(fn))
  );
}

/** Returns the function of these operands; `dtype` is what it gives, to which integers wrap. */
export function callText(
  module: WgslModule,
  fn: ScalarFn,
  operand: DType,
  dtype: DType,
  [a, b = "", c = ""]: readonly string[],
): string {
  const type = wgslType(operand)!;
  if (type === "f32" && a === b) {
    // Only NaN is not equal to itself, and compilers may assume that there is none.
    const isNan = module.call("f_isnan", a!);
    if (fn === "ne") return isNan;
    if (fn === "eq" || fn === "le" || fn === "ge") return `(!${isNan})`;
  }
  if (fn === "ne") return `(!(${a} == ${b}))`;
  const sign = COMPARISONS[fn];
  if (sign !== undefined) {
    const asInt = type === "bool" && sign !== "==" ? (x: string): string => `i32(${x})` : (x: string) => x;
    return `(${asInt(a!)} ${sign} ${asInt(b)})`;
  }
  if (type === "bool") return BOOL[fn]!(a!, b, c);
  if (type === "f32") {
    const direct = FLOAT[fn];
    if (direct !== undefined) return direct(a!, b, c);
    if (fn === "reciprocal") return module.call("f_div", "1.0f", a!);
    return module.call(OWN_FLOAT[fn] ?? `f_${fn}`, a!, ...(b === "" ? [] : [b]));
  }
  const direct = INT[fn];
  const exact = direct === undefined ? module.call(OWN_INT[fn]!, a!, b) : direct(a!, b, c);
  return wrapped(exact, dtype);
}

/** Returns an integer with only the bits that its dtype has. */
function wrapped(text: string, dtype: DType): string {
  switch (dtype) {
    case "int8":
      return `((${text} << 24u) >> 24u)`;
    case "int16":
      return `((${text} << 16u) >> 16u)`;
    case "uint8":
      return `(${text} & 255i)`;
    default:
      return text;
  }
}

/** Returns a value in another dtype, as `Tensor.to` converts. */
export function castText(module: WgslModule, text: string, from: DType, to: DType): string {
  const [source, target] = [wgslType(from)!, wgslType(to)!];
  if (target === "bool") {
    if (source === "f32") return module.call("f_truth", text);
    return source === "i32" ? `(${text} != 0i)` : text;
  }
  if (target === "f32") {
    const single =
      source === "f32" ? text : source === "bool" ? `select(0.0f, 1.0f, ${text})` : `f32(${text})`;
    if (to === "float16") return module.call("f_half", single);
    return to === "bfloat16" ? module.call("f_brain", single) : single;
  }
  if (source === "bool") return `select(0i, 1i, ${text})`;
  return wrapped(source === "f32" ? module.call("f_toint", text) : text, to);
}
