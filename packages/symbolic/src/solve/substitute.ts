import { type IntLike, isStatic, lift, lower, type SymValue } from "../algebra/algebra.js";
import { rebuild } from "../algebra/construct.js";
import { termsOf } from "../algebra/polynomial.js";
import { SymExpr } from "../expr/expr.js";
import { isInteger, isNumber } from "../expr/number.js";
import { splitCoefficient } from "../expr/order.js";

/**
 * Returns a value with symbols replaced, by name, and simplified again. Replacements are not
 * replaced themselves.
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
export function asLinear(value: IntLike): Linear | undefined {
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
 * Returns the symbol's value for which a linear expression equals `value`; undefined if it is not
 * an integer.
 */
export function solveLinear(
  expression: IntLike,
  value: number,
): { readonly symbol: SymExpr; readonly value: number } | undefined {
  const linear = asLinear(expression);
  if (linear === undefined) return undefined;
  const solution = (value - linear.offset) / linear.coefficient;
  return Number.isSafeInteger(solution) ? { symbol: linear.symbol, value: solution + 0 } : undefined;
}
