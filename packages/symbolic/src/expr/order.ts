import { SymExpr, type SymOp } from "./expr.js";
import { step } from "./meter.js";
import { compareNumbers, isInteger, isNegative, isNumber, MINUS_ONE, negateNumber, ONE } from "./number.js";

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the number factor of a product, and the rest. */
export function splitCoefficient(e: SymExpr): readonly [coefficient: SymExpr, rest: SymExpr] {
  const first = e.args[0];
  if (e.op === "Mul" && first !== undefined && isNumber(first)) {
    const rest = e.args.slice(1);
    return [first, rest.length === 1 ? rest[0]! : new SymExpr({ op: "Mul", args: rest })];
  }
  return isNumber(e) ? [e, ONE] : [ONE, e];
}

/** Base and exponent. */
export const splitPower = (e: SymExpr): readonly [base: SymExpr, exponent: SymExpr] =>
  e.op === "Pow" ? [e.args[0]!, e.args[1]!] : [e, ONE];

/** sympy's class ranks: numbers, symbols, products, sums, powers, functions, the rest. */
function classRank(op: SymOp): number {
  switch (op) {
    case "Integer":
    case "Rational":
    case "Float":
      return 100_000;
    case "Symbol":
      return 200_000;
    case "Mul":
      return 300_000;
    case "Add":
      return 300_001;
    case "Pow":
      return 300_002;
    case "Piecewise":
    case "Identity":
    case "IsNonOverlappingAndDenseIndicator":
      return 400_000;
    case "Max":
    case "Min":
    case "ExprCondPair":
    case "And":
    case "Or":
    case "Not":
    case "True":
    case "False":
    case "Equality":
    case "Unequality":
    case "GreaterThan":
    case "LessThan":
    case "StrictGreaterThan":
    case "StrictLessThan":
      return 500_000;
    default:
      return 410_000;
  }
}

const className = (op: SymOp): string =>
  op === "Integer" || op === "Rational" || op === "Float"
    ? "Number"
    : op === "True" || op === "False"
      ? `Boolean${op}`
      : op;

/**
 * sympy's `default_sort_key` as a comparison: the order in which products, `Max` and functions list
 * their arguments.
 */
export function compareDefault(a: SymExpr, b: SymExpr): number {
  if (a === b) return 0;
  step();
  // Long sums are of symbols mostly.
  if (a.op === "Symbol" && b.op === "Symbol") return compareText(a.name, b.name);
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  const [coefficientA, restA] = splitCoefficient(a);
  const [coefficientB, restB] = splitCoefficient(b);
  const [baseA, exponentA] = isNumber(a) ? [a, ONE] : splitPower(restA);
  const [baseB, exponentB] = isNumber(b) ? [b, ONE] : splitPower(restB);
  return (
    classRank(baseA.op) - classRank(baseB.op) ||
    compareText(className(baseA.op), className(baseB.op)) ||
    compareArguments(baseA, baseB) ||
    compareDefault(exponentA, exponentB) ||
    compareNumbers(isNumber(a) ? ONE : coefficientA, isNumber(b) ? ONE : coefficientB)
  );
}

function compareArguments(a: SymExpr, b: SymExpr): number {
  if (a.op === "Symbol") return compareText(a.name, b.name);
  const left = listed(a);
  const right = listed(b);
  if (left.length !== right.length) return left.length - right.length;
  for (let i = 0; i < left.length; i++) {
    const order = compareDefault(left[i]!, right[i]!);
    if (order !== 0) return order;
  }
  return 0;
}

const listed = (e: SymExpr): readonly SymExpr[] =>
  e.op === "Add" ? orderedTerms(e) : e.op === "Mul" ? orderedFactors(e) : e.args;

/** Factors of a product in printing order; a negative number counts as -1 and its opposite. */
export function orderedFactors(e: SymExpr): readonly SymExpr[] {
  if (e.op !== "Mul") return [e];
  const [first, ...rest] = e.args;
  const split =
    isNegative(first!) && !(isInteger(first!) && first!.value === -1)
      ? [MINUS_ONE, negateNumber(first!), ...rest]
      : [...e.args];
  return split.sort(compareDefault);
}

