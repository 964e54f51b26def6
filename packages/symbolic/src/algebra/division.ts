import { badOperand, divisionByZero } from "../expr/errors.js";
import { node, type SymExpr, same } from "../expr/expr.js";
import { step } from "../expr/meter.js";
import {
  bigOf,
  compareNumbers,
  floorDivMod,
  gcdIntegers,
  integer,
  invertNumber,
  isInteger,
  isNegative,
  isOne,
  isRational,
  isZero,
  MINUS_ONE,
  mulNumbers,
  ONE,
  rational,
  ZERO,
} from "../expr/number.js";
import { splitCoefficient } from "../expr/order.js";
import { factsOf, isIntegral, isNonnegative, isPositive } from "./assumptions.js";
import { factorsOf, negate, product, quotient, subtract, sum, termsOf } from "./polynomial.js";
import { dividePolynomial } from "./polynomial-division.js";
import { relation } from "./relation.js";

/** Returns whether it is an integer or a float of that value. */
const isValue = (e: SymExpr, value: number): boolean =>
  (e.op === "Integer" || e.op === "Float") && e.value === value;

/** Python's `base // divisor`, with exact parts moved out and common factors canceled. */
export function floorDivNode(
  base: SymExpr,
  divisor: SymExpr,
  head: "FloorDiv" | "CleanDiv" = "FloorDiv",
): SymExpr {
  if (isZero(divisor)) throw divisionByZero("//");
  if (isZero(base)) return ZERO;
  if (isValue(divisor, 1) && isIntegral(base)) return base;
  if (isValue(divisor, -1) && isIntegral(base)) return negate(base);
  if (same(base, divisor)) return ONE;
  if (isInteger(base) && isInteger(divisor)) return integer(floorDivMod(bigOf(base), bigOf(divisor))[0]);
  if (base.op === "FloorDiv" || base.op === "CleanDiv")
    return floorDivNode(base.args[0]!, product([base.args[1]!, divisor]));
  return moveOutMultiples(base, divisor) ?? cancelCommonFactor(base, divisor) ?? node(head, [base, divisor]);
}

/** `(a + k*d) // d` is `a//d + k`. */
function moveOutMultiples(base: SymExpr, divisor: SymExpr): SymExpr | undefined {
  if (!isInteger(divisor)) return undefined;
  const inverse = invertNumber(divisor);
  const quotients: SymExpr[] = [];
  const rest: SymExpr[] = [];
  for (const term of termsOf(base)) {
    const q = product([inverse, term]);
    if (isIntegral(q) && !hasFraction(q)) quotients.push(q);
    else rest.push(term);
  }
  if (quotients.length === 0) return undefined;
  return sum([floorDivNode(rest.length === 0 ? ZERO : sum(rest), divisor), ...quotients]);
}

const hasFraction = (e: SymExpr): boolean => e.op === "Rational" || e.args.some(hasFraction);

function cancelCommonFactor(base: SymExpr, divisor: SymExpr): SymExpr | undefined {
  const [number, factors] = commonFactor(base, divisor);
  if (isOne(number) && factors.length === 0) {
    const exact = divisor.op === "Add" ? dividePolynomial(base, divisor) : undefined;
    return exact;
  }
  const gcd = product([number, ...factors]);
  // Dividing by 1.0 changes nothing, however often.
  if (isValue(gcd, 1)) return undefined;
  return floorDivNode(divideTerms(base, gcd), divideTerms(divisor, gcd));
}

/** Divides the terms of a sum; a sum that is a factor of the divisor is divided as a whole. */
const divideTerms = (e: SymExpr, by: SymExpr): SymExpr =>
  factorsOf(by).some((factor) => same(factor, e))
    ? quotient(e, by)
    : sum(termsOf(e).map((term) => quotient(term, by)));

/** Returns the largest integer, and the factors of the divisor, that divide every term of both. */
function commonFactor(base: SymExpr, divisor: SymExpr): readonly [SymExpr, readonly SymExpr[]] {
  step(termsOf(base).length + termsOf(divisor).length);
  const number = [...termsOf(base), ...termsOf(divisor)].map(integerCoefficient).reduce(gcdIntegers);
  const splits = termsOf(base).map((term) => {
    const [coefficient, rest] = splitCoefficient(term);
    const scaled = mulNumbers(coefficient, invertNumber(number));
    return new Set([...(isOne(scaled) ? [] : [scaled.key]), ...factorsOf(rest).map((factor) => factor.key)]);
  });
  const candidates = factorsOf(divideTerms(divisor, number)).filter((factor) => !isOne(factor));
  const divides = (factor: SymExpr): boolean => {
    step(1 + (splits.length >> 3));
    return splits.every((split) => split.has(factor.key));
  };
  return [number, candidates.filter(divides)];
}

