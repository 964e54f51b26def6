/**
 * @file Arithmetic and comparisons of sizes, static or dynamic. Numbers are computed at once, as
 * Python computes them; dynamic values give expressions, which the trace records.
 */
import { type Argument, type FloatLiteral, float, kindOf, type ScalarLiteral } from "@sconce/ir";
import { evaluateScalarFunction, runScalarFunction } from "@sconce/ops";
import { type IntLike, SymExpr } from "@sconce/symbolic";
import { isSpecValue, specRange } from "../spec/int-var.js";
import { currentTrace } from "../trace/dispatch.js";
import { scalarValue } from "../trace/scalar-values.js";
import { isSym, type Size, type Sym, SymBool, SymFloat, SymInt } from "../trace/sym-int.js";
import { noTrace, wrongCondition } from "./errors.js";

/** A number, static or dynamic; `float(2)` is the Python float 2.0. */
export type SymNumber = number | bigint | FloatLiteral | SymInt | SymFloat;
/** A condition, static or dynamic. */
export type Condition = boolean | SymBool;
type Operand = SymNumber | Condition;

const CLASSES = { SymInt, SymFloat, SymBool };

/** Computes a function of Python's scalars, and records it where the result is dynamic. */
function apply(target: string, args: readonly Operand[]): unknown {
  if (!args.some(isSym)) {
    const result = runScalarFunction(target, args as readonly ScalarLiteral[]);
    return typeof result === "bigint" && Number.isSafeInteger(Number(result)) ? Number(result) : result;
  }
  // `n * 1` is `n` itself (`__sym_dispatch__`).
  if (target === "operator.mul" && args.includes(1)) return args.find(isSym);
  // Expressions of a specification are not part of the program that is traced.
  const isSpec = args.some((arg) => isSym(arg) && isSpecValue(arg));
  const trace = isSpec ? undefined : currentTrace();
  const operands = args.map((arg) => (isSym(arg) ? scalarValue(arg) : (arg as Argument)));
  const traced = trace && ((value: IntLike) => ({ min: Number(trace.env.range(value).min) }));
  const { kind, expr } = evaluateScalarFunction(target, operands, isSpec ? specRange : traced);
  if (!(expr instanceof SymExpr)) return expr;
  // Results are separate objects, also where they are equal to an operand.
  const isOperand = args.some((arg) => isSym(arg) && arg.expr === expr);
  const value = new CLASSES[kind](isOperand ? expr.distinct() : expr);
  trace?.arithmetic(target, args as readonly (Sym | Argument)[], value);
  return value;
}

const isFloat = (value: Operand): boolean =>
  value instanceof SymFloat ||
  kindOf(value) === "float" ||
  (typeof value === "number" && !Number.isInteger(value));

/** Python's floats: where one operand is a float, the other becomes one first (`promote2`). */
function promoted(args: readonly Operand[]): readonly Operand[] {
  if (!args.some(isFloat) || !args.some(isSym)) return args;
  return args.map((arg) => {
    if (arg instanceof SymInt) return apply("torch.sym_float", [arg]) as SymFloat;
    return typeof arg === "number" || typeof arg === "bigint" ? float(Number(arg)) : arg;
  });
}

/** Computes a function of Python's scalars as Python's syntax does, which promotes operands. */
export const applyPythonOperator = (target: string, args: readonly Operand[]): unknown =>
  apply(target, target.startsWith("operator.") && args.length === 2 ? promoted(args) : args);

/** `a // b` of floats is the floor of their quotient, as a float. */
function floorDivide(a: SymNumber, b: SymNumber): unknown {
  const [x, y] = promoted([a, b]) as [SymNumber, SymNumber];
  if (x === a && y === b && !(isFloat(a) && isSym(a))) return apply("operator.floordiv", [a, b]);
  const quotient = apply("operator.truediv", [x, y]) as SymFloat;
  return apply("torch.sym_float", [apply("math.floor", [quotient]) as SymInt]);
}

type Integers = <A extends SymNumber, B extends SymNumber>(a: A, b: B) => Joined<A | B>;
/** Arithmetic of integers gives integers; a dynamic operand makes the result dynamic. */
type Joined<T> = [T] extends [number] ? number : [T] extends [Size] ? Size : SymNumber;

const binary =
  (target: string): Integers =>
  (a, b) =>
    apply(target, promoted([a, b])) as never;
/** Python compares `3 < s` as `s > 3`. */
const REFLECTED: Readonly<Record<string, string>> = {
  "operator.lt": "operator.gt",
  "operator.le": "operator.ge",
  "operator.gt": "operator.lt",
  "operator.ge": "operator.le",
};
const compare =
  (target: string) =>
  (a: Operand, b: Operand): Condition => {
    const [x, y] = promoted([a, b]) as [Operand, Operand];
    return (
      isSym(y) && !isSym(x) ? apply(REFLECTED[target] ?? target, [y, x]) : apply(target, [x, y])
    ) as Condition;
  };
const rounding =
  (target: string) =>
  (a: SymNumber): Size =>
    apply(target, [a]) as Size;
