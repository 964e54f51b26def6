import { tooLarge } from "../expr/errors.js";
import { node, type SymExpr, same } from "../expr/expr.js";
import { step } from "../expr/meter.js";
import {
  addNumbers,
  approximate,
  floating,
  integer,
  invertNumber,
  isInteger,
  isNegative,
  isNumber,
  isOne,
  isRational,
  isZero,
  MINUS_ONE,
  mulNumbers,
  ONE,
  powerOfInteger,
  ZERO,
} from "../expr/number.js";
import { compareDefault, compareStructure, splitCoefficient, splitPower } from "../expr/order.js";

/** Expanding a power or a product never makes more terms than this. */
const MAX_TERMS = 4_000;

/** Returns the terms of a sum. */
export const termsOf = (e: SymExpr): readonly SymExpr[] => (e.op === "Add" ? e.args : [e]);
/** Returns the factors of a product. */
export const factorsOf = (e: SymExpr): readonly SymExpr[] => (e.op === "Mul" ? e.args : [e]);

/** `coefficient * rest` without distributing over a sum; `rest` carries no coefficient. */
function withCoefficient(coefficient: SymExpr, rest: SymExpr): SymExpr {
  if (isOne(coefficient)) return rest;
  if (isNumber(rest)) return mulNumbers(coefficient, rest);
  return node("Mul", rest.op === "Mul" ? [coefficient, ...rest.args] : [coefficient, rest]);
}

/** Returns a sum with like terms collected. */
export function sum(items: readonly SymExpr[]): SymExpr {
  if (items.length === 1) return items[0]!;
  let constant = ZERO;
  const terms = new Map<string, { rest: SymExpr; coefficient: SymExpr }>();
  const collect = (item: SymExpr): void => {
    step();
    if (isNumber(item)) constant = addNumbers(constant, item);
    else if (item.op === "Add") item.args.forEach(collect);
    else {
      const [coefficient, rest] = splitCoefficient(item);
      const known = terms.get(rest.key);
      if (known === undefined) terms.set(rest.key, { rest, coefficient });
      else known.coefficient = addNumbers(known.coefficient, coefficient);
    }
  };
  items.forEach(collect);
  const args: SymExpr[] = [];
  for (const { rest, coefficient } of terms.values())
    if (!isZero(coefficient)) args.push(withCoefficient(coefficient, rest));
  return rawSum(constant, args);
}

/** Returns a sum of distinct terms, sorted. */
function rawSum(constant: SymExpr, terms: SymExpr[]): SymExpr {
  terms.sort(compareStructure);
  if (!isZero(constant)) terms.unshift(constant);
  return terms.length === 0 ? ZERO : terms.length === 1 ? terms[0]! : node("Add", terms);
}

/**
 * Returns a product with equal bases collected. A number times a single sum is distributed
 * (`2*(s + 1)` is `2*s + 2`), other products of sums stay factored, as sympy keeps them.
 */
export function product(items: readonly SymExpr[]): SymExpr {
  if (items.length === 1) return items[0]!;
  const kept = items.filter((item) => !isOne(item));
  if (kept.length <= 1) return kept[0] ?? ONE;
  if (kept.length === 2) {
    const scaled = scale(kept[0]!, kept[1]!) ?? scale(kept[1]!, kept[0]!);
    if (scaled !== undefined) return scaled;
  }
  let coefficient = ONE;
  const powers = new Map<string, { base: SymExpr; exponent: SymExpr }>();
  const collect = (item: SymExpr): void => {
    step();
    if (isNumber(item)) coefficient = mulNumbers(coefficient, item);
    else if (item.op === "Mul") item.args.forEach(collect);
    else {
      const [base, exponent] = splitPower(item);
      const known = powers.get(base.key);
      if (known === undefined) powers.set(base.key, { base, exponent });
      else known.exponent = sum([known.exponent, exponent]);
    }
  };
  kept.forEach(collect);
  const factors: SymExpr[] = [];
  for (const { base, exponent } of powers.values()) {
    const factor = power(base, exponent);
    if (isNumber(factor)) coefficient = mulNumbers(coefficient, factor);
    else factors.push(factor);
  }
  return rawProduct(coefficient, factors);
}

function rawProduct(coefficient: SymExpr, factors: SymExpr[]): SymExpr {
  if (isZero(coefficient)) return ZERO;
  if (factors.length === 1 && factors[0]!.op === "Add" && !isOne(coefficient))
    return distribute(coefficient, factors[0]!);
  factors.sort(compareStructure);
  if (!isOne(coefficient)) factors.unshift(coefficient);
  return factors.length === 0 ? ONE : factors.length === 1 ? factors[0]! : node("Mul", factors);
}

/** Returns a rational times a sum or a multiple of one: sympy's two-argument rule. */
function scale(number: SymExpr, other: SymExpr): SymExpr | undefined {
  if (!isRational(number) || isZero(number)) return undefined;
  const [coefficient, rest] = splitCoefficient(other);
  if (rest.op !== "Add") return undefined;
  if (isOne(coefficient)) return distribute(number, rest);
  const both = mulNumbers(number, coefficient);
  return isOne(both) ? rest : node("Mul", [both, rest]);
}

