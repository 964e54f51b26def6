/** @file Scalar functions as gpu.js source. */
import { type CompareFn, isLogic, type KernelOp, type ScalarFn } from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import { type DType, dtypeInfo, isFloatDType } from "@sconce/tensor";
import { hasFunction, OWN_FLOAT } from "../wgsl/wgsl-functions.js";
import type { WgslModule } from "../wgsl/wgsl-text.js";
import { type Dialect, EXACT } from "./dialect.js";
import { SHADER_FUNCTIONS } from "./shader-functions.js";

/** What functions need of the printer. */
export interface Locals {
  readonly dialect: Dialect;
  /** Our own functions that the source calls. */
  readonly functions: WgslModule;
  /** Gives an expression a name, so that it is computed once. */
  readonly local: (expression: string) => string;
  /** A call of one of our own functions, where the dialect has them. */
  readonly own: (name: string, ...args: readonly string[]) => string;
}
type Write = (args: readonly string[], locals: Locals, dtype: DType) => string;

/**
 * The error function as a quotient of polynomials on [-4, 4], a few units off in the last place of
 * float32.
 */
const ERF_P = [
  -2.72614225801306e-10, 2.77068142495902e-8, -2.10102402082508e-6, -5.69250639462346e-5,
  -7.34990630326855e-4, -2.954599808540251e-3, -1.60960333262415e-2,
];
const ERF_Q = [
  -1.45660718464996e-5, -2.13374055278905e-4, -1.68282697438203e-3, -7.37332916720468e-3,
  -1.42647390514189e-2,
];
const horner = (coefficients: readonly number[], x: string): string =>
  coefficients
    .slice(1)
    .reduce((sum, c) => `(${sum} * ${x} + ${numberSource(c)})`, numberSource(coefficients[0]!));

/** Returns a number as source; signs in parentheses. */
function numberSource(value: number): string {
  if (value < 0 || Object.is(value, -0)) return `(-${numberSource(-value)})`;
  return String(value);
}

/**
 * Returns a number as a literal, or by its bits where there is no literal for it. The infinities of
 * integers are the greatest and the least that float32 counts.
 */
export function literalSource(value: number | bigint | boolean, dtype: DType, locals: Locals): string {
  if (!isFloatDType(dtype)) {
    const whole = Number(value);
    if (Math.abs(whole) === Number.POSITIVE_INFINITY) return numberSource(Math.sign(whole) * EXACT);
    if (!Number.isInteger(whole)) throw internalError(`${value} is not a whole number`);
    return numberSource(whole);
  }
  const number = Math.fround(Number(value));
  const needsBits = !Number.isFinite(number) || Object.is(number, -0);
  if (locals.dialect.hasOwnFunctions && needsBits) return locals.functions.float(number);
  return Number.isNaN(number) ? "(Infinity - Infinity)" : numberSource(number);
}

const math =
  (name: string): Write =>
  ([x]) =>
    `Math.${name}(${x})`;
const infix =
  (operator: string): Write =>
  ([a, b]) =>
    `(${a} ${operator} ${b})`;

function erf([x]: readonly string[], { local }: Locals): string {
  const near = local(`${x} > 4 ? 4 : (${x} < -4 ? -4 : ${x})`);
  const square = local(`${near} * ${near}`);
  // The quotient first: of the product small numbers lose digits.
  return `(${near} * (${horner(ERF_P, square)} / ${horner(ERF_Q, square)}))`;
}
/** Half to even; a zero keeps the sign of what was rounded. */
function round([x]: readonly string[], { local }: Locals): string {
  const low = local(`Math.floor(${x})`);
  const rest = local(`${x} - ${low}`);
  const half = local(`${low} * 0.5`);
  const even = `(Math.floor(${half}) == ${half} ? ${low} : ${low} + 1)`;
  const whole = local(`${rest} < 0.5 ? ${low} : (${rest} > 0.5 ? ${low} + 1 : ${even})`);
  return `(${whole} == 0 ? ${x} * 0 : ${whole})`;
}
/**
 * Returns a power. A base of 1, or of -1 to an infinite power, gives 1 in C and NaN in JavaScript.
 */
function power([a, b]: readonly string[], _locals: Locals, dtype: DType): string {
  if (!isFloatDType(dtype)) return `Math.pow(${a}, ${b})`;
  return `((${a} == 1 || (${a} == -1 && Math.abs(${b}) > 3.4028234663852886e38)) ? 1 : Math.pow(${a}, ${b}))`;
}
/**
 * Greatest or least; NaN when either is NaN, which shaders leave open, and the first of equal ones,
 * which zeros of both signs are.
 */
const extreme =
  (name: "max" | "min"): Write =>
  ([a, b], { dialect }) => {
    const sign = name === "max" ? ">" : "<";
    if (dialect.isStrict) return `(${b} ${sign} ${a} || ${b} != ${b} ? ${b} : ${a})`;
    return `(${a} ${sign}= ${b} ? ${a} : (${b} ${sign} ${a} ? ${b} : ${a} + ${b}))`;
  };

