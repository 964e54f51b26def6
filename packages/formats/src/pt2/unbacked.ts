/**
 * @file Which node brings a data-dependent symbol into a graph, and where in its value the symbol
 * stands.
 */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { SymExpr } from "@sconce/symbolic";
import { isUnbacked } from "@sconce/symbolic/expression";

type Visit = (symbol: string, path: string) => void;

function visitSymbols(value: MetaValue | undefined, path: string, visit: Visit): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) {
    (value as readonly MetaValue[]).forEach((item, i) => {
      visitSymbols(item, `${path}[${i}]`, visit);
    });
  } else if (value instanceof FakeTensor) {
    visitAll(value.shape, `${path}.size()`, visit);
    visitAll(value.strides, `${path}.stride()`, visit);
    visitOne(value.storageOffset, `${path}.storage_offset()`, visit);
  } else if ("expr" in value) {
    visitOne(value.expr, path, visit);
  }
}

function visitAll(values: readonly unknown[], path: string, visit: Visit): void {
  for (let i = 0; i < values.length; i++) visitOne(values[i], `${path}[${i}]`, visit);
}

function visitOne(value: unknown, path: string, visit: Visit): void {
  if (typeof value === "object" && isUnbacked(value as SymExpr)) visit((value as SymExpr).name, path);
}

/** Remembers which symbols are bound already while the nodes of a graph go by in order. */
export class SymbolBindings {
  readonly #bound = new Set<string>();

  /**
   * Returns the symbols that this value is the first to show, with their paths (`[0].size()[1]`);
   * undefined for none.
   */
  bind(value: MetaValue | undefined): Readonly<Record<string, string>> | undefined {
    const bindings: [symbol: string, path: string][] = [];
    visitSymbols(value, "", (symbol, path) => {
      if (this.#bound.has(symbol)) return;
      this.#bound.add(symbol);
      bindings.push([symbol, path]);
    });
    return bindings.length === 0 ? undefined : Object.freeze(Object.fromEntries(bindings));
  }
}
