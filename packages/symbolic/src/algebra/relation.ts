import { badOperand } from "../expr/errors.js";
import { FALSE, isCondition, isRelation, node, type SymExpr, same, TRUE } from "../expr/expr.js";
import { compareNumbers, invertNumber, isNegative, isNumber, isZero } from "../expr/number.js";
import { compareBySize, splitCoefficient } from "../expr/order.js";
import { factsOf, isNegativeExpr, isNonnegative } from "./assumptions.js";
import { negate, prefersNegation, product, subtract, sum } from "./polynomial.js";

/** The six relations. */
export type Relation =
  | "Equality"
  | "Unequality"
  | "StrictLessThan"
  | "LessThan"
  | "StrictGreaterThan"
  | "GreaterThan";

const NEGATED: Record<Relation, Relation> = {
  Equality: "Unequality",
  Unequality: "Equality",
  StrictLessThan: "GreaterThan",
  GreaterThan: "StrictLessThan",
  LessThan: "StrictGreaterThan",
  StrictGreaterThan: "LessThan",
};
/** The relation that holds with the sides exchanged. */
export const REVERSED: Record<Relation, Relation> = {
  Equality: "Equality",
  Unequality: "Unequality",
  StrictLessThan: "StrictGreaterThan",
  StrictGreaterThan: "StrictLessThan",
  LessThan: "GreaterThan",
  GreaterThan: "LessThan",
};

export const constant = (value: boolean): SymExpr => (value ? TRUE : FALSE);

/** Returns a relation, folded when the symbols' assumptions decide it. */
export function relation(op: Relation, a: SymExpr, b: SymExpr): SymExpr {
  const decided = decide(op, a, b);
  return decided === undefined ? node(op, [a, b]) : constant(decided);
}

function decide(op: Relation, a: SymExpr, b: SymExpr): boolean | undefined {
  switch (op) {
    case "Equality":
      return isEqual(a, b);
    case "Unequality":
      return negation(isEqual(a, b));
    case "GreaterThan":
      return isAtLeast(a, b);
    case "LessThan":
      return isAtLeast(b, a);
    case "StrictLessThan":
      return negation(isAtLeast(a, b));
    case "StrictGreaterThan":
      return negation(isAtLeast(b, a));
  }
}

const negation = (value: boolean | undefined): boolean | undefined =>
  value === undefined ? undefined : !value;

function isAtLeast(a: SymExpr, b: SymExpr): boolean | undefined {
  if (isCondition(a) || isCondition(b)) throw badOperand("an ordering between conditions");
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) >= 0;
  if (!factsOf(a).real || !factsOf(b).real) return undefined;
  if (isBound(a, b) || isBound(b, a)) {
    // Most conditions bound one symbol; their difference need not be made.
    const min = factsOf(a).min - factsOf(b).max;
    const max = factsOf(a).max - factsOf(b).min;
    if (min >= 0) return true;
    if (max !== 0) return max < 0 ? false : undefined;
  }
  const difference = subtract(a, b);
  if (isNumber(difference)) return !isNegative(difference);
  return isNonnegative(difference) ? true : isNegativeExpr(difference) ? false : undefined;
}

const isBound = (a: SymExpr, b: SymExpr): boolean =>
  a.op === "Symbol" && b.op === "Integer" && typeof b.value === "number";

function isEqual(a: SymExpr, b: SymExpr): boolean | undefined {
  if (same(a, b)) return true;
  if (isCondition(a) || isCondition(b)) return a.args.length === 0 && b.args.length === 0 ? false : undefined;
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  const difference = subtract(a, b);
  if (isNumber(difference)) return isZero(difference);
  return factsOf(difference).nonzero ? false : undefined;
}

export const negatedRelation = (e: SymExpr): SymExpr =>
  relation(NEGATED[e.op as Relation], e.args[0]!, e.args[1]!);

const reversed = (e: SymExpr): SymExpr => node(REVERSED[e.op as Relation], [e.args[1]!, e.args[0]!]);
const reversedSign = (e: SymExpr): SymExpr =>
  relation(REVERSED[e.op as Relation], negate(e.args[0]!), negate(e.args[1]!));

/** sympy's canonical relation: number on the right, leading sign positive. */
export function canonicalRelation(e: SymExpr): SymExpr {
  let r = e;
  const [left, right] = [e.args[0]!, e.args[1]!];
  if (!isNumber(right) && (isNumber(left) || compareBySize(left, right) > 0)) r = reversed(e);
  const [lhs, rhs] = [r.args[0]!, r.args[1]!];
  if (isCondition(lhs) || isCondition(rhs)) return r;
  if (prefersNegation(lhs)) return reversedSign(r);
  if (!isNumber(rhs) && prefersNegation(rhs) && compareBySize(lhs, negate(rhs)) > 0) {
    return isRelation(r) ? reversedSign(reversed(r)) : r;
  }
  return r;
}

/** `-2*x + 1 < 0` as `x > 1/2`: how `Piecewise` keeps its conditions. */
export function solvedRelation(e: SymExpr): SymExpr {
  const r = canonicalRelation(e);
  if (!isRelation(r) || isCondition(r.args[1]!)) return r;
  const [lhs, rhs] = [r.args[0]!, r.args[1]!];
  const offset = lhs.op === "Add" && isNumber(lhs.args[0]!) ? lhs.args[0]! : undefined;
  const rest = offset === undefined ? lhs : sum(lhs.args.slice(1));
  const [coefficient, term] = splitCoefficient(rest);
  const moved = offset === undefined ? rhs : subtract(rhs, offset);
  const divided = divideBy(moved, coefficient);
  const op = r.op as Relation;
  return relation(isNegative(coefficient) ? REVERSED[op] : op, term, divided);
}

const divideBy = (e: SymExpr, number: SymExpr): SymExpr => product([invertNumber(number), e]);
