import { isCondition, type SymExpr } from "../expr/expr.js";
import { addRanges, mulRanges, powRange, type ValueRange } from "../expr/interval.js";
import { step } from "../expr/meter.js";
import { approximate, bigOf, isInteger, isNegative, isNumber } from "../expr/number.js";
import { splitCoefficient } from "../expr/order.js";
import { sum } from "./polynomial.js";

/**
 * What an expression is for every value of its symbols, from the symbols' assumptions alone (no
 * ranges, no guards).
 */
export interface Facts {
  /** `false` only for what is surely no integer. */
  readonly integer: boolean | undefined;
  readonly real: boolean;
  readonly min: number;
  readonly max: number;
  /** Surely not zero, also where `min` is 0. */
  readonly nonzero: boolean;
  readonly even: boolean | undefined;
}

const cache = new WeakMap<SymExpr, Facts>();

export function factsOf(e: SymExpr): Facts {
  const known = cache.get(e);
  if (known !== undefined) return known;
  step(1 + e.args.length);
  const facts = compute(e);
  cache.set(e, facts);
  return facts;
}

export const isPositive = (e: SymExpr): boolean => {
  const { min, nonzero } = factsOf(e);
  return min > 0 || (min === 0 && nonzero);
};
export const isNonnegative = (e: SymExpr): boolean => factsOf(e).min >= 0;
export const isNegativeExpr = (e: SymExpr): boolean => {
  const { max, nonzero } = factsOf(e);
  return max < 0 || (max === 0 && nonzero);
};
export const isNonpositive = (e: SymExpr): boolean => factsOf(e).max <= 0;
export const isIntegral = (e: SymExpr): boolean => factsOf(e).integer === true;

const ANY: Facts = {
  integer: undefined,
  real: true,
  min: -Infinity,
  max: Infinity,
  nonzero: false,
  even: undefined,
};
const INTEGER: Facts = { ...ANY, integer: true };
const NATURAL: Facts = { ...INTEGER, min: 0 };
const NOT_REAL: Facts = { ...ANY, real: false };

function numberFacts(e: SymExpr): Facts {
  const value = approximate(e);
  const known = { min: value, max: value, nonzero: value !== 0 };
  if (e.op === "Integer") return { ...INTEGER, ...known, even: bigOf(e) % 2n === 0n };
  return { ...ANY, ...known, integer: e.op === "Rational" ? false : undefined };
}

function compute(e: SymExpr): Facts {
  switch (e.op) {
    case "Integer":
    case "Rational":
    case "Float":
      return numberFacts(e);
    case "Symbol":
      return symbolFacts(e);
    case "Add":
      return sumFacts(e);
    case "Mul":
      return productFacts(e);
    case "Pow":
      return powerFacts(e);
    case "Max":
    case "Min":
      return extremumFacts(e);
    case "FloorDiv":
    case "CleanDiv":
      return e.args.every((arg) => isNonnegative(arg) && isIntegral(arg)) ? NATURAL : INTEGER;
    case "Mod":
      return NATURAL;
    case "PythonMod":
      return isPositive(e.args[1]!) ? NATURAL : isNegativeExpr(e.args[1]!) ? { ...INTEGER, max: 0 } : INTEGER;
    case "Abs":
      return { ...factsOf(e.args[0]!), min: 0, max: Infinity };
    case "Identity":
      return { ...ANY, integer: factsOf(e.args[0]!).integer };
    case "Where":
      return joinFacts(e.args.slice(1).map(factsOf));
    case "Piecewise":
      return joinFacts(e.args.map((pair) => factsOf(pair.args[0]!)));
    case "ModularIndexing":
      return isNonnegative(e.args[0]!) && isNonnegative(e.args[1]!) ? NATURAL : INTEGER;
    case "PowByNatural":
    case "CeilToInt":
    case "FloorToInt":
    case "TruncToInt":
    case "RoundToInt":
    case "IsNonOverlappingAndDenseIndicator":
      return INTEGER;
    case "ToFloat":
    case "IntTrueDiv":
    case "FloatTrueDiv":
    case "FloatPow":
    case "TruncToFloat":
    case "RoundDecimal":
      return ANY;
    default:
      return NOT_REAL;
  }
}

