/** @file Relations of one symbol, solved for it over the integers. */
import { expand, type IntLike, lift, lower, mul, sub } from "../algebra/algebra.js";
import { termsOf } from "../algebra/polynomial.js";
import type { SymExpr } from "../expr/expr.js";
import { bigOf, gcdIntegers, integer } from "../expr/number.js";
import { splitCoefficient } from "../expr/order.js";
import { evaluate } from "./evaluate.js";
import { asLinear } from "./substitute.js";

/** The values of a symbol around its example value, both ends included. */
export interface Solution {
  readonly min: number;
  readonly max: number;
}

/** How far from the example a relation that is not linear is tried. */
const REACH = 4096;

/**
 * Returns the values of a symbol for which all relations hold: all of them where the relations are
 * linear, else those that are connected with the example value.
 *
 * @param relations equalities and inequalities of the symbol alone
 * @param hint the example value, for which they hold
 */
export function solveUnivariate(relations: readonly SymExpr[], symbol: SymExpr, hint: number): Solution {
  let [min, max] = [-Infinity, Infinity];
  for (const relation of relations) {
    const solution = solveLinearRelation(relation) ?? solveBySearch(relation, symbol.name, hint);
    min = Math.max(min, solution.min);
    max = Math.min(max, solution.max);
  }
  return { min, max };
}

function solveLinearRelation(e: SymExpr): Solution | undefined {
  const difference = expand(sub(lower(e.args[0]!) as IntLike, lower(e.args[1]!) as IntLike));
  const linear = asLinear(mul(commonDenominator(lift(difference)), difference));
  if (linear === undefined) return undefined;
  const { coefficient, offset } = linear;
  const root = -offset / coefficient + 0;
  const isRising = coefficient > 0;
  switch (e.op) {
    case "Equality":
      return { min: root, max: root };
    case "GreaterThan":
    case "StrictGreaterThan":
      return half(root, isRising, e.op === "StrictGreaterThan");
    default:
      return half(root, !isRising, e.op === "StrictLessThan");
  }
}

const half = (root: number, isAbove: boolean, isStrict: boolean): Solution =>
  isAbove
    ? { min: isStrict ? Math.floor(root) + 1 : Math.ceil(root), max: Infinity }
    : { min: -Infinity, max: isStrict ? Math.ceil(root) - 1 : Math.floor(root) };

const commonDenominator = (e: SymExpr): IntLike =>
  lower(
    termsOf(e).reduce((all, term) => {
      const { den } = splitCoefficient(term)[0];
      const common = bigOf(gcdIntegers(all, integer(den)));
      return integer((bigOf(all) / common) * den);
    }, integer(1)),
  ) as IntLike;

function solveBySearch(e: SymExpr, name: string, hint: number): Solution {
  const holds = (value: number): boolean => {
    try {
      return evaluate(e, new Map([[name, value]])) === true;
    } catch {
      return false;
    }
  };
  if (e.op === "Equality") return { min: hint, max: hint };
  let [min, max] = [hint, hint];
  while (min > 0 && holds(min - 1)) min--;
  while (max < hint + REACH && holds(max + 1)) max++;
  return { min: min === 0 ? -Infinity : min, max: max === hint + REACH ? Infinity : max };
}