function integerCoefficient(term: SymExpr): SymExpr {
  const [coefficient] = splitCoefficient(term);
  if (!isInteger(coefficient)) return ONE;
  return isNegative(coefficient) ? mulNumbers(MINUS_ONE, coefficient) : coefficient;
}

/** Division known to be exact. */
export const cleanDivNode = (base: SymExpr, divisor: SymExpr): SymExpr =>
  floorDivNode(base, divisor, "CleanDiv");

/** `ceil(base / divisor)` in integers, as PyTorch rewrites it. */
export function ceilDivNode(base: SymExpr, divisor: SymExpr): SymExpr {
  const [number, factors] = isZero(base) ? [divisor, []] : commonFactor(base, divisor);
  if (same(product([number, ...factors]), divisor)) return cleanDivNode(base, divisor);
  return floorDivNode(sum([base, subtract(divisor, ONE)]), divisor);
}

/** Remainder of non-negative integers, or with Python's sign rule. */
export function modNode(p: SymExpr, q: SymExpr, head: "Mod" | "PythonMod"): SymExpr {
  if (isZero(q)) throw divisionByZero("%");
  if (isZero(p) || same(p, q) || same(p, negate(q)) || isOne(q)) return ZERO;
  if (isRational(p) && isRational(q)) return remainder(p, q, head);
  if (isInteger(q) && q.value === 2) {
    const { even } = factsOf(p);
    if (even !== undefined) return even ? ZERO : ONE;
  }
  const ratio = quotient(p, q);
  if (isIntegral(ratio) && !hasFraction(ratio)) return ZERO;
  if (relation("StrictLessThan", p, q).op === "True" && isPositive(ratio)) return p;
  return node(head, [p, q]);
}

function remainder(p: SymExpr, q: SymExpr, head: "Mod" | "PythonMod"): SymExpr {
  if (head === "Mod" && (isNegative(p) || compareNumbers(q, ONE) < 0))
    throw badOperand("Mod of a negative number; PythonMod allows one");
  if (isInteger(p) && isInteger(q)) return integer(floorDivMod(bigOf(p), bigOf(q))[1]);
  const den = p.den * q.den;
  const [, rest] = floorDivMod(BigInt(p.value) * q.den, BigInt(q.value) * p.den);
  return rational(rest, den);
}

/** `(base // divisor) % modulus` of non-negative integers. */
export function modularIndexingNode(base: SymExpr, divisor: SymExpr, modulus: SymExpr): SymExpr {
  if (isZero(base) || isOne(modulus)) return ZERO;
  if (isInteger(base) && isInteger(divisor) && isInteger(modulus)) {
    if (isZero(divisor) || isZero(modulus)) throw divisionByZero("ModularIndexing");
    return integer(floorDivMod(floorDivMod(bigOf(base), bigOf(divisor))[0], bigOf(modulus))[1]);
  }
  if (!isOne(divisor)) {
    const [number, factors] = commonFactor(base, divisor);
    const gcd = product([number, ...factors]);
    if (!isValue(gcd, 1))
      return modularIndexingNode(divideTerms(base, gcd), divideTerms(divisor, gcd), modulus);
  }
  const trimmed = dropMultiples(base, product([modulus, divisor]));
  if (trimmed !== undefined) return modularIndexingNode(trimmed, divisor, modulus);
  if (base.op === "FloorDiv" || base.op === "CleanDiv")
    return modularIndexingNode(base.args[0]!, product([base.args[1]!, divisor]), modulus);
  return node("ModularIndexing", [base, divisor, modulus]);
}

/**
 * Terms that are multiples of `period` leave the index unchanged, when all others are non-negative.
 */
function dropMultiples(base: SymExpr, period: SymExpr): SymExpr | undefined {
  if (base.op !== "Add") return undefined;
  const rest = base.args.filter((term) => {
    const ratio = quotient(term, period);
    return !(isIntegral(ratio) && !hasFraction(ratio));
  });
  if (rest.length === base.args.length || !rest.every(isNonnegative)) return undefined;
  return rest.length === 0 ? ZERO : sum(rest);
}