function symbolFacts(e: SymExpr): Facts {
  const has = (name: string): boolean => e.assumptions.some(([key, value]) => key === name && value);
  if (e.assumptions.length === 0) return NOT_REAL;
  const integer = has("integer") ? true : undefined;
  const positive = has("positive");
  const negative = has("negative");
  return {
    integer,
    real: true,
    min: positive ? (integer === true ? 1 : 0) : has("nonnegative") ? 0 : -Infinity,
    max: negative ? (integer === true ? -1 : 0) : Infinity,
    nonzero: positive || negative || has("nonzero"),
    even: undefined,
  };
}

function sumFacts(e: SymExpr): Facts {
  const facts = e.args.map(factsOf);
  const integer = allInteger(facts);
  const { min, max } = sumRange(e, facts);
  const even = parityOfSum(facts);
  const strict =
    facts.some((f) => f.nonzero) && (facts.every((f) => f.min >= 0) || facts.every((f) => f.max <= 0));
  const nonzero = min > 0 || max < 0 || strict || even === false;
  return { integer, real: facts.every((f) => f.real), min, max, nonzero, even };
}

/**
 * Returns the range of a sum. Its constant counts against the others only where sympy's rules see
 * that: in univariate polynomials.
 */
function sumRange(e: SymExpr, facts: readonly Facts[]): ValueRange {
  const { min, max } = facts.map(rangeOfFacts).reduce(addRanges);
  const first = e.args[0]!;
  if (!isNumber(first) || e.args.length === 2 || isUnivariate(e)) return { min, max };
  const negative = isNegative(first);
  return { min: negative ? -Infinity : min, max: negative ? max : Infinity };
}

function isUnivariate(e: SymExpr): boolean {
  const symbols = new Set<string>();
  const visit = (part: SymExpr): boolean => {
    step();
    if (part.op === "Symbol") symbols.add(part.key);
    return (
      (isNumber(part) ||
        part.op === "Symbol" ||
        part.op === "Add" ||
        part.op === "Mul" ||
        part.op === "Pow") &&
      part.args.every(visit)
    );
  };
  return visit(e) && symbols.size === 1;
}

const rangeOfFacts = ({ min, max }: Facts): ValueRange => ({ min, max });
const allInteger = (facts: readonly Facts[]): boolean | undefined => {
  const others = facts.filter((f) => f.integer !== true);
  return others.length === 0 ? true : others.length === 1 ? others[0]!.integer : undefined;
};

function parityOfSum(facts: readonly Facts[]): boolean | undefined {
  let even = true;
  for (const f of facts) {
    if (f.even === undefined) return undefined;
    if (!f.even) even = !even;
  }
  return even;
}

function productFacts(e: SymExpr): Facts {
  const facts = e.args.map(factsOf);
  const { min, max } = facts.map(rangeOfFacts).reduce(mulRanges);
  const [coefficient, rest] = splitCoefficient(e);
  let integer: boolean | undefined = facts.every((f) => f.integer === true) ? true : undefined;
  if (coefficient.op === "Rational" && isIntegral(rest)) integer = divides(coefficient.den, rest);
  const even = integer === true && isInteger(coefficient) ? parityOfProduct(e.args, facts) : undefined;
  const nonzero = facts.every((f) => f.nonzero);
  const product = { integer, real: facts.every((f) => f.real), min, max, nonzero, even };
  return rest.op === "Symbol" || rest.op === "Pow" ? product : signOnly(product);
}

/** Returns whether parity proves that the product `e / den` is an integer. */
function divides(den: bigint, e: SymExpr): boolean | undefined {
  const { even } = factsOf(e);
  if (den === 2n && even !== undefined) return even;
  return undefined;
}

