import { checkOptions, type OptionNames } from "@sconce/errors";
import { badOperand, divisionByZero } from "../expr/errors.js";
import {
  type Assumption,
  type Assumptions,
  FALSE,
  printWith,
  SymExpr,
  type SymHead,
  TRUE,
} from "../expr/expr.js";
import { floating, integer, isNumber } from "../expr/number.js";
import { printNode } from "../print/print.js";
import { sreprNode } from "../print/srepr.js";
import { isFloatValued, isNonnegative } from "./assumptions.js";
import { construct, expandNode } from "./construct.js";
import { roundHalfEven } from "./float-op.js";
import { floatPower } from "./float-power.js";
import { product, sum } from "./polynomial.js";
import type { Relation } from "./relation.js";

printWith(printNode);

/**
 * An integer that may be symbolic (PyTorch's `IntLikeType`). Static values are plain numbers
 * always; beyond 2^53 they are expressions.
 */
export type IntLike = number | SymExpr;
/** A float that may be symbolic. */
export type FloatLike = number | SymExpr;
/** A condition that may be symbolic. */
export type BoolLike = boolean | SymExpr;
/** Any of the three. */
export type SymValue = number | boolean | SymExpr;

/**
 * What kind of symbol {@link symbol} makes. Sizes are positive integers, everything else says so.
 */
export interface SymbolOptions {
  /** Default true for integers that are not `unbacked`. */
  readonly positive?: boolean;
  /** Default true unless `float`. */
  readonly integer?: boolean;
  /** Known only at run time: an integer of any sign, or a float of which nothing is known. */
  readonly unbacked?: boolean;
  /** Whether the symbol represents a float. @defaultValue false */
  readonly float?: boolean;
}

const SYMBOL: OptionNames<SymbolOptions> = { positive: true, integer: true, unbacked: true, float: true };

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The assumptions of the usual symbols: one list each, so that they compare by identity. */
const SIZE: Assumptions = [
  ["positive", true],
  ["integer", true],
];
const UNBACKED: Assumptions = [["integer", true]];
const FLOAT: Assumptions = [["real", true]];
const UNBACKED_FLOAT: Assumptions = [];

/**
 * Returns a symbol; `symbol("s77")` is a size, `symbol("u0", { unbacked: true })` an unbacked
 * integer.
 */
export function symbol(name: string, options: SymbolOptions = {}): SymExpr {
  checkOptions("symbol", options, SYMBOL);
  const float = options.float ?? false;
  const unbacked = options.unbacked ?? false;
  if (options.positive === undefined && options.integer === undefined)
    return symbolWith(name, float ? (unbacked ? UNBACKED_FLOAT : FLOAT) : unbacked ? UNBACKED : SIZE);
  const assumptions: [Assumption, boolean][] = [];
  if (options.positive ?? !(float || unbacked)) assumptions.push(["positive", true]);
  if (options.integer ?? !float) assumptions.push(["integer", true]);
  if (float && !unbacked) assumptions.push(["real", true]);
  return symbolWith(name, assumptions);
}

/** Returns a symbol with assumptions in the order in which a file gives them. */
export function symbolWith(name: string, assumptions: Assumptions): SymExpr {
  if (!NAME.test(name) || name.length > 64)
    throw badOperand(`${JSON.stringify(name.slice(0, 80))} is not a symbol name`);
  return new SymExpr({ op: "Symbol", name, assumptions });
}

/**
 * Returns a variable of a `ShapesSpec`: `batch#0`. It has no assumptions, as in PyTorch, and its
 * name is none that a program can have.
 */
export const specSymbol = (name: string, id: number): SymExpr =>
  new SymExpr({ op: "Symbol", name: `${name}#${id}`, assumptions: [] });

/**
 * Returns the kind that PyTorch's naming gives a bare name: `s0` a size, `u0` an unbacked integer,
 * `zuf0` and `zf3` floats.
 */
export function symbolByName(name: string): SymExpr {
  const first = name.charCodeAt(0);
  if (first === 0x7a && /^zuf\d/.test(name)) return symbolWith(name, UNBACKED_FLOAT);
  if (first === 0x7a && /^zf\d/.test(name)) return symbolWith(name, FLOAT);
  return symbolWith(name, first === 0x75 && /^u\d/.test(name) ? UNBACKED : SIZE);
}

/** Returns a value as a node. An integral number is an integer, unless the context is of floats. */
export function lift(value: SymValue, float = false): SymExpr {
  if (typeof value === "number")
    return !float && Number.isSafeInteger(value) && !Object.is(value, -0)
      ? integer(value)
      : liftFloat(value, float);
  return typeof value === "boolean" ? (value ? TRUE : FALSE) : value;
}

function liftFloat(value: number, float: boolean): SymExpr {
  return !float && Number.isInteger(value) ? integer(BigInt(value)) : floating(value);
}

