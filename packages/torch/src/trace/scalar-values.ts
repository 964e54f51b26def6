/** @file Symbolic values of the user's program as graphs hold them. */
import type { Argument, MetaValue, SymScalar } from "@sconce/ir";
import type { SymExpr } from "@sconce/symbolic";
import { type Sym, SymBool, SymFloat, SymInt } from "./sym-int.js";

/** Returns the symbolic scalar of graphs for a value of the user's. */
export function scalarValue(value: Sym): SymScalar {
  if (value instanceof SymInt) return { kind: "SymInt", expr: value.expr };
  return value instanceof SymFloat
    ? { kind: "SymFloat", expr: value.expr }
    : { kind: "SymBool", expr: value.expr };
}

/** Returns whether a value of a graph is known: a constant, such as `None` among inputs. */
export const isConstant = (value: MetaValue): value is MetaValue & { readonly value: Argument } =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "constant";

/** Returns the user's value for a symbolic scalar of graphs. */
export function wrapScalar(kind: SymScalar["kind"], expr: SymExpr): Sym {
  if (kind === "SymInt") return new SymInt(expr);
  return kind === "SymFloat" ? new SymFloat(expr) : new SymBool(expr);
}
