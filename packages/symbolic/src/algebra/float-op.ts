import { badOperand, divisionByZero } from "../expr/errors.js";
import { node, type SymExpr, type SymHead } from "../expr/expr.js";
import {
  approximate,
  floating,
  integer,
  isInteger,
  isNumber,
  isZero,
  powerOfInteger,
} from "../expr/number.js";
import { factsOf, isNonnegative, isNonpositive } from "./assumptions.js";
import { floatPower } from "./float-power.js";
import { negate, power, prefersNegation, product } from "./polynomial.js";

/** Python's `round`: halves go to the even neighbor. */
export function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Python's `round(x, digits)`: halves of the exact binary value go to the even digit. */
export function roundDecimal(x: number, digits: number): number {
  if (!Number.isFinite(x) || digits > 100) return x;
  const scaled = x * 10 ** digits;
  // A tie has to be exact in binary, so that multiplying by 2 ** (digits + 1) leaves an integer.
  const isTie = Math.abs(scaled % 1) === 0.5 && (x * 2 ** (digits + 1)) % 1 === 0;
  if (digits < 0 || isTie) return roundHalfEven(scaled) / 10 ** digits;
  return Number(x.toFixed(digits));
}

const toInteger = (x: number): SymExpr => {
  if (!Number.isFinite(x)) throw badOperand(`cannot convert float ${x} to integer`);
  return integer(BigInt(x));
};

/** How each one-argument head folds a constant. */
const UNARY: Partial<Record<SymHead, (x: number) => SymExpr>> = {
  CeilToInt: (x) => toInteger(Math.ceil(x)),
  FloorToInt: (x) => toInteger(Math.floor(x)),
  TruncToInt: (x) => toInteger(Math.trunc(x)),
  RoundToInt: (x) => toInteger(roundHalfEven(x)),
  TruncToFloat: (x) => floating(Math.trunc(x)),
};

/** Returns a rounding head over a float. */
export function roundingNode(
  head: "CeilToInt" | "FloorToInt" | "TruncToInt" | "RoundToInt" | "TruncToFloat",
  e: SymExpr,
): SymExpr {
  return isNumber(e) ? UNARY[head]!(approximate(e)) : node(head, [e]);
}

export function toFloatNode(e: SymExpr): SymExpr {
  return isInteger(e) ? floating(approximate(e)) : node("ToFloat", [e]);
}

/** True division of integers or of floats: always a float. */
export function trueDivNode(head: "IntTrueDiv" | "FloatTrueDiv", a: SymExpr, b: SymExpr): SymExpr {
  if (isZero(b)) throw divisionByZero("/");
  const folds = head === "IntTrueDiv" ? isInteger(a) && isInteger(b) : isNumber(a) && isNumber(b);
  return folds ? floating(approximate(a) / approximate(b)) : node(head, [a, b]);
}

export function floatPowNode(a: SymExpr, b: SymExpr): SymExpr {
  return isNumber(a) && isNumber(b)
    ? floating(floatPower(approximate(a), approximate(b)))
    : node("FloatPow", [a, b]);
}

/** Returns an integer to a natural power. */
export function powByNaturalNode(a: SymExpr, b: SymExpr): SymExpr {
  if (isInteger(a) && isInteger(b)) {
    if (Number(b.value) < 0) throw badOperand("negative exponent in PowByNatural");
    return powerOfInteger(a, Number(b.value));
  }
  return isInteger(b) ? power(a, b) : node("PowByNatural", [a, b]);
}

export function roundDecimalNode(a: SymExpr, digits: SymExpr): SymExpr {
  return isNumber(a) && isInteger(digits)
    ? floating(roundDecimal(approximate(a), Number(digits.value)))
    : node("RoundDecimal", [a, digits]);
}

/** Returns the absolute value; factors of known sign leave it. */
export function absNode(e: SymExpr): SymExpr {
  if (isNonnegative(e)) return e;
  if (isNonpositive(e)) return negate(e);
  if (e.op === "Abs") return e;
  if (e.op === "Pow" && factsOf(e.args[0]!).real) return power(absNode(e.args[0]!), e.args[1]!);
  if (e.op !== "Mul") return node("Abs", [prefersNegation(e) ? negate(e) : e]);
  const known = e.args.filter((arg) => isNonnegative(arg) || isNonpositive(arg));
  const unknown = e.args.filter((arg) => !known.includes(arg));
  if (known.length === 0) return node("Abs", [prefersNegation(e) ? negate(e) : e]);
  return product([...known.map(absNode), absNode(product(unknown))]);
}

/** Unary functions of Python's `math` that may be applied to a size. */
export const MATH_FUNCTIONS: Readonly<Record<string, (x: number) => number>> = {
  sqrt: Math.sqrt,
  cos: Math.cos,
  cosh: Math.cosh,
  sin: Math.sin,
  sinh: Math.sinh,
  tan: Math.tan,
  tanh: Math.tanh,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  exp: Math.exp,
  log: Math.log,
  log2: Math.log2,
  asinh: Math.asinh,
};

export function opaqueNode(name: string, e: SymExpr): SymExpr {
  const fn = Object.hasOwn(MATH_FUNCTIONS, name) ? MATH_FUNCTIONS[name]! : undefined;
  if (fn === undefined) throw badOperand(`unknown function ${name}`);
  if (e.op === "Integer" || e.op === "Float") return floating(fn(approximate(e)));
  return node(`OpaqueUnaryFn_${name}`, [e]);
}