/** Returns a node as a value: constants become numbers and booleans again. */
export function lower(e: SymExpr): SymValue {
  if (e.op === "Float") return e.value as number;
  if (e.op === "Integer") return typeof e.value === "number" ? e.value : e;
  return e.op === "True" ? true : e.op === "False" ? false : e;
}

const lowerNumber = (e: SymExpr): number | SymExpr => lower(e) as number | SymExpr;
const lowerBool = (e: SymExpr): BoolLike => lower(e) as BoolLike;

/** Returns an integer of any size as a value. */
export const bigInteger = (value: bigint): IntLike => lowerNumber(integer(value));

const hasFloat = (values: readonly SymValue[]): boolean =>
  values.some((v) => v instanceof SymExpr && isFloatValued(v));

function apply(head: SymHead, ...values: readonly SymValue[]): IntLike {
  const float = hasFloat(values);
  const result = construct(
    head,
    values.map((value) => lift(value, float)),
  );
  // What simplifies to an operand, or to a part of one, is a new size still.
  const isKnown = !isNumber(result) && values.some((value) => isPart(result, value));
  return lowerNumber(isKnown ? result.distinct() : result);
}

/** Returns whether an expression is the object of another one, or of a part of it. */
const isPart = (e: SymExpr, whole: SymValue): boolean =>
  e === whole ||
  (whole instanceof SymExpr && whole.size > e.size && whole.args.some((arg) => isPart(e, arg)));

/** Returns a size as the result of arithmetic that does not change it: a separate object. */
const unchanged = (size: IntLike): IntLike => (typeof size === "number" ? size : size.distinct());

const applyFloat = (head: SymHead, ...values: readonly SymValue[]): FloatLike =>
  lowerNumber(
    construct(
      head,
      values.map((value) => lift(value, true)),
    ),
  );

const isSafe = Number.isSafeInteger;
/** Returns whether a folded result is exact in floats: not an integer, or one below 2^53. */
const isExact = (result: number): boolean => isSafe(result) || !Number.isInteger(result);

/** `a + b`, of integers or of floats. */
export function add(a: IntLike, b: IntLike): IntLike {
  if (typeof a === "number" && typeof b === "number") {
    const result = a + b;
    if (isExact(result)) return result;
  }
  if (a === 0) return unchanged(b);
  if (b === 0) return unchanged(a);
  return apply("Add", a, b);
}

/** `a - b`. */
export function sub(a: IntLike, b: IntLike): IntLike {
  if (typeof a === "number" && typeof b === "number") {
    const result = a - b;
    if (isExact(result)) return result;
  }
  return b === 0 ? unchanged(a) : add(a, neg(b));
}

/** `a * b`; a product of sums stays factored. */
export function mul(a: IntLike, b: IntLike): IntLike {
  if (typeof a === "number" && typeof b === "number") {
    const result = a * b;
    if (isExact(result)) return result === 0 ? 0 : result;
  }
  if (a === 1) return unchanged(b);
  if (b === 1) return unchanged(a);
  return apply("Mul", a, b);
}

/** Returns the negative of an integer or a float: `-zuf0`, whose factor is an integer. */
export const neg = (a: IntLike): IntLike =>
  typeof a === "number" ? (a === 0 ? 0 : -a) : lowerNumber(construct("Mul", [integer(-1), a]));

/** Returns the sum of all, collected once. */
export function addAll(values: readonly IntLike[]): IntLike {
  if (values.every((v) => typeof v === "number")) return values.reduce<IntLike>((a, b) => add(a, b), 0);
  const float = hasFloat(values);
  return lowerNumber(sum(values.map((value) => lift(value, float))));
}

/** Returns the product of all: the element count of a shape. */
export function mulAll(values: readonly IntLike[]): IntLike {
  let number: IntLike = 1;
  const symbolic: SymExpr[] = [];
  for (const value of values) {
    if (typeof value === "number") number = mul(number, value);
    else symbolic.push(value);
  }
  if (symbolic.length === 0) return number;
  const float = hasFloat(symbolic);
  return lowerNumber(product([lift(number, float), ...symbolic]));
}

/** Python's `a // b`. Throws SYM_DIVISION_BY_ZERO. */
export function floorDiv(a: IntLike, b: IntLike): IntLike {
  if (typeof a === "number" && typeof b === "number") {
    if (b === 0) throw divisionByZero(`${a} // ${b}`);
    // Exact below 2^53: the quotient is at least 1/b away from the next integer, rounding moves it
    // by less.
    if (isSafe(a) && isSafe(b)) return Math.floor(a / b) + 0;
  }
  return apply("FloorDiv", a, b);
}

/** Division that is known to be exact. */
export const cleanDiv = (a: IntLike, b: IntLike): IntLike =>
  typeof a === "number" && typeof b === "number" ? floorDiv(a, b) : apply("CleanDiv", a, b);

