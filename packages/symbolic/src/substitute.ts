import { add, isStatic, lift, lower, mul, type SymInt, type SymValue, sub } from "./algebra.js";
import { rebuild } from "./construct.js";
import { SymExpr } from "./expr.js";
import { isInteger, isNumber } from "./number.js";
import { splitCoefficient } from "./order.js";
import { termsOf } from "./polynomial.js";

/**
 * A value with symbols replaced, by name, and simplified again. Replacements are not replaced
 * themselves.
 */
export function substitute<T extends SymValue>(
  value: T,
  replacements: ReadonlyMap<string, SymValue>,
): T | SymExpr | number | boolean {
  if (!(value instanceof SymExpr) || replacements.size === 0) return value;
  return lower(
    replaceSymbols(value, (e) => {
      const replacement = replacements.get(e.name);
      return replacement === undefined ? undefined : lift(replacement);
    }),
  );
}

/** @internal A node with symbols replaced; the same node when none is. */
export function replaceSymbols(e: SymExpr, replacement: (symbol: SymExpr) => SymExpr | undefined): SymExpr {
  if (e.op === "Symbol") return replacement(e) ?? e;
  if (e.args.length === 0) return e;
  const args = e.args.map((arg) => replaceSymbols(arg, replacement));
  return args.every((arg, i) => arg === e.args[i]) ? e : rebuild(e, args);
}

/** A linear expression of one symbol: `coefficient * symbol + offset`. */
export interface Linear {
  /** The symbol. */
  readonly symbol: SymExpr;
  /** What the symbol is multiplied by. */
  readonly coefficient: number;
  /** What is added. */
  readonly offset: number;
}

/** Splits `2*s77 + 1`; undefined for anything but an integer-linear expression of one symbol. */
export function asLinear(value: SymInt): Linear | undefined {
  if (isStatic(value)) return undefined;
  let symbol: SymExpr | undefined;
  let coefficient = 0;
  let offset = 0;
  for (const term of termsOf(value)) {
    const [factor, rest] = splitCoefficient(term);
    if (!isInteger(factor)) return undefined;
    if (isNumber(rest)) offset += Number(factor.value);
    else if (rest.op === "Symbol" && symbol === undefined)
      [symbol, coefficient] = [rest, Number(factor.value)];
    else return undefined;
  }
  return symbol === undefined ? undefined : { symbol, coefficient, offset };
}

/**
 * The symbol's value for which a linear expression equals `value`; undefined if it is not an
 * integer.
 */
export function solveLinear(
  expression: SymInt,
  value: number,
): { readonly symbol: SymExpr; readonly value: number } | undefined {
  const linear = asLinear(expression);
  if (linear === undefined) return undefined;
  const solution = (value - linear.offset) / linear.coefficient;
  return Number.isSafeInteger(solution) ? { symbol: linear.symbol, value: solution + 0 } : undefined;
}

/**
 * Solves `a == b` for a symbol that occurs once, linearly and alone in its term: the expression it
 * equals, with integer coefficients only; undefined otherwise.
 */
export function solveFor(symbol: SymExpr, a: SymInt, b: SymInt): SymInt | undefined {
  const difference = sub(a, b);
  if (isStatic(difference)) return undefined;
  let coefficient: SymExpr | undefined;
  let rest: SymInt = 0;
  for (const term of termsOf(difference)) {
    const [factor, body] = splitCoefficient(term);
    if (body.op === "Symbol" && body.name === symbol.name && coefficient === undefined) coefficient = factor;
    else if (mentions(body, symbol)) return undefined;
    else rest = add(rest, lower(term) as SymInt);
  }
  if (coefficient === undefined || !isInteger(coefficient)) return undefined;
  if (coefficient.value === 1) return mul(-1, rest);
  if (coefficient.value === -1) return rest;
  return divideExactly(mul(-1, rest), Number(coefficient.value));
}

const mentions = (e: SymExpr, symbol: SymExpr): boolean =>
  e.op === "Symbol" ? e.name === symbol.name : e.args.some((arg) => mentions(arg, symbol));

function divideExactly(value: SymInt, by: number): SymInt | undefined {
  if (isStatic(value)) return value % by === 0 ? value / by + 0 : undefined;
  let result: SymInt = 0;
  for (const term of termsOf(value)) {
    const [factor, body] = splitCoefficient(term);
    const part = Number(factor.value) / by;
    if (!isInteger(factor) || !Number.isSafeInteger(part)) return undefined;
    result = add(result, mul(part, lower(body) as SymInt));
  }
  return result;
}
