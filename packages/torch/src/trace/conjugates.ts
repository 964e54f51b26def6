/** @file Which tensors of a trace are views with a pending conjugation (`is_conj()`). */
import type { OperatorTable } from "@sconce/ops";
import { type TraceArgument, TraceNode } from "./trace-node.js";

/** Operators with the schema of a view that give a resolved copy. */
const RESOLVING = new Set(["aten.resolve_conj.default", "aten.contiguous.default"]);

/** Returns whether the value of a node is the conjugate of its memory. */
export function isConjugated(node: TraceArgument | undefined, operators: OperatorTable): boolean {
  let conjugated = false;
  let current: unknown = node;
  while (current instanceof TraceNode) {
    const { target } = current;
    if (RESOLVING.has(target) || operators.get(target)?.schema.isView !== true) break;
    if (target === "aten._conj.default" || target === "aten.conj.default") conjugated = !conjugated;
    [current] = current.args;
  }
  return conjugated;
}
