import type { SymExpr } from "../expr/expr.js";
import { isNegative } from "../expr/number.js";

/** sympy's binding strengths. */
export const STRENGTH = {
  or: 20,
  and: 30,
  relation: 35,
  weakFunction: 35,
  bitOr: 36,
  bitAnd: 38,
  sum: 40,
  product: 50,
  power: 60,
  function: 70,
  not: 100,
  atom: 1000,
} as const;

const WEAK: ReadonlySet<string> = new Set([
  "FloorDiv",
  "CleanDiv",
  "Mod",
  "PythonMod",
  "ModularIndexing",
  "Where",
  "IntTrueDiv",
  "FloatTrueDiv",
]);

/**
 * Returns how tightly an expression holds together; below the context's strength it is put in
 * parentheses.
 */
export function strength(e: SymExpr): number {
  if (WEAK.has(e.op)) return STRENGTH.weakFunction;
  switch (e.op) {
    case "Add":
      return STRENGTH.sum;
    case "Mul":
      return productStrength(e);
    case "Pow":
    case "FloatPow":
      return STRENGTH.power;
    case "PowByNatural":
    case "Equality":
    case "Unequality":
      return STRENGTH.product;
    case "StrictLessThan":
    case "LessThan":
    case "StrictGreaterThan":
    case "GreaterThan":
      return STRENGTH.relation;
    case "Rational":
      return isNegative(e) ? STRENGTH.sum : STRENGTH.product;
    case "Integer":
    case "Float":
      return isNegative(e) ? STRENGTH.sum : STRENGTH.atom;
    case "Or":
      return STRENGTH.or;
    case "And":
      return STRENGTH.and;
    case "Not":
      return STRENGTH.not;
    case "Identity":
      return 10;
    case "Symbol":
    case "Max":
    case "Min":
    case "True":
    case "False":
    case "ExprCondPair":
      return STRENGTH.atom;
    default:
      return STRENGTH.function;
  }
}

function productStrength(e: SymExpr): number {
  const hasWeak = e.args.some((arg) => WEAK.has(arg.op) || arg.op === "Identity");
  return !hasWeak && isNegative(e.args[0]!) ? STRENGTH.sum : STRENGTH.product;
}
