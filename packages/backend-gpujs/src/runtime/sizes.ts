/** @file Sizes that become known while a program runs. */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import { SymExpr } from "@sconce/symbolic";
import { isTensor, type RunValue } from "./values.js";

/** Takes the sizes that a value shows: a tensor's, or the value of a size itself. */
export function learnSizes(meta: MetaValue | undefined, value: RunValue, into: Map<string, number>): void {
  if (meta instanceof FakeTensor && isTensor(value)) {
    meta.shape.forEach((size, d) => {
      learn(size, value.shape[d]!, into);
    });
  } else if (typeof value === "number" || typeof value === "bigint") {
    const { kind, expr } = (meta ?? {}) as { readonly kind?: string; readonly expr?: unknown };
    if (kind === "SymInt") learn(expr, Number(value), into);
  }
}

function learn(size: unknown, value: number, into: Map<string, number>): void {
  if (size instanceof SymExpr && size.op === "Symbol") into.set(size.name, value);
}
