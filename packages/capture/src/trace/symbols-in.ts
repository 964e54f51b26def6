/** @file Symbols of values. */
import { FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import { freeSymbols, SymExpr } from "@sconce/symbolic";

/** Whether a result has symbols that its operands do not have. */
export function bringsSymbols(result: MetaValue, operands: readonly FakeTensor[]): boolean {
  const own = symbolsIn(result);
  if (own.size === 0) return false;
  const given = symbolsIn(operands);
  return [...own].some((symbol) => !given.has(symbol));
}

function symbolsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) symbolsIn(item, found);
  else if (value instanceof FakeTensor)
    symbolsIn([...value.shape, ...value.strides, value.storageOffset], found);
  else if (value instanceof SymExpr) for (const name of freeSymbols(value).keys()) found.add(name);
  else if (typeof value === "object" && value !== null && isSymScalar(value as never))
    symbolsIn((value as { expr: unknown }).expr, found);
  return found;
}