/**
 * Whole quotients of integers below 2^24: the rounded quotient is at most one off, which the
 * remainder shows.
 */
function floorQuotient([a, b]: readonly string[], { local }: Locals): string {
  const guess = local(`Math.floor(${a} / ${b})`);
  const rest = local(`${a} - ${guess} * ${b}`);
  const isBelow = `(${b} > 0 ? ${rest} < 0 : ${rest} > 0)`;
  const isAbove = `(${b} > 0 ? ${rest} >= ${b} : ${rest} <= ${b})`;
  return `(${guess} + (${isAbove} ? 1 : 0) - (${isBelow} ? 1 : 0))`;
}
const truncQuotient: Write = ([a, b], locals) => {
  const sizes = [a, b].map((x) => locals.local(`Math.abs(${x})`));
  const size = locals.local(floorQuotient(sizes, locals));
  return `((${a} < 0) == (${b} < 0) ? ${size} : 0 - ${size})`;
};
const restOf =
  (quotient: Write): Write =>
  ([a, b], locals, dtype) =>
    `(${a} - ${locals.local(quotient([a!, b!], locals, dtype))} * ${b})`;

const FLOAT: Partial<Record<ScalarFn, Write>> = {
  add: infix("+"),
  sub: infix("-"),
  mul: infix("*"),
  div: infix("/"),
  fma: ([a, b, c]) => `(${a} * ${b} + ${c})`,
  neg: ([x]) => `(-${x})`,
  abs: math("abs"),
  sign: ([x]) => `(${x} > 0 ? 1 : (${x} < 0 ? -1 : 0))`,
  floor: math("floor"),
  ceil: math("ceil"),
  trunc: math("trunc"),
  round,
  reciprocal: ([x]) => `(1 / ${x})`,
  sqrt: math("sqrt"),
  rsqrt: ([x]) => `(1 / Math.sqrt(${x}))`,
  exp: math("exp"),
  exp2: ([x]) => `Math.pow(2, ${x})`,
  expm1: math("expm1"),
  log: math("log"),
  log2: math("log2"),
  log10: math("log10"),
  log1p: math("log1p"),
  sin: math("sin"),
  cos: math("cos"),
  tan: math("tan"),
  asin: math("asin"),
  acos: math("acos"),
  atan: math("atan"),
  sinh: math("sinh"),
  cosh: math("cosh"),
  tanh: math("tanh"),
  asinh: math("asinh"),
  acosh: math("acosh"),
  atanh: math("atanh"),
  erf,
  // The divisor overflows as a float32 does.
  sigmoid: ([x], { dialect }) =>
    dialect.isDouble ? `(1 / Math.fround(1 + Math.exp(-${x})))` : `(1 / (1 + Math.exp(-${x})))`,
  max: extreme("max"),
  min: extreme("min"),
  pow: power,
  atan2: ([a, b]) => `Math.atan2(${a}, ${b})`,
  // The quotient is a float32 before it is cut.
  trunc_div: ([a, b], { local, dialect }) =>
    `Math.trunc(${local(dialect.isDouble ? `Math.fround(${a} / ${b})` : `${a} / ${b}`)})`,
};
/** Integers on float lanes: exact as long as every result is, which the range analysis sees to. */
const INTEGER: Partial<Record<ScalarFn, Write>> = {
  add: infix("+"),
  sub: infix("-"),
  mul: infix("*"),
  neg: ([x]) => `(0 - ${x})`,
  abs: math("abs"),
  sign: FLOAT.sign!,
  max: extreme("max"),
  min: extreme("min"),
  pow: power,
  floor_div: floorQuotient,
  remainder: restOf(floorQuotient),
  trunc_div: truncQuotient,
  fmod: restOf(truncQuotient),
  bitwise_and: ([a, b]) => `((${a} | 0) & (${b} | 0))`,
  bitwise_or: ([a, b]) => `((${a} | 0) | (${b} | 0))`,
  bitwise_xor: ([a, b]) => `((${a} | 0) ^ (${b} | 0))`,
  shift_left: ([a, b]) => `((${a} | 0) << (${b} | 0))`,
  shift_right: ([a, b]) => `((${a} | 0) >> (${b} | 0))`,
  bitwise_not: ([x]) => `(0 - ${x} - 1)`,
};
/** Functions that read an operand more than once, which therefore has to be a name. */
const REPEATS: ReadonlySet<ScalarFn> = new Set([
  "erf",
  ...(Object.keys(SHADER_FUNCTIONS) as ScalarFn[]),
  "sign",
  "round",
  "pow",
  "max",
  "min",
  "floor_div",
  "remainder",
  "trunc_div",
  "fmod",
]);
export const readsTwice = (fn: ScalarFn): boolean => REPEATS.has(fn);

