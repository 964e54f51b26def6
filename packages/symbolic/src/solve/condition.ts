import { isIntegral } from "../algebra/assumptions.js";
import { connective, negation } from "../algebra/logic.js";
import { negate, product, subtract, sum, termsOf } from "../algebra/polynomial.js";
import type { Relation } from "../algebra/relation.js";
import { isRelation, node, type SymExpr } from "../expr/expr.js";
import {
  gcdIntegers,
  integer,
  invertNumber,
  isInteger,
  isNegative,
  isOne,
  ONE,
  ZERO,
} from "../expr/number.js";
import { splitCoefficient } from "../expr/order.js";

/**
 * Returns a condition in the form in which facts are compared: only `<`, `<=`, `==` and `!=`, in
 * lowest terms, with the positive terms of their difference on the right and the negated negative
 * ones on the left. This is also how assertion messages print: `n > 3` is `3 < n`.
 */
export function canonicalCondition(e: SymExpr): SymExpr {
  if (e.op === "And" || e.op === "Or") {
    const normal = conjunctive(e);
    return normal.op === "And" || normal.op === "Or"
      ? connective(normal.op, normal.args.map(canonicalCondition))
      : canonicalCondition(normal);
  }
  if (e.op === "Not") {
    const inner = pushNegation(e.args[0]!);
    return inner.op === "Not" ? inner : canonicalCondition(inner);
  }
  if (!isRelation(e) || e.args.some((arg) => arg.op === "True" || arg.op === "False")) return e;
  const turned = e.op === "StrictGreaterThan" || e.op === "GreaterThan";
  const [a, b] = [e.args[0]!, e.args[1]!];
  const op: Relation =
    e.op === "StrictGreaterThan"
      ? "StrictLessThan"
      : e.op === "GreaterThan"
        ? "LessThan"
        : (e.op as Relation);
  const difference = lowestTerms(turned ? subtract(a, b) : subtract(b, a));
  const terms = termsOf(difference);
  const negative = terms.filter(isNegativeTerm).map(negate);
  const positive = terms.filter((term) => !isNegativeTerm(term));
  return node(op, [
    negative.length === 0 ? ZERO : sum(negative),
    positive.length === 0 ? ZERO : sum(positive),
  ]);
}

/** Distributes disjunctions over the conjunctions in them (`to_cnf` of sympy). */
function conjunctive(e: SymExpr): SymExpr {
  if (e.op === "And") return connective("And", e.args.map(conjunctive));
  const inner = e.op === "Or" ? e.args.find(({ op }) => op === "And") : undefined;
  if (inner === undefined) return e;
  const rest = e.args.filter((arg) => arg !== inner);
  const parts = inner.args.map((part) => conjunctive(connective("Or", [part, ...rest])));
  return connective("And", parts);
}

function pushNegation(e: SymExpr): SymExpr {
  if (e.op === "And") return connective("Or", e.args.map(pushNegation));
  if (e.op === "Or") return connective("And", e.args.map(pushNegation));
  return negation(e);
}

const isNegativeTerm = (term: SymExpr): boolean => isNegative(splitCoefficient(term)[0]);

function lowestTerms(e: SymExpr): SymExpr {
  const coefficients = termsOf(e).map((term) => splitCoefficient(term)[0]);
  if (!coefficients.every(isInteger)) return e;
  const divisor = coefficients.reduce(gcdIntegers, integer(0));
  return isOne(divisor) || divisor.value === 0 ? e : product([invertNumber(divisor), e]);
}

/** A fact that follows: the key of a canonical condition, and its truth. */
export type Fact = readonly [key: string, truth: boolean];

/**
 * Returns what follows from a condition that holds: itself, its negation's falsehood, and weaker
 * forms. PyTorch draws no conclusions from a conjunction but its own truth.
 */
export function implications(e: SymExpr): readonly Fact[] {
  const facts: Fact[] = [];
  learn(e, facts);
  if (!isRelation(e)) return facts;
  const [a, b] = [e.args[0]!, e.args[1]!];
  if (e.op === "Equality")
    for (const op of ["LessThan", "GreaterThan"] as const) learn(node(op, [a, b]), facts);
  // PyTorch draws no conclusions from `>` and `>=`.
  if (e.op === "StrictLessThan") {
    learn(node("LessThan", [a, b]), facts);
    learn(node("Unequality", [a, b]), facts);
    if (isIntegral(a) && isIntegral(b)) learn(node("LessThan", [a, subtract(b, ONE)]), facts);
  }
  if (e.op === "LessThan" && isIntegral(a) && isIntegral(b))
    learn(node("StrictLessThan", [a, sum([b, ONE])]), facts);
  return facts;
}

function learn(e: SymExpr, facts: Fact[]): void {
  const canonical = canonicalCondition(e);
  facts.push([canonical.key, true]);
  if (canonical.op === "Equality" || canonical.op === "Unequality") {
    const [a, b] = [canonical.args[0]!, canonical.args[1]!];
    const opposite = canonical.op === "Equality" ? "Unequality" : "Equality";
    facts.push(
      [node(canonical.op, [b, a]).key, true],
      [node(opposite, [a, b]).key, false],
      [node(opposite, [b, a]).key, false],
    );
  } else facts.push([canonicalCondition(negation(canonical)).key, false]);
}