function distribute(number: SymExpr, addition: SymExpr): SymExpr {
  const terms = addition.args.map((term) => {
    const [coefficient, rest] = splitCoefficient(term);
    return withCoefficient(mulNumbers(number, coefficient), rest);
  });
  return sum(terms);
}

/** `base ** exponent`; integer exponents go through products and powers. */
export function power(base: SymExpr, exponent: SymExpr): SymExpr {
  if (isZero(exponent) || isOne(base)) return ONE;
  if (isOne(exponent)) return base;
  if (isNumber(base) && isNumber(exponent)) {
    const folded = powerOfNumbers(base, exponent);
    if (folded !== undefined) return folded;
  }
  if (isInteger(exponent)) {
    if (base.op === "Mul") return product(base.args.map((factor) => power(factor, exponent)));
    if (base.op === "Pow") return power(base.args[0]!, product([base.args[1]!, exponent]));
    if (base.op === "Piecewise") return mapBranches(base, (value) => power(value, exponent));
    if (base.op === "Abs" && exponent.value > 1) return powerOfAbs(base, Number(exponent.value));
  }
  return node("Pow", [base, exponent]);
}

const mapBranches = (e: SymExpr, fn: (value: SymExpr) => SymExpr): SymExpr =>
  node(
    "Piecewise",
    e.args.map((pair) => node("ExprCondPair", [fn(pair.args[0]!), pair.args[1]!])),
  );

/** Returns a power of an absolute value: an even power forgets the sign. */
function powerOfAbs(base: SymExpr, exponent: number): SymExpr {
  const even = power(base.args[0]!, integer(exponent - (exponent % 2)));
  return exponent % 2 === 0 ? even : product([even, base]);
}

function powerOfNumbers(base: SymExpr, exponent: SymExpr): SymExpr | undefined {
  if (base.op === "Float" || exponent.op === "Float")
    return floating(approximate(base) ** approximate(exponent));
  if (!isInteger(exponent)) return undefined;
  const n = Number(exponent.value);
  if (n < 0) return powerOfNumbers(invertNumber(base), mulNumbers(MINUS_ONE, exponent));
  if (base.op === "Integer") return powerOfInteger(base, n);
  const { value, den } = base;
  return mulNumbers(powerOfInteger(integer(value), n), invertNumber(powerOfInteger(integer(den), n)));
}

export const negate = (e: SymExpr): SymExpr =>
  isNumber(e) ? mulNumbers(MINUS_ONE, e) : product([MINUS_ONE, e]);
/** True when the leading sign of a product, or most signs of a sum, are negative. */
export function prefersNegation(e: SymExpr): boolean {
  if (isNumber(e)) return isNegative(e);
  if (e.op === "Mul") return isNegative(e.args[0]!);
  if (e.op !== "Add") return false;
  const negative = e.args.filter((term) => prefersNegation(term)).length;
  const positive = e.args.length - negative;
  return negative === positive ? compareDefault(e, negate(e)) < 0 : negative > positive;
}
export const subtract = (a: SymExpr, b: SymExpr): SymExpr => sum([a, negate(b)]);
/** `a / b` over the rationals: internal to divisibility tests. */
export const quotient = (a: SymExpr, b: SymExpr): SymExpr => product([a, power(b, MINUS_ONE)]);

/** Products of sums and powers of sums multiplied out, everywhere in the tree. */
export function expandWith(e: SymExpr, rebuild: (e: SymExpr, args: readonly SymExpr[]) => SymExpr): SymExpr {
  if (e.args.length === 0) return e;
  const args = e.args.map((arg) => expandWith(arg, rebuild));
  if (args.some((arg, i) => arg !== e.args[i])) {
    const rebuilt = rebuild(e, args);
    return same(rebuilt, e) ? e : expandWith(rebuilt, rebuild);
  }
  if (e.op === "Pow") return expandPower(e) ?? e;
  return e.op === "Mul" && e.args.some((arg) => arg.op === "Add") ? multiplyOut(e.args) : e;
}

function expandPower(e: SymExpr): SymExpr | undefined {
  const [base, exponent] = splitPower(e);
  if (base.op !== "Add" || !isInteger(exponent) || exponent.value < 2) return undefined;
  if (exponent.value > 64) throw tooLarge(`a sum to the power ${exponent.value}`);
  return multiplyOut(new Array<SymExpr>(Number(exponent.value)).fill(base));
}

function multiplyOut(factors: readonly SymExpr[]): SymExpr {
  let terms: readonly SymExpr[] = [ONE];
  for (const factor of factors) {
    const next = termsOf(factor);
    if (terms.length * next.length > MAX_TERMS)
      throw tooLarge(`more than ${MAX_TERMS} terms when multiplied out`);
    terms = termsOf(sum(terms.flatMap((term) => next.map((other) => product([term, other])))));
  }
  return sum(terms);
}