/** `ceil(a / b)` in integers. */
export const ceilDiv = (a: IntLike, b: IntLike): IntLike => floorDiv(sub(add(a, b), 1), b);

/** `a % b` of non-negative integers. Throws SYM_DIVISION_BY_ZERO. */
export function mod(a: IntLike, b: IntLike): IntLike {
  return typeof a === "number" && typeof b === "number" ? modNumbers(a, b) : apply("Mod", a, b);
}

/**
 * Python's `a % b`, of the divisor's sign: a {@link mod} when neither can be negative, as PyTorch
 * chooses.
 */
export function pythonMod(a: IntLike, b: IntLike): IntLike {
  if (typeof a === "number" && typeof b === "number") return modNumbers(a, b);
  return apply(isNonnegative(lift(a)) && isNonnegative(lift(b)) ? "Mod" : "PythonMod", a, b);
}

function modNumbers(a: number, b: number): number {
  if (b === 0) throw divisionByZero(`${a} % ${b}`);
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest === 0 ? 0 : rest;
}

/** `(a // b) % c` of non-negative integers. */
export const modularIndexing = (a: IntLike, b: IntLike, c: IntLike): IntLike =>
  apply("ModularIndexing", a, b, c);

/** `a ** b`: an integer to a natural power, or a float power when either is a float. */
export function pow(a: IntLike, b: IntLike): IntLike {
  if (typeof a === "number" && typeof b === "number") {
    const result = a ** b;
    if (isExact(result)) return result;
  }
  return hasFloat([a, b]) ? floatPow(a, b) : apply("PowByNatural", a, b);
}

/** Returns a float to the power of another. */
export const floatPow = (a: FloatLike, b: FloatLike): FloatLike =>
  typeof a === "number" && typeof b === "number" ? floatPower(a, b) : applyFloat("FloatPow", a, b);

/** Returns the greater of two integers. */
export const symMax = (a: IntLike, b: IntLike): IntLike =>
  typeof a === "number" && typeof b === "number" ? Math.max(a, b) : apply("Max", a, b);
/** Returns the lesser of two integers. */
export const symMin = (a: IntLike, b: IntLike): IntLike =>
  typeof a === "number" && typeof b === "number" ? Math.min(a, b) : apply("Min", a, b);
/** Returns the absolute value of an integer. */
export const symAbs = (a: IntLike): IntLike => (typeof a === "number" ? Math.abs(a) : apply("Abs", a));

/** True division of two integers: a float. */
export function intTrueDiv(a: IntLike, b: IntLike): FloatLike {
  if (b === 0) throw divisionByZero("true division");
  return typeof a === "number" && typeof b === "number" ? a / b : apply("IntTrueDiv", a, b);
}

/** True division of floats. */
export function floatTrueDiv(a: FloatLike, b: FloatLike): FloatLike {
  if (b === 0) throw divisionByZero("true division");
  return typeof a === "number" && typeof b === "number" ? a / b : applyFloat("FloatTrueDiv", a, b);
}

/**
 * Returns a float constant that stays one among expressions, where a plain integral number counts
 * as an integer.
 */
export const floatConstant = (value: number): SymExpr => lift(value, true);

/** Returns an integer as a float. */
export const toFloat = (a: IntLike): FloatLike =>
  typeof a === "number" ? a : lowerNumber(construct("ToFloat", [a]));

const rounding =
  (head: SymHead, fn: (x: number) => number) =>
  (a: FloatLike): IntLike =>
    typeof a === "number" && isSafe(fn(a)) ? fn(a) + 0 : applyFloat(head, a);

/** Returns the least integer that is not below a float. */
export const ceilToInt: (a: FloatLike) => IntLike = rounding("CeilToInt", Math.ceil);
/** Returns the greatest integer that is not above a float. */
export const floorToInt: (a: FloatLike) => IntLike = rounding("FloorToInt", Math.floor);
/** Returns a float rounded toward zero, as an integer. */
export const truncToInt: (a: FloatLike) => IntLike = rounding("TruncToInt", Math.trunc);
/** Halves to the even neighbor. */
export const roundToInt: (a: FloatLike) => IntLike = rounding("RoundToInt", roundHalfEven);
/** Returns a float rounded toward zero, as a float. */
export const truncToFloat = (a: FloatLike): FloatLike =>
  typeof a === "number" ? Math.trunc(a) : applyFloat("TruncToFloat", a);

/** `round(a, digits)`. */
export const roundDecimalTo = (a: FloatLike, digits: number): FloatLike =>
  lowerNumber(construct("RoundDecimal", [lift(a, true), lift(digits)]));

