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
import { TraceNode } from "./trace-node.js";

/** Where a recorder has the nodes of values; `R` is what it refers to nodes by. */
export interface NodeSource<R> {
  /** Returns the node of a tensor. */
  nodeOf(value: FakeTensor): R;
  /** Returns the node of a symbolic number. */
  numberOf(expr: SymExpr): R;
}

/** Returns a symbolic scalar as an argument: a number when it is one. */
export function scalarArgument<R>({ kind, expr }: SymScalar, numberOf: (expr: SymExpr) => R): R | Argument {
  if (expr instanceof SymExpr) return numberOf(expr);
  return kind === "SymFloat" ? float(expr as number) : (expr as number | boolean);
}

/**
 * Returns the argument for a value: references for tensors and symbolic numbers, literals as they
 * are, also in lists, tuples and dicts.
 */
export function argumentOf<R>(value: UnboundArg | R, source: NodeSource<R>): R {
  if (value instanceof FakeTensor) return source.nodeOf(value);
  if (value instanceof SymExpr) return source.numberOf(value);
  if (typeof value !== "object" || value === null || value instanceof TraceNode) return value as R;
  const inner = (item: unknown): R => argumentOf(item as UnboundArg, source);
  // Calls that are recorded again share it: `isLiteralList` asks for frozen ones.
  if (Array.isArray(value)) return Object.freeze(value.map(inner)) as R;
  if (isSymScalar(value)) return scalarArgument(value, (expr) => source.numberOf(expr)) as R;
  const tagged = value as { readonly kind?: string };
  if (tagged.kind === "tuple") {
    const items = (value as unknown as TupleLiteral).items.map(inner);
    return Object.freeze({ kind: "tuple", items }) as R;
  }
  if (tagged.kind === "dict") {
    const { entries } = value as unknown as DictLiteral;
    return { kind: "dict", entries: entries.map(([key, item]) => [key, inner(item)] as const) } as R;
  }
  return value as R;
}