/**
 * By size first, then {@link compareDefault}: how `And`, `Or`, `Max` and `Min` keep their
 * arguments.
 */
export const compareBySize = (a: SymExpr, b: SymExpr): number => a.weight - b.weight || compareDefault(a, b);

const termOrder = new WeakMap<SymExpr, readonly SymExpr[]>();

/**
 * Terms of a sum in printing order: lexicographic by monomial, higher powers first, constants last.
 */
export function orderedTerms(e: SymExpr): readonly SymExpr[] {
  if (e.op !== "Add") return [e];
  // Comparing nested sums orders their terms again and again: without the cache that is exponential
  // in the nesting.
  const known = termOrder.get(e);
  if (known !== undefined) return known;
  const terms = sortTerms(e);
  termOrder.set(e, terms);
  return terms;
}

function sortTerms(e: SymExpr): readonly SymExpr[] {
  const special = numberMinusTerm(e);
  if (special !== undefined) return special;
  if (e.args.every((term) => term.op === "Symbol" || isNumber(term))) return [...e.args].sort(compareLinear);
  const monomials = e.args.map(monomial);
  if (monomials.every(isLinear)) return sortLinear(e.args, monomials);
  const seen = new Map<string, SymExpr>();
  for (const powers of monomials)
    for (const [base] of powers) if (!seen.has(base.key)) seen.set(base.key, base);
  const generators = [...seen.values()].sort(compareDefault);
  const rank = new Map(generators.map((generator, i) => [generator.key, i]));
  const rows = monomials.map((powers, i) => ({
    term: e.args[i]!,
    powers: powers
      .map(([base, exponent]): Power => [rank.get(base.key)!, exponent])
      .sort((a, b) => a[0] - b[0]),
  }));
  rows.sort((a, b) => comparePowers(a.powers, b.powers) || compareCoefficients(a.term, b.term));
  return rows.map((row) => row.term);
}

/** Returns the order of symbols and a number, which comes last. */
function compareLinear(a: SymExpr, b: SymExpr): number {
  if (a.op === "Symbol" && b.op === "Symbol") return compareDefault(a, b);
  return Number(isNumber(a)) - Number(isNumber(b));
}

type Monomial = ReturnType<typeof monomial>;

/** Returns whether a term has no power or one, of exponent 1. */
const isLinear = (powers: Monomial): boolean =>
  powers.length === 0 || (powers.length === 1 && powers[0]![1] === 1);

/**
 * Returns the same order for terms of at most one factor each: that of the factors, constants last.
 */
function sortLinear(terms: readonly SymExpr[], monomials: readonly Monomial[]): readonly SymExpr[] {
  const rows = terms.map((term, i) => ({ term, base: monomials[i]![0]?.[0] }));
  rows.sort((a, b) => {
    if (a.base === undefined || b.base === undefined)
      return (
        Number(a.base === undefined) - Number(b.base === undefined) || compareCoefficients(a.term, b.term)
      );
    return (
      compareDefault(a.base, b.base) || (a.base.key === b.base.key ? compareCoefficients(a.term, b.term) : 0)
    );
  });
  return rows.map((row) => row.term);
}

const compareCoefficients = (a: SymExpr, b: SymExpr): number =>
  compareNumbers(splitCoefficient(a)[0], splitCoefficient(b)[0]);

/** The exponent of a generator, by the generator's rank. */
type Power = readonly [generator: number, exponent: number];
const NO_POWER: Power = [Infinity, 0];

/** Compares the exponents of all generators, missing ones as zeros; higher powers come first. */
function comparePowers(a: readonly Power[], b: readonly Power[]): number {
  step();
  for (let i = 0; ; i++) {
    const left = a[i] ?? NO_POWER;
    const right = b[i] ?? NO_POWER;
    if (left[0] !== right[0]) return left[0] < right[0] ? -left[1] : right[1];
    if (left === NO_POWER) return 0;
    if (left[1] !== right[1]) return right[1] - left[1];
  }
}

