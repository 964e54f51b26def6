import { lift } from "./algebra.js";
import { boundsOf, type RangeOf } from "./bounds.js";
import { isRelation, type SymExpr } from "./expr.js";
import { intersectRanges, negateRange, type ValueRange } from "./interval.js";
import { isInteger } from "./number.js";
import { splitCoefficient } from "./order.js";
import { subtract, sum, termsOf } from "./polynomial.js";

/**
 * The tighter range that a condition gives a symbol; undefined when it says nothing, null when it
 * contradicts the old one.
 */
export function refineRange(
  condition: SymExpr,
  symbol: SymExpr,
  rangeOf: RangeOf,
): ValueRange | null | undefined {
  if (!isRelation(condition) || condition.op === "Unequality") return undefined;
  const isolated = isolate(symbol, subtract(condition.args[0]!, condition.args[1]!));
  if (isolated === undefined) return undefined;
  const [coefficient, rest] = isolated;
  // coefficient * symbol <op> -rest
  const bound = negateRange(boundsOf(rest, rangeOf));
  const limit = limits(condition.op, coefficient, bound);
  if (limit === undefined) return undefined;
  const old = rangeOf(symbol);
  const tighter = intersectRanges(old, limit);
  if (tighter === undefined) return null;
  return tighter.min === old.min && tighter.max === old.max ? undefined : tighter;
}

/** Splits `e` into `coefficient * symbol + rest`; undefined when the symbol occurs otherwise. */
function isolate(symbol: SymExpr, e: SymExpr): readonly [coefficient: number, rest: SymExpr] | undefined {
  let coefficient = 0;
  const rest: SymExpr[] = [];
  for (const term of termsOf(e)) {
    const [factor, body] = splitCoefficient(term);
    if (body.op === "Symbol" && body.name === symbol.name) {
      if (!isInteger(factor)) return undefined;
      coefficient = Number(factor.value);
    } else if (mentions(body, symbol.name)) return undefined;
    else rest.push(term);
  }
  return coefficient === 0 ? undefined : [coefficient, rest.length === 0 ? lift(0) : sum(rest)];
}

const mentions = (e: SymExpr, name: string): boolean =>
  e.op === "Symbol" ? e.name === name : e.args.some((arg) => mentions(arg, name));

const FLIPPED: Readonly<Record<string, string>> = {
  StrictLessThan: "StrictGreaterThan",
  StrictGreaterThan: "StrictLessThan",
  LessThan: "GreaterThan",
  GreaterThan: "LessThan",
};

function limits(op: string, coefficient: number, bound: ValueRange): ValueRange | undefined {
  const direction = coefficient < 0 ? (FLIPPED[op] ?? op) : op;
  const ends = [bound.min / coefficient, bound.max / coefficient];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  switch (direction) {
    case "Equality":
      return { min: Math.ceil(low), max: Math.floor(high) };
    case "LessThan":
      return { min: -Infinity, max: Math.floor(high) };
    case "StrictLessThan":
      return { min: -Infinity, max: Math.ceil(high) - 1 };
    case "GreaterThan":
      return { min: Math.ceil(low), max: Infinity };
    case "StrictGreaterThan":
      return { min: Math.floor(low) + 1, max: Infinity };
    default:
      return undefined;
  }
}