const real =
  (target: string) =>
  (...args: readonly SymNumber[]): number | FloatLiteral | SymFloat =>
    apply(target, args) as number;

const logical =
  (target: string) =>
  (...conditions: readonly Condition[]): Condition =>
    conditions.reduce((a, b) => apply(target, [a, b]) as Condition);

/** Any number of values, of one type or of two. */
type Extremum = Integers & (<T extends SymNumber>(...values: readonly T[]) => Joined<T>);

const extremum = (target: string): Extremum =>
  ((...values: readonly SymNumber[]) =>
    values.reduce((a, b) => {
      // A dynamic value comes before a number, as Python asks it (`torch.sym_max`).
      const [x, y] = isSym(b) && !isSym(a) ? [b, a] : [a, b];
      return apply(target, promoted([x, y])) as SymNumber;
    })) as Extremum;

/**
 * Functions of sizes and other scalars, for numbers and dynamic values alike. `/`, `//`, `%` and
 * `**` have Python's meaning; integers stay integers.
 */
export const sym = {
  /**
   * Whether a size is static, a number. It needs no trace and asks no guard: `sym.isStatic(n) ? n
   * + 1 : sym.add(n, 1)`.
   */
  isStatic: (size: Size): size is number => typeof size === "number",
  /** `a + b` */
  add: binary("operator.add"),
  /** `a - b` */
  sub: binary("operator.sub"),
  /** `a * b` */
  mul: binary("operator.mul"),
  /** `a // b`, rounded down. */
  floorDiv: ((a, b) => floorDivide(a, b)) as Integers,
  /** `a % b`, with the sign of `b`. */
  mod: binary("operator.mod"),
  /** `a ** b` */
  pow: binary("operator.pow"),
  /** `a / b`, a float. */
  trueDiv: (a: SymNumber, b: SymNumber) =>
    apply("operator.truediv", promoted([a, b])) as number | FloatLiteral | SymFloat,
  /** `-a` */
  neg: <T extends SymNumber>(a: T): Joined<T> => apply("operator.neg", [a]) as never,
  /** `abs(a)` */
  abs: <T extends SymNumber>(a: T): Joined<T> => apply("operator.abs", [a]) as never,
  /** The largest value (`torch.sym_max`). */
  max: extremum("torch.sym_max"),
  /** The smallest value (`torch.sym_min`). */
  min: extremum("torch.sym_min"),
  /** The sum of a list (`torch.sym_sum`). */
  sum: (values: readonly Size[]): Size =>
    values.length === 0 ? 0 : (values.reduce((a, b) => apply("operator.add", [a, b]) as Size) as Size),
  /** `a == b` */
  eq: compare("operator.eq"),
  /** `a != b` */
  ne: compare("operator.ne"),
  /** `a < b` */
  lt: compare("operator.lt"),
  /** `a <= b` */
  le: compare("operator.le"),
  /** `a > b` */
  gt: compare("operator.gt"),
  /** `a >= b` */
  ge: compare("operator.ge"),
  /** Whether all conditions hold. */
  and: logical("operator.and_"),
  /** Whether one of the conditions holds. */
  or: logical("operator.or_"),
  /** Whether a condition does not hold (`torch.sym_not`). */
  not: (condition: Condition): Condition => apply("torch.sym_not", [condition]) as Condition,
  /** One of two values (`torch.sym_ite`). */
  ite: <T extends Operand>(condition: Condition, whenTrue: T, whenFalse: T): T =>
    apply("torch.sym_ite", [condition, whenTrue, whenFalse]) as T,
  /** The integer part (`torch.sym_int`, which Python computes by `math.trunc`). */
  int: rounding("math.trunc"),
  /** The value as a float (`torch.sym_float`). */
  float: (a: SymNumber) => real("torch.sym_float")(a),
  /** `math.ceil(a)` */
  ceil: rounding("math.ceil"),
  /** `math.floor(a)` */
  floor: rounding("math.floor"),
  /** `math.trunc(a)` */
  trunc: rounding("math.trunc"),
  /** `round(a)`: halves go to the even neighbor. */
  round: rounding("builtins.round"),
  /** `math.sqrt(a)` */
  sqrt: (a: SymNumber) =>
    real("torch._sym_sqrt")(a instanceof SymInt ? (apply("torch.sym_float", [a]) as SymFloat) : a),
} as const;

/**
 * Decides a condition for the program that is traced: what holds for the example inputs is
 * required of all inputs.
 *
 * @throws SconceError for a condition on values that only the data decide, and `NO_TRACE` for a
 * dynamic condition when no trace runs
 */
export function guard(condition: Condition): boolean {
  if (typeof condition === "boolean") return condition;
  if (!(condition instanceof SymBool)) throw wrongCondition("guard", condition);
  const trace = currentTrace();
  if (trace === undefined) throw noTrace(condition.toString());
  trace.decided?.(condition);
  return trace.env.guard(condition.expr);
}

/** Returns the number that a size has, by a guard where it is dynamic. */
export function guardInt(size: Size): number {
  if (typeof size === "number") return size;
  const trace = currentTrace();
  if (trace === undefined) throw noTrace(size.toString());
  return trace.env.guardInt(size.expr);
}