/** `100 - s`: a positive number plus a negative multiple of one factor keeps the number first. */
function numberMinusTerm(e: SymExpr): readonly SymExpr[] | undefined {
  if (e.args.length !== 2) return undefined;
  const number = e.args.find(isNumber);
  const product = e.args.find((arg) => arg.op === "Mul");
  if (number === undefined || product === undefined || product.args.length !== 2) return undefined;
  if (isNegative(number) || number.value === 0 || !product.args.some(isNegative)) return undefined;
  return [number, product];
}

function monomial(term: SymExpr): readonly (readonly [base: SymExpr, exponent: number])[] {
  const [, rest] = splitCoefficient(term);
  if (isNumber(rest)) return [];
  const factors = rest.op === "Mul" ? rest.args : [rest];
  return factors.map((factor) => {
    const [base, exponent] = splitPower(factor);
    return isInteger(exponent) ? [base, Number(exponent.value)] : [factor, 1];
  });
}

const CLASS_ORDER = new Map(
  [
    "Zero",
    "One",
    "Half",
    "NegativeOne",
    "Integer",
    "Rational",
    "Float",
    "Symbol",
    "Pow",
    "Mul",
    "Add",
    "Abs",
    "Equality",
    "Unequality",
    "StrictGreaterThan",
    "StrictLessThan",
    "GreaterThan",
    "LessThan",
  ].map((name, index) => [name, index]),
);

function structuralName(e: SymExpr): string {
  if (e.op === "Integer")
    return e.value === 0 ? "Zero" : e.value === 1 ? "One" : e.value === -1 ? "NegativeOne" : "Integer";
  if (e.op === "Rational" && e.value === 1n && e.den === 2n) return "Half";
  return className(e.op) === "Number" ? e.op : className(e.op);
}

/** How many assumptions follow from a symbol's own: sympy compares that before the names. */
const IMPLIED: Readonly<Record<string, number>> = {
  "": 2,
  real: 9,
  "nonnegative,real": 13,
  integer: 15,
  "integer,nonzero": 18,
  "integer,nonnegative": 19,
  positive: 20,
  "positive,real": 20,
  "integer,positive": 26,
  "integer,negative": 28,
};
const impliedBy = (e: SymExpr): number =>
  IMPLIED[
    e.assumptions
      .map(([name]) => name)
      .sort()
      .join(",")
  ] ?? 15;

/** Most symbols have the same assumptions, in the same order. */
function compareAssumptions(a: SymExpr, b: SymExpr): number {
  if (a.assumptions === b.assumptions) return 0;
  const { length } = a.assumptions;
  let i = 0;
  while (i < length && a.assumptions[i]![0] === b.assumptions[i]?.[0]) i++;
  return i === length && b.assumptions.length === length ? 0 : impliedBy(a) - impliedBy(b);
}

const compareSymbols = (a: SymExpr, b: SymExpr): number =>
  compareAssumptions(a, b) || compareText(a.name, b.name) || compareText(a.key, b.key);

/**
 * sympy's structural comparison: the order in which sums and products keep their arguments, seen in
 * guard texts.
 */
export function compareStructure(a: SymExpr, b: SymExpr): number {
  if (a === b) return 0;
  step();
  if (a.op === "Symbol" && b.op === "Symbol") return compareSymbols(a, b);
  const nameA = structuralName(a);
  const nameB = structuralName(b);
  if (nameA !== nameB) {
    const [rankA, rankB] = [CLASS_ORDER.get(nameA) ?? 99, CLASS_ORDER.get(nameB) ?? 99];
    return rankA === 99 && rankB === 99 ? compareText(nameA, nameB) : rankA - rankB;
  }
  if (isNumber(a)) return compareNumbers(a, b);
  if (a.args.length !== b.args.length) return a.args.length - b.args.length;
  for (let i = 0; i < a.args.length; i++) {
    const order = compareStructure(a.args[i]!, b.args[i]!);
    if (order !== 0) return order;
  }
  return 0;
}