const BITWISE: ReadonlySet<ScalarFn> = new Set(["bitwise_and", "bitwise_or", "bitwise_xor"]);

/** Functions of floats that the shading language has itself, to the last bit. */
const NATIVE: ReadonlySet<ScalarFn> = new Set([
  ...(["add", "sub", "mul", "fma", "neg", "abs", "sign", "floor", "ceil", "trunc"] as const),
]);
function ownSource(fn: ScalarFn, args: readonly string[], { local, own }: Locals): string {
  const names = args.map(local);
  return fn === "reciprocal" ? own("f_div", "1", ...names) : own(OWN_FLOAT[fn] ?? `f_${fn}`, ...names);
}
/** What shaders' own functions leave open for finite numbers, outside of their domain. */
const LEFT_OPEN: ReadonlySet<ScalarFn> = new Set([
  ...(["pow", "log", "log2", "log10", "log1p", "asinh", "acosh", "atanh", "asin", "acos"] as const),
]);

/**
 * Returns the source of a call that gives a number, or undefined if this mode cannot compute it
 * exactly.
 */
export function callSource(
  fn: ScalarFn,
  args: readonly string[],
  dtype: DType,
  locals: Locals,
): string | undefined {
  const { isDouble } = locals.dialect;
  if (!isFloatDType(dtype)) {
    const text = INTEGER[fn]?.(args, locals, dtype);
    return text === undefined ? undefined : wrapped(text, dtype, locals);
  }
  if (locals.dialect.hasOwnFunctions && !NATIVE.has(fn)) return ownSource(fn, args, locals);
  // JavaScript's remainder of doubles is exact; float32 arithmetic has none.
  if (fn === "fmod" && isDouble) return `(${args[0]} % ${args[1]})`;
  const shader = locals.dialect.isStrict ? undefined : SHADER_FUNCTIONS[fn];
  return shader?.(args[0]!, locals.local) ?? FLOAT[fn]?.(args, locals, dtype);
}

const OPERATORS: Readonly<Record<CompareFn, string>> = {
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};

/** Returns the source of a test of numbers; undefined for functions that give numbers. */
export function testSource(op: KernelOp, [a, b]: readonly string[], locals: Locals): string | undefined {
  const { local, own, dialect } = locals;
  switch (op) {
    case "xor":
      return `(${local(a!)} != ${local(b!)})`;
    case "isnan": {
      const x = local(a!);
      // Neither half is a comparison that compilers take for granted.
      return dialect.hasOwnFunctions ? own("f_isnan", x) : `(!(${x} >= 0 || ${x} < 0))`;
    }
    case "isinf":
      return dialect.hasOwnFunctions ? own("f_isinf", local(a!)) : `(Math.abs(${a}) > 3.4028234663852886e38)`;
    case "ne":
      // In shaders, NaN may compare as not unequal to itself.
      return dialect.hasOwnFunctions ? `(!(${a} == ${b}))` : `(${a} != ${b})`;
    default:
      return isLogic(op) ? `(${a} ${OPERATORS[op as CompareFn]} ${b})` : undefined;
  }
}
/** Returns whether this mode has the function for operands of this dtype. */
export function canSay(
  fn: ScalarFn,
  dtype: DType,
  { isDouble, isStrict, hasBits, hasOwnFunctions }: Dialect,
): boolean {
  if (!hasBits && (fn.startsWith("shift_") || (BITWISE.has(fn) && dtypeInfo(dtype).signed))) return false;
  // Powers of shaders are exponentials of logarithms.
  if (!isFloatDType(dtype)) return Object.hasOwn(INTEGER, fn) && (fn !== "pow" || isStrict);
  if (hasOwnFunctions) return hasFunction(fn, "f32");
  if (!isStrict && LEFT_OPEN.has(fn)) return false;
  return Object.hasOwn(FLOAT, fn) || (fn === "fmod" && isDouble);
}

/** Returns an integer in another integer's dtype. */
export const narrowed = (text: string, from: DType, to: DType, locals: Locals): string =>
  dtypeInfo(from).itemSize > dtypeInfo(to).itemSize || dtypeInfo(from).signed !== dtypeInfo(to).signed
    ? wrapped(text, to, locals)
    : text;

/** Eight and sixteen bits wrap as PyTorch's do; wider ones must not reach their limits at all. */
function wrapped(text: string, dtype: DType, { local }: Locals): string {
  const { itemSize, signed } = dtypeInfo(dtype);
  if (itemSize > 2 || dtype === "bool") return text;
  const size = 2 ** (itemSize * 8);
  const low = signed ? size / 2 : 0;
  const value = local(text);
  return `(${value} - Math.floor((${value} + ${low}) / ${size}) * ${size})`;
}