/** Returns a function of Python's `math` (`sqrt`, `exp`, ...), opaque to simplification. */
export const mathFunction = (name: string, a: FloatLike): FloatLike => applyFloat(`OpaqueUnaryFn_${name}`, a);
/** Returns the square root of a float. */
export const sqrt = (a: FloatLike): FloatLike =>
  typeof a === "number" ? Math.sqrt(a) : mathFunction("sqrt", a);

function compare(op: Relation, a: SymValue, b: SymValue): BoolLike {
  const float = hasFloat([a, b]);
  return lowerBool(construct(op, [lift(a, float), lift(b, float)]));
}

/** Returns whether two values are equal. */
export const eq = (a: SymValue, b: SymValue): BoolLike =>
  typeof a === "number" && typeof b === "number" ? a === b : compare("Equality", a, b);
/** Returns whether two values differ. */
export const ne = (a: SymValue, b: SymValue): BoolLike =>
  typeof a === "number" && typeof b === "number" ? a !== b : compare("Unequality", a, b);
/** Returns whether `a < b`. */
export const lt = (a: IntLike, b: IntLike): BoolLike =>
  typeof a === "number" && typeof b === "number" ? a < b : compare("StrictLessThan", a, b);
/** Returns whether `a <= b`. */
export const le = (a: IntLike, b: IntLike): BoolLike =>
  typeof a === "number" && typeof b === "number" ? a <= b : compare("LessThan", a, b);
/** Returns whether `a > b`. */
export const gt = (a: IntLike, b: IntLike): BoolLike =>
  typeof a === "number" && typeof b === "number" ? a > b : compare("StrictGreaterThan", a, b);
/** Returns whether `a >= b`. */
export const ge = (a: IntLike, b: IntLike): BoolLike =>
  typeof a === "number" && typeof b === "number" ? a >= b : compare("GreaterThan", a, b);

/** True when two sizes are equal for all values of their symbols: `2*s0` and `s0 + s0`. */
export const sameSize = (a: IntLike, b: IntLike): boolean => a === b || eq(a, b) === true;

/** {@link sameSize} of each of two lists of sizes, which have one length. */
export const sameSizes = (a: readonly IntLike[], b: readonly IntLike[]): boolean =>
  a.length === b.length && a.every((size, d) => sameSize(size, b[d]!));

/** Returns whether all conditions hold; true for none. */
export function and(...values: readonly BoolLike[]): BoolLike {
  if (values.every((v) => typeof v === "boolean")) return values.every(Boolean);
  return lowerBool(
    construct(
      "And",
      values.map((v) => lift(v)),
    ),
  );
}

/** Returns whether one of the conditions holds; false for none. */
export function or(...values: readonly BoolLike[]): BoolLike {
  if (values.every((v) => typeof v === "boolean")) return values.some(Boolean);
  return lowerBool(
    construct(
      "Or",
      values.map((v) => lift(v)),
    ),
  );
}

/** Returns whether a condition does not hold. */
export const not = (a: BoolLike): BoolLike =>
  typeof a === "boolean" ? !a : lowerBool(construct("Not", [a]));

/** `a` where `condition` holds, else `b` (`torch.sym_ite`). */
export function ite<T extends SymValue>(condition: BoolLike, a: T, b: T): T | SymExpr {
  if (typeof condition === "boolean") return condition ? a : b;
  const float = hasFloat([a, b]);
  const branch = (value: SymValue, when: SymExpr): SymExpr =>
    construct("ExprCondPair", [lift(value, float), when]);
  return lower(construct("Piecewise", [branch(a, condition), branch(b, TRUE)])) as T | SymExpr;
}

/** PyTorch's text of a value, byte for byte: `s17*s77 - s77 + 2`, `Eq(u0, 1)`, `True`. */
export function printExpr(value: SymValue): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" ? String(value) : printNode(value);
}

/** sympy's `srepr` text of a value, as `.pt2` files hold it. */
export const toSrepr = (value: SymValue): string => sreprNode(lift(value));

/** Structural equality of values. */
export const symEquals = (a: SymValue, b: SymValue): boolean =>
  a === b || (a instanceof SymExpr && b instanceof SymExpr && a.key === b.key);

/** Products and powers of sums multiplied out. */
export const expand = <T extends SymValue>(value: T): T | SymExpr =>
  value instanceof SymExpr ? (lower(expandNode(value)) as T | SymExpr) : value;

/** Returns the symbols of a value, by name. */
export function freeSymbols(value: SymValue): ReadonlyMap<string, SymExpr> {
  const found = new Map<string, SymExpr>();
  const visit = (e: SymExpr): void => {
    if (e.op === "Symbol") found.set(e.name, e);
    else e.args.forEach(visit);
  };
  if (value instanceof SymExpr) visit(value);
  return found;
}

/** True when nothing symbolic is left. */
export const isStatic = (value: SymValue): value is number | boolean => !(value instanceof SymExpr);
