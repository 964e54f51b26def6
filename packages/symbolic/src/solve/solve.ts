/** @file Isolates a symbol in a relation (`torch/utils/_sympy/solve.py`). */
import { isIntegral, isNegativeExpr, isNonnegative, isPositive } from "../algebra/assumptions.js";
import { connective } from "../algebra/logic.js";
import { factorsOf, product, quotient, subtract, sum, termsOf } from "../algebra/polynomial.js";
import { REVERSED, type Relation, relation } from "../algebra/relation.js";
import { isRelation, type SymExpr, same } from "../expr/expr.js";
import { isZero, ONE } from "../expr/number.js";

const TRIALS = 5;

/** A relation with what was asked for alone on its left. */
export interface Solved {
  readonly op: Relation;
  /** The right-hand side. */
  readonly rhs: SymExpr;
}

/** Returns whether a node occurs in an expression. */
const mentions = (e: SymExpr, thing: SymExpr): boolean =>
  same(e, thing) || e.args.some((arg) => mentions(arg, thing));

const isInequality = (op: string): boolean => op !== "Equality" && op !== "Unequality";

/**
 * Rewrites a relation so that `thing` stands alone on the left. Undefined where that takes more
 * than moving terms, dividing by factors and, with `floorDivs`, multiplying out a floor division.
 */
export function trySolve(e: SymExpr, thing: SymExpr, floorDivs = true): Solved | undefined {
  if (!isRelation(e)) return undefined;
  const [left, right] = [e.args[0]!, e.args[1]!];
  const isLeft = mentions(left, thing);
  if (isLeft === mentions(right, thing)) return undefined;
  let current = isLeft ? e : relation(REVERSED[e.op as Relation], right, left);
  for (let i = 0; i < TRIALS && isRelation(current); i++) {
    const next = isolate(current, thing, floorDivs);
    if (same(next, current)) break;
    current = next;
  }
  if (!isRelation(current) || !same(current.args[0]!, thing)) return undefined;
  return { op: current.op as Relation, rhs: current.args[1]! };
}

function isolate(e: SymExpr, thing: SymExpr, floorDivs: boolean): SymExpr {
  const moved = moveTerms(e, thing);
  if (!isRelation(moved)) return moved;
  const divided = divideByFactors(moved, thing);
  if (!isRelation(divided) || !floorDivs) return divided;
  const [lhs, rhs] = [divided.args[0]!, divided.args[1]!];
  const isDivision = lhs.op === "FloorDiv" || lhs.op === "CleanDiv";
  return isDivision && isPositive(lhs.args[1]!) && isIntegral(rhs) ? multiplyOut(divided) : divided;
}

function moveTerms(e: SymExpr, thing: SymExpr): SymExpr {
  const [lhs, rhs] = [e.args[0]!, e.args[1]!];
  if (lhs.op !== "Add") return e;
  const others = termsOf(lhs).filter((term) => !mentions(term, thing));
  if (others.length === 0) return e;
  const other = sum(others);
  return relation(e.op as Relation, subtract(lhs, other), subtract(rhs, other));
}

function divideByFactors(e: SymExpr, thing: SymExpr): SymExpr {
  const [lhs, rhs] = [e.args[0]!, e.args[1]!];
  if (lhs.op !== "Mul") return e;
  const others = factorsOf(lhs).filter((factor) => !mentions(factor, thing));
  const other = others.length === 0 ? ONE : product(others);
  const op = e.op as Relation;
  const isNegative = isNegativeExpr(other);
  if (isInequality(op) ? !isNegative && !isNonnegative(other) : isZero(rhs)) return e;
  return relation(
    isInequality(op) && isNegative ? REVERSED[op] : op,
    quotient(lhs, other),
    quotient(rhs, other),
  );
}

/** `a // b >= c` as `a >= b*c` and the like, for a positive `b` and an integer `c`. */
function multiplyOut(e: SymExpr): SymExpr {
  const [lhs, rhs] = [e.args[0]!, e.args[1]!];
  const [numerator, denominator] = [lhs.args[0]!, lhs.args[1]!];
  const next = sum([rhs, ONE]);
  const times = (by: SymExpr): SymExpr => product([by, denominator]);
  switch (e.op) {
    case "Equality":
      return connective("And", [
        relation("GreaterThan", numerator, times(rhs)),
        relation("StrictLessThan", numerator, times(next)),
      ]);
    case "Unequality":
      return connective("Or", [
        relation("StrictLessThan", numerator, times(rhs)),
        relation("GreaterThan", numerator, times(next)),
      ]);
    case "StrictGreaterThan":
    case "GreaterThan":
      return relation("GreaterThan", numerator, times(e.op === "GreaterThan" ? rhs : next));
    default:
      return relation("StrictLessThan", numerator, times(e.op === "StrictLessThan" ? rhs : next));
  }
}

/** Returns whether every part of an expression is an integer. */
export const isWholly = (e: SymExpr): boolean => isIntegral(e) && e.args.every(isWholly);

/** Returns the first remainder in an expression. */
export function findMod(e: SymExpr): SymExpr | undefined {
  if (e.op === "Mod") return e;
  for (const arg of e.args) {
    const found = findMod(arg);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether an expression holds a floor division by something other than 1. */
export const hasFloorDiv = (e: SymExpr): boolean =>
  e.op === "FloorDiv" || e.op === "CleanDiv" || e.args.some(hasFloorDiv);
