import type { SymExpr } from "../expr/expr.js";
import { step } from "../expr/meter.js";
import { compareNumbers, isInteger, isNumber, isZero, ZERO } from "../expr/number.js";
import { compareDefault, splitCoefficient, splitPower } from "../expr/order.js";
import { factorsOf, product, quotient, subtract, sum, termsOf } from "./polynomial.js";

/** More steps than this and the division is given up. */
const MAX_STEPS = 64;

/** `dividend / divisor` when that is exact over the integers, else undefined. */
export function dividePolynomial(dividend: SymExpr, divisor: SymExpr): SymExpr | undefined {
  const generators = generatorsOf([dividend, divisor]);
  const lead = leadingTerm(divisor, generators);
  const result: SymExpr[] = [];
  let rest = expandTop(dividend);
  for (let step = 0; !isZero(rest); step++) {
    if (step === MAX_STEPS) return undefined;
    const factor = divideTerm(leadingTerm(rest, generators), lead);
    if (factor === undefined) return undefined;
    result.push(factor);
    rest = subtract(rest, sum(termsOf(divisor).map((term) => product([factor, term]))));
  }
  return result.length === 0 ? ZERO : sum(result);
}

function expandTop(e: SymExpr): SymExpr {
  return sum(
    termsOf(e).map((term) => {
      const factors = factorsOf(term);
      if (!factors.some((factor) => factor.op === "Add")) return term;
      return factors.reduce((whole, factor) =>
        sum(termsOf(whole).flatMap((a) => termsOf(factor).map((b) => product([a, b])))),
      );
    }),
  );
}

function generatorsOf(polynomials: readonly SymExpr[]): readonly SymExpr[] {
  const found = new Map<string, SymExpr>();
  for (const term of polynomials.flatMap(termsOf)) {
    for (const factor of factorsOf(splitCoefficient(term)[1])) {
      step();
      const [base] = splitPower(factor);
      if (!isNumber(base)) found.set(base.key, base);
    }
  }
  return [...found.values()].sort(compareDefault);
}

const exponentOf = (term: SymExpr, generator: SymExpr): number => {
  step();
  for (const factor of factorsOf(term)) {
    const [base, exponent] = splitPower(factor);
    if (base.key === generator.key && isInteger(exponent)) return Number(exponent.value);
  }
  return 0;
};

function leadingTerm(e: SymExpr, generators: readonly SymExpr[]): SymExpr {
  return termsOf(e).reduce((best, term) => {
    for (const generator of generators) {
      const order = exponentOf(term, generator) - exponentOf(best, generator);
      if (order !== 0) return order > 0 ? term : best;
    }
    return best;
  });
}

function divideTerm(a: SymExpr, b: SymExpr): SymExpr | undefined {
  const q = quotient(a, b);
  const [coefficient, rest] = splitCoefficient(q);
  if (!isInteger(coefficient)) return undefined;
  const negativePower = factorsOf(rest).some(
    (factor) => factor.op === "Pow" && compareNumbers(factor.args[1]!, ZERO) < 0,
  );
  return negativePower ? undefined : q;
}
