/**
 * @file Operations that are written into JavaScript as they are, with the results of `functionOf`
 * and `converterOf`. Operands are names and literals: a text may repeat them.
 */
import { type DType, isBigIntDType, isFloatDType, isIntegralDType } from "@sconce/tensor";
import type { JavaScriptInline } from "./print.js";

/** Writes them. */
export const JAVASCRIPT_INLINE: JavaScriptInline = { operation: operationText, cast: castText };

type Write = (a: string, b: string) => string;

const COMPARISONS: Readonly<Record<string, string>> = {
  eq: "===",
  ne: "!==",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};
const LOGIC: Readonly<Record<string, Write>> = {
  and: (a, b) => `${a} && ${b}`,
  or: (a, b) => `${a} || ${b}`,
  xor: (a, b) => `${a} !== ${b}`,
  not: (a) => `!${a}`,
};
const INFIX: Readonly<Record<string, string>> = { add: "+", sub: "-", mul: "*", div: "/" };
/** Functions of `Math` that operations of floats are. */
const MATH: ReadonlySet<string> = new Set([
  ...["abs", "floor", "ceil", "trunc", "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin"],
  ...["cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2"],
]);
/** Operations of floats whose results are exact. */
const EXACT: Readonly<Record<string, Write>> = {
  neg: (a) => `-${a}`,
  max: (a, b) => `${b} > ${a} || ${b} !== ${b} ? ${b} : ${a}`,
  min: (a, b) => `${b} < ${a} || ${b} !== ${b} ? ${b} : ${a}`,
};

/** Returns an operation as an expression; undefined for one that a function computes. */
function operationText(
  op: string,
  operand: DType,
  out: DType,
  [a = "", b = ""]: readonly string[],
): string | undefined {
  const compare = COMPARISONS[op];
  if (compare !== undefined) return `${a} ${compare} ${b}`;
  const logic = LOGIC[op];
  if (logic !== undefined) return logic(a, b);
  if (op === "isnan") return isFloatDType(operand) ? `${a} !== ${a}` : undefined;
  if (isFloatDType(operand)) return floatText(op, operand, out, a, b);
  return operand === out && isIntegralDType(out) ? integerText(op, out, a, b) : undefined;
}

function floatText(op: string, operand: DType, out: DType, a: string, b: string): string | undefined {
  if (operand === out && op in EXACT) return EXACT[op]!(a, b);
  const args = b === "" ? a : `${a}, ${b}`;
  const text = op in INFIX ? `${a} ${INFIX[op]} ${b}` : MATH.has(op) ? `Math.${op}(${args})` : undefined;
  return text !== undefined && out === "float32" ? `Math.fround(${text})` : text;
}

function integerText(op: string, dtype: DType, a: string, b: string): string | undefined {
  if (op !== "add" && op !== "sub" && op !== "mul") return undefined;
  const text = `${a} ${INFIX[op]} ${b}`;
  if (dtype === "int64") return `BigInt.asIntN(64, ${text})`;
  if (dtype === "int32") return op === "mul" ? `Math.imul(${a}, ${b})` : `(${text}) | 0`;
  return undefined;
}

/** Returns a conversion as an expression; undefined for one that a function makes. */
function castText(text: string, from: DType, to: DType): string | undefined {
  if (from === to && (from === "float32" || from === "float64" || from === "bool")) return text;
  const isNumber = from !== "bool" && !isBigIntDType(from);
  if (to === "bool") return `${text} !== ${isBigIntDType(from) ? "0n" : from === "bool" ? "false" : "0"}`;
  const number = isNumber ? text : `Number(${text})`;
  if (to === "float32") return `Math.fround(${number})`;
  if (to === "float64") return number;
  if (isFloatDType(from) || isFloatDType(to)) return undefined;
  if (to === "int64" && !isBigIntDType(from)) return `BigInt(${text})`;
  return undefined;
}
