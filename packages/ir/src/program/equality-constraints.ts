/** @file Sizes of inputs that are equal in every call (`ExportedProgram.equality_constraints`). */
import { SymExpr } from "@sconce/symbolic/expression";
import type { Graph } from "../graph/graph.js";
import { FakeTensor, isSymScalar } from "../values/meta.js";
import type { GraphSignature } from "./signature.js";

/** A size of an input, or an integer input. */
export interface InputDim {
  /** The input as the graph names it. */
  readonly input: string;
  /** The dimension, from 0 on; null for the value of an integer. */
  readonly dim: number | null;
}

/** Two sizes that are equal in every call. */
export type EqualityConstraint = readonly [InputDim, InputDim];

/**
 * Returns the first size of each symbol with each further size of it, in the order of the inputs.
 */
export function equalityConstraints(graph: Graph, { inputSpecs }: GraphSignature): EqualityConstraint[] {
  const first = new Map<string, InputDim>();
  const pairs: EqualityConstraint[] = [];
  const note = (size: unknown, input: string, dim: number | null): void => {
    if (!(size instanceof SymExpr) || size.op !== "Symbol") return;
    const known = first.get(size.name);
    if (known === undefined) first.set(size.name, { input, dim });
    else pairs.push([known, { input, dim }]);
  };
  for (const { kind, arg } of inputSpecs) {
    if (kind !== "USER_INPUT" || !("name" in arg)) continue;
    const { val } = graph.node(arg.name).meta;
    if (val instanceof FakeTensor) for (const [dim, size] of val.shape.entries()) note(size, arg.name, dim);
    else if (isSymScalar(val)) note(val.expr, arg.name, null);
  }
  return pairs;
}
