/** @file Operations on integers, bools and places. Integers wrap as their dtype does. */
import type { ElementType } from "@sconce/codegen";
import type { FunctionBuilder, Instruction } from "@sconce/wasm";
import { bitsOf, isUnsigned, type NumberType } from "./core/types.js";
import { direct, type Operation } from "./operation.js";

const SAME: ReadonlyMap<string, string> = new Map([
  ["add", "add"],
  ["sub", "sub"],
  ["mul", "mul"],
  ["bitwise_and", "and"],
  ["bitwise_or", "or"],
  ["bitwise_xor", "xor"],
  ["and", "and"],
  ["or", "or"],
  ["xor", "xor"],
  ["eq", "eq"],
  ["ne", "ne"],
  ["udiv", "div_u"],
  ["urem", "rem_u"],
]);
const BOOL: ReadonlyMap<string, string> = new Map([
  ["add", "or"],
  ["mul", "and"],
  ["max", "or"],
  ["min", "and"],
]);
/** Results that may leave a narrow type. */
const GROWS: ReadonlySet<string> = new Set([
  ...["add", "sub", "mul", "neg", "abs", "bitwise_not", "shift_left", "floor_div", "trunc_div", "pow"],
]);

/** Keeps the low bits that a narrow integer on the stack has. */
export function wrapInteger(f: FunctionBuilder, type: ElementType): void {
  const bits = bitsOf(type);
  if (bits >= 32) return;
  if (isUnsigned(type)) f.i32(2 ** bits - 1).op("i32.and");
  else f.op(bits === 8 ? "i32.extend8_s" : "i32.extend16_s");
}

/** Writes an operation on integers; false where there is none. */
export function integerOperation(operation: Operation): boolean {
  const { f, op, type, out } = operation;
  const same = (type === "bool" ? BOOL.get(op) : undefined) ?? SAME.get(op);
  if (same !== undefined) direct(operation, 2, same);
  else {
    const write = WRITERS.get(op);
    if (write === undefined) return false;
    write(operation, isUnsigned(type) ? "u" : "s");
  }
  if (GROWS.has(op) && type !== "bool" && out !== "bool") wrapInteger(f, type);
  return true;
}

type Sign = "s" | "u";
type Writer = (operation: Operation, sign: Sign) => void;
const run = ({ f, number }: Operation, name: string): FunctionBuilder =>
  f.op(`${number}.${name}` as Instruction);
const same: Writer = ({ push }) => push(0);
const never: Writer = ({ f }) => void f.i32(0);
const compare: Writer = (operation, sign) => direct(operation, 2, `${operation.op}_${sign}`);
const extreme: Writer = (operation, sign) => {
  for (const at of [0, 1]) operation.push(at);
  direct(operation, 2, `${operation.op === "max" ? "gt" : "lt"}_${sign}`);
  operation.f.op("select");
};
const negative: Writer = (operation) => {
  pushNumber(operation.f, operation.number, 0);
  operation.push(0);
  run(operation, "sub");
};
const WRITERS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ...["lt", "le", "gt", "ge"].map((op) => [op, compare] as const),
  ...["floor", "ceil", "round", "trunc"].map((op) => [op, same] as const),
  ...["isnan", "isinf"].map((op) => [op, never] as const),
  ...["max", "min"].map((op) => [op, extreme] as const),
  ...["shift_left", "shift_right"].map((op) => [op, shift] as const),
  ...["floor_div", "trunc_div", "remainder", "fmod"].map((op) => [op, division] as const),
  ["sign", signOf],
  ["neg", negative],
  ["not", logicalNot],
  [
    "bitwise_not",
    (operation) => {
      if (operation.type === "bool") return logicalNot(operation);
      operation.push(0);
      pushNumber(operation.f, operation.number, -1);
      run(operation, "xor");
    },
  ],
  [
    "abs",
    (operation, sign) => {
      if (sign === "u") return operation.push(0);
      negative(operation, sign);
      for (let copy = 0; copy < 2; copy++) operation.push(0);
      pushNumber(operation.f, operation.number, 0);
      run(operation, "lt_s").op("select");
    },
  ],
  [
    "pow",
    ({ f, number, push, helpers }, sign) => {
      for (const at of [0, 1]) push(at);
      f.call(helpers.helper(`pow_${number}_${sign}`));
    },
  ],
]);
function logicalNot({ f, push }: Operation): void {
  push(0);
  f.op("i32.eqz");
}

/** Puts a known integer on the stack. */
export function pushNumber(f: FunctionBuilder, number: NumberType, value: number): void {
  if (number === "i64") f.i64(BigInt(value));
  else f.i32(value);
}

function signOf({ f, number, push }: Operation, sign: Sign): void {
  const test = (name: string): unknown => {
    push(0);
    pushNumber(f, number, 0);
    return f.op(`${number}.${name}_${sign}` as Instruction);
  };
  test("gt");
  test("lt");
  f.op("i32.sub");
  if (number === "i64") f.op("i64.extend_i32_s");
}

/** Shifts by more bits than there are give zero, or the sign. */
function shift(operation: Operation, sign: Sign): void {
  const { f, op, number, push } = operation;
  const bits = number === "i64" ? 64 : 32;
  const isFar = (): unknown => {
    push(1);
    pushNumber(f, number, bits);
    return f.op(`${number}.ge_u` as Instruction);
  };
  if (op === "shift_right" && sign === "s") {
    push(0);
    pushNumber(f, number, bits - 1);
    push(1);
    isFar();
    f.op("select");
    run(operation, "shr_s");
    return;
  }
  pushNumber(f, number, 0);
  push(0);
  push(1);
  run(operation, op === "shift_left" ? "shl" : "shr_u");
  isFar();
  f.op("select");
}

/** Division by zero traps, as PyTorch reports an error. */
function division(operation: Operation, sign: Sign): void {
  const { f, op, number, push, helpers } = operation;
  if (sign === "u") {
    direct(operation, 2, op === "floor_div" || op === "trunc_div" ? "div_u" : "rem_u");
    return;
  }
  push(0);
  push(1);
  if (op === "fmod") f.op(`${number}.rem_s` as Instruction);
  else f.call(helpers.helper(`${op}_${number}`));
}
