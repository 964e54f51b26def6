/** @file Symbols of values. */
import { FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import { freeSymbols, SymExpr } from "@sconce/symbolic";

/** Returns whether a result has symbols that its operands do not have. */
export function bringsSymbols(result: MetaValue, operands: readonly FakeTensor[]): boolean {
  const own = symbolsIn(result);
  if (own.size === 0) return false;
  const given = symbolsIn(operands);
  return [...own.keys()].some((symbol) => !given.has(symbol));
}

/**
 * Returns the symbols of a value by name: those of sizes, strides, offsets and scalars, in lists
 * too.
 */
export function symbolsIn(value: unknown): ReadonlyMap<string, SymExpr> {
  const found = new Map<string, SymExpr>();
  visitExpressions(value, (expr) => {
    for (const [name, symbol] of freeSymbols(expr)) found.set(name, symbol);
  });
  return found;
}

/** Calls `visit` for each symbolic size, stride, offset and scalar of a value, in lists too. */
export function visitExpressions(value: unknown, visit: (expr: SymExpr) => void): void {
  if (Array.isArray(value)) for (const item of value) visitExpressions(item, visit);
  else if (value instanceof FakeTensor)
    visitExpressions([...value.shape, ...value.strides, value.storageOffset], visit);
  else if (value instanceof SymExpr) visit(value);
  else if (isSymScalar(value)) visitExpressions(value.expr, visit);
}
