/** @file Operations on floats. Halves are computed in float32, and rounded after each operation. */
import type { ElementType } from "@sconce/codegen";
import type { FunctionBuilder, Instruction } from "@sconce/wasm";
import { isHalf, type NumberType, numberType } from "./core/types.js";
import { roundHalf } from "./halves.js";
import { hostOperands } from "./host-functions.js";
import { direct, type Operation } from "./operation.js";
import { BINARY_MATH, CALLS_HOST, MATH } from "./vector/math.js";

const SAME: ReadonlyMap<string, readonly [operands: number, name: string]> = new Map([
  ["neg", [1, "neg"]],
  ["abs", [1, "abs"]],
  ["floor", [1, "floor"]],
  ["ceil", [1, "ceil"]],
  ["trunc", [1, "trunc"]],
  ["round", [1, "nearest"]],
  ["sqrt", [1, "sqrt"]],
  ["add", [2, "add"]],
  ["sub", [2, "sub"]],
  ["mul", [2, "mul"]],
  ["div", [2, "div"]],
  ["eq", [2, "eq"]],
  ["ne", [2, "ne"]],
  ["lt", [2, "lt"]],
  ["le", [2, "le"]],
  ["gt", [2, "gt"]],
  ["ge", [2, "ge"]],
]);
/** Operations whose result is one of their operands, a whole number or a bool. */
const EXACT: ReadonlySet<string> = new Set([
  ...["neg", "abs", "floor", "ceil", "trunc", "round", "max", "min", "sign", "isnan", "isinf"],
  ...["eq", "ne", "lt", "le", "gt", "ge"],
]);

/** Returns the imported function that an operation on floats calls; undefined if it calls none. */
export function hostFunctionOf(op: string, type: ElementType): string | undefined {
  const isOwn = numberType(type) === "f32" && MATH.has(op) && !CALLS_HOST.has(op);
  return hostOperands(op) === undefined || isOwn ? undefined : op;
}

/** Puts a known float on the stack. */
export const pushFloat = (f: FunctionBuilder, number: NumberType, value: number): FunctionBuilder =>
  number === "f64" ? f.f64(value) : f.f32(value);

/** Writes an operation on floats; false where there is none. */
export function floatOperation(operation: Operation): boolean {
  if (!written(operation)) return false;
  const { f, op, type } = operation;
  if (isHalf(type) && !EXACT.has(op)) roundHalf(f, operation.helpers, type);
  return true;
}

function written(operation: Operation): boolean {
  const { f, op, number, push } = operation;
  const run = (name: string): FunctionBuilder => f.op(`${number}.${name}` as Instruction);
  const same = SAME.get(op);
  if (same !== undefined) {
    direct(operation, ...same);
    return true;
  }
  switch (op) {
    case "max":
    case "min":
      extreme(operation, op);
      return true;
    case "fma":
      fused(operation);
      return true;
    case "sign":
      for (const name of ["gt", "lt"]) {
        push(0);
        pushFloat(f, number, 0);
        run(name);
      }
      f.op("i32.sub");
      run("convert_i32_s");
      return true;
    case "reciprocal":
      pushFloat(f, number, 1);
      push(0);
      run("div");
      return true;
    case "rsqrt":
      pushFloat(f, number, 1);
      push(0);
      run("sqrt");
      run("div");
      return true;
    case "trunc_div":
      direct(operation, 2, "div", "trunc");
      return true;
    case "isnan":
      direct({ ...operation, push: () => push(0) }, 2, "ne");
      return true;
    case "isinf":
      push(0);
      run("abs");
      pushFloat(f, number, Number.POSITIVE_INFINITY);
      run("eq");
      return true;
    default:
      return callFunction(operation);
  }
}

/** A product of float32 is exact in float64. */
function fused({ f, number, push }: Operation): void {
  const wide = (at: number): void => {
    push(at);
    if (number === "f32") f.op("f64.promote_f32");
  };
  for (const at of [0, 1]) wide(at);
  f.op("f64.mul");
  wide(2);
  f.op("f64.add");
  if (number === "f32") f.op("f32.demote_f64");
}

function callFunction({ f, op, number, push, helpers }: Operation): boolean {
  if (number === "f32" && MATH.has(op)) {
    push(0);
    if (BINARY_MATH.has(op)) push(1);
    f.call(helpers.helper(`float32_${op}`));
    return true;
  }
  const operands = hostOperands(op);
  if (operands === undefined) return false;
  for (let at = 0; at < operands; at++) {
    push(at);
    if (number === "f32") f.op("f64.promote_f32");
  }
  f.call(helpers.host(op));
  if (number === "f32") f.op("f32.demote_f64");
  return true;
}

/** Returns whether an element type is computed as floats. */
export const isFloatType = (type: ElementType): boolean =>
  type === "float32" || type === "float64" || isHalf(type);

/**
 * The first of equal ones, which zeros of both signs are; NaN when one is. Vectors have
 * instructions for it, where engines branch at a choice of two numbers.
 */
function extreme({ f, number, push }: Operation, op: "max" | "min"): void {
  const shape = number === "f64" ? "f64x2" : "f32x4";
  const splat = (at: number): void => {
    push(at);
    f.op(`${shape}.splat`);
  };
  for (const at of [1, 0, 1]) splat(at);
  f.op(`${shape}.p${op}`);
  for (const at of [1, 1]) splat(at);
  f.op(`${shape}.ne`, "v128.bitselect").lane(`${shape}.extract_lane`, 0);
}
