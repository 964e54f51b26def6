/** @file Remainders and floor divisions as congruences (`rewrite_with_congruences`). */
import { type IntLike, lift, lower, printExpr } from "../algebra/algebra.js";
import { isIntegral } from "../algebra/assumptions.js";
import { rebuild } from "../algebra/construct.js";
import { quotient, subtract, termsOf } from "../algebra/polynomial.js";
import { badOperand, divisionByZero } from "../expr/errors.js";
import { SymExpr } from "../expr/expr.js";
import {
  bigOf,
  floorDivMod,
  gcdIntegers,
  integer,
  invertNumber,
  isInteger,
  isNumber,
  isRational,
  isZero,
  mulNumbers,
  negateNumber,
  ZERO,
} from "../expr/number.js";
import { splitCoefficient } from "../expr/order.js";
import { type Bindings, evaluate } from "./evaluate.js";

/** `s % modulus == remainder` for the one symbol of an expression. */
export interface Congruence {
  readonly remainder: number;
  readonly modulus: number;
}

/** An expression without `//` and `%`, and what has to hold for it to equal the original. */
export interface WithoutDivisions {
  readonly value: IntLike;
  readonly congruences: readonly FoundCongruence[];
}

/** What has to hold for one division. */
export interface FoundCongruence {
  /** Equal keys mean the same congruence. */
  readonly key: string;
  /** Undefined for one that is not of the form `(s + a) % b` with numbers a and b. */
  readonly solution: Congruence | undefined;
}

/**
 * Replaces `b % d` by its value for the example, and `b // d` by `(b - b % d) / d`. The congruences
 * say for which values of the symbol that holds.
 */
export function withoutDivisions(value: IntLike, hints: Bindings): WithoutDivisions {
  const congruences: FoundCongruence[] = [];
  const rewrite = (e: SymExpr): SymExpr => {
    if (e.args.length === 0) return e;
    const args = e.args.map(rewrite);
    if (e.op !== "Mod" && e.op !== "PythonMod" && e.op !== "FloorDiv") return rebuild(e, args);
    const [base, divisor] = [args[0]!, args[1]!];
    const [b, d] = [base, divisor].map((part) => wholeOf(part, hints)) as [bigint, bigint];
    if (d === 0n) throw divisionByZero(printExpr(e));
    const rest = integer(floorDivMod(b, d)[1]);
    const exact = subtract(base, rest);
    const found = congruence(exact, divisor);
    if (found !== null) congruences.push({ key: keyOf(found, exact, divisor), solution: found });
    return e.op === "FloorDiv" ? quotient(exact, divisor) : rest;
  };
  const rewritten = value instanceof SymExpr ? rewrite(value) : lift(value);
  return { value: lower(rewritten) as IntLike, congruences };
}

function wholeOf(e: SymExpr, hints: Bindings): bigint {
  const value = Number(evaluate(lower(e), hints));
  if (!Number.isFinite(value)) throw badOperand(`cannot convert float ${value} to integer`);
  return BigInt(Math.round(value));
}

const keyOf = (found: Congruence | undefined, base: SymExpr, divisor: SymExpr): string =>
  found === undefined ? `${base.key}|${divisor.key}` : `${found.remainder} mod ${found.modulus}`;

/** `base % divisor == 0`; null when it always holds, undefined when no single symbol solves it. */
function congruence(base: SymExpr, divisor: SymExpr): Congruence | null | undefined {
  // A remainder by a part of the base is 0: `s % (s/3)`.
  if (!isInteger(divisor)) return isInteger(quotient(base, divisor)) ? null : undefined;
  let coefficient = ZERO;
  let offset = ZERO;
  for (const term of termsOf(base)) {
    const [factor, rest] = splitCoefficient(term);
    if (isNumber(rest)) offset = factor;
    // sympy drops the multiples of the divisor from a sum: `(2*s**2 + s) % 2` is `s % 2`.
    else if (isIntegral(rest) && isMultiple(factor, divisor)) continue;
    else if (rest.op === "Symbol" && isZero(coefficient)) coefficient = factor;
    else return undefined;
  }
  if (!isRational(coefficient) || !isRational(offset)) return undefined;
  // sympy reduces the factor of a single term: `3*s % 2` is `s % 2`.
  if (isZero(offset) && isInteger(coefficient))
    coefficient = integer(floorDivMod(bigOf(coefficient), bigOf(divisor))[1]);
  if (isMultiple(coefficient, divisor) && isMultiple(offset, divisor)) return null;
  // sympy takes a common integer factor out of a remainder, which then is not solved.
  const isWhole = isInteger(coefficient) && isInteger(offset);
  if (isWhole && gcdIntegers(gcdIntegers(coefficient, offset), divisor).value !== 1) return undefined;
  if (isZero(coefficient)) return undefined;
  const inverse = invertNumber(coefficient);
  const modulus = mulNumbers(divisor, inverse);
  const remainder = mulNumbers(negateNumber(offset), inverse);
  if (!isInteger(modulus) || !isInteger(remainder)) return undefined;
  const m = Math.abs(Number(modulus.value));
  return { modulus: m, remainder: ((Number(remainder.value) % m) + m) % m };
}

const isMultiple = (a: SymExpr, b: SymExpr): boolean => isInteger(mulNumbers(a, invertNumber(b)));

/** Returns the one congruence that several amount to; undefined when they exclude each other. */
export function joinCongruences(items: readonly Congruence[]): Congruence | undefined {
  let [remainder, modulus] = [0n, 1n];
  for (const item of items) {
    const [r, m] = [BigInt(item.remainder), BigInt(item.modulus)];
    const step = modulus;
    let tries = 0n;
    while (remainder % m !== r % m && tries < m) {
      remainder += step;
      tries++;
    }
    if (remainder % m !== r % m) return undefined;
    modulus = (modulus * m) / BigInt(gcdIntegers(integer(modulus), integer(m)).value);
    remainder %= modulus;
  }
  return { remainder: Number(remainder), modulus: Number(modulus) };
}