function parityOfProduct(factors: readonly SymExpr[], facts: readonly Facts[]): boolean | undefined {
  if (facts.some((f) => f.even === true)) return true;
  // Of two factors whose sum is odd, one is even: `s*(s + 3)`.
  const isOdd = (a: SymExpr, b: SymExpr): boolean => factsOf(sum([a, b])).even === false;
  if (factors.some((factor, i) => i > 0 && isOdd(factors[i - 1]!, factor))) return true;
  return facts.every((f) => f.even === false) ? false : undefined;
}

function powerFacts(e: SymExpr): Facts {
  const base = factsOf(e.args[0]!);
  const exponent = e.args[1]!;
  if (!isInteger(exponent))
    return { ...ANY, min: base.min >= 0 ? 0 : -Infinity, nonzero: isPositive(e.args[0]!) };
  const n = Number(exponent.value);
  if (n < 0) return { ...ANY, min: base.min >= 0 ? 0 : -Infinity, nonzero: true };
  const { min, max } = powRange(rangeOfFacts(base), n);
  return { ...base, integer: base.integer === true ? true : undefined, min, max };
}

function extremumFacts(e: SymExpr): Facts {
  const facts = e.args.map(factsOf);
  const pick = e.op === "Max" ? Math.max : Math.min;
  const joined = joinFacts(facts);
  const min = pick(...facts.map((f) => f.min));
  const max = pick(...facts.map((f) => f.max));
  return signOnly({ ...joined, min, max, nonzero: joined.nonzero || min > 0 || max < 0 });
}

/** Forgets all but the sign, as sympy does here, so that the same conditions fold. */
function signOnly(facts: Facts): Facts {
  const least = facts.integer !== true ? 0 : facts.even === true ? 2 : 1;
  const min = facts.min > 0 ? least : facts.min === 0 ? 0 : -Infinity;
  const max = facts.max < 0 ? -least : facts.max === 0 ? 0 : Infinity;
  return { ...facts, min, max, nonzero: facts.nonzero || facts.min > 0 || facts.max < 0 };
}

function joinFacts(facts: readonly Facts[]): Facts {
  return {
    integer: facts.every((f) => f.integer === true) ? true : undefined,
    real: facts.every((f) => f.real),
    min: Math.min(...facts.map((f) => f.min)),
    max: Math.max(...facts.map((f) => f.max)),
    nonzero: facts.every((f) => f.nonzero),
    even: facts.every((f) => f.even === true)
      ? true
      : facts.every((f) => f.even === false)
        ? false
        : undefined,
  };
}

/** Sums of floats and integers count as floats: what prints `2.0*ToFloat(s)`. */
export function isFloatValued(e: SymExpr): boolean {
  if (e.op === "Float") return true;
  if (isNumber(e) || isCondition(e)) return false;
  if (e.op === "Symbol")
    return !e.assumptions.some(([name, value]) => name === "integer" && value) && /^zu?f/.test(e.name);
  if (FLOAT_HEADS.has(e.op) || e.op.startsWith("OpaqueUnaryFn_")) return true;
  return (
    ARITHMETIC.has(e.op) &&
    e.args.some((arg) => isFloatValued(arg.op === "ExprCondPair" ? arg.args[0]! : arg))
  );
}

/** Returns what the value of an expression is; an infinity or NaN is a float. */
export function scalarKind(value: number | boolean | SymExpr): "int" | "float" | "bool" {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (isCondition(value)) return "bool";
  return value.op === "Rational" || isFloatValued(value) ? "float" : "int";
}

const FLOAT_HEADS: ReadonlySet<string> = new Set([
  "ToFloat",
  "IntTrueDiv",
  "FloatTrueDiv",
  "FloatPow",
  "TruncToFloat",
  "RoundDecimal",
]);
const ARITHMETIC: ReadonlySet<string> = new Set([
  "Add",
  "Mul",
  "Pow",
  "Max",
  "Min",
  "Abs",
  "Piecewise",
  "Where",
  "Identity",
]);
