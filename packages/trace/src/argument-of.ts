/** @file Values that calls are emitted with as arguments of nodes. */
import {
  type Argument,
  type DictLiteral,
  FakeTensor,
  float,
  isSymScalar,
  type SymScalar,
  type TupleLiteral,
} from "@sconce/ir";
import type { UnboundArg } from "@sconce/ops";
import { SymExpr } from "@sconce/symbolic";

/** Where a recorder has the nodes of values. */
export interface NodeSource {
  /** Returns the node of a tensor. */
  nodeOf(value: FakeTensor): Argument;
  /** Returns the node of a symbolic number. */
  numberOf(expr: SymExpr): Argument;
}

/** A symbolic scalar as an argument: a number when it is one. */
export function scalarArgument({ kind, expr }: SymScalar, numberOf: (expr: SymExpr) => Argument): Argument {
  if (expr instanceof SymExpr) return numberOf(expr);
  return kind === "SymFloat" ? float(expr as number) : (expr as number | boolean);
}

/**
 * Returns the argument for a value: references for tensors and symbolic numbers, literals as they
 * are, also in lists, tuples and dicts.
 */
export function argumentOf(value: UnboundArg, source: NodeSource): Argument {
  if (value instanceof FakeTensor) return source.nodeOf(value);
  if (value instanceof SymExpr) return source.numberOf(value);
  if (typeof value !== "object" || value === null) return value;
  const inner = (item: unknown): Argument => argumentOf(item as UnboundArg, source);
  if (Array.isArray(value)) return value.map(inner);
  if (isSymScalar(value)) return scalarArgument(value, (expr) => source.numberOf(expr));
  const tagged = value as { readonly kind?: string };
  if (tagged.kind === "tuple")
    return Object.freeze({ kind: "tuple", items: (value as unknown as TupleLiteral).items.map(inner) });
  if (tagged.kind === "dict") {
    const { entries } = value as unknown as DictLiteral;
    return { kind: "dict", entries: entries.map(([key, item]) => [key, inner(item)] as const) };
  }
  return value as Argument;
}
