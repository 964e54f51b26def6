/** @file What single calls cost, before any of them is fused with others. */
import { isSconceError } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, type Graph, type MetaValue, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { callProgram } from "@sconce/passes";
import { type Bindings, freeSymbols } from "@sconce/symbolic";
import { totalCost } from "../plan/cost.js";
import { LOOP_PIPELINE, lowerProgram } from "./lower-program.js";

/** What one call costs, or why that is unknown. */
export type CallCost = { readonly flops: number; readonly bytes: number } | { readonly reason: string };

/** What counting needs of a session. */
export interface CostSession {
  /** The operators of the session. */
  readonly operators: OperatorTable;
  /** Runs a pipeline. */
  transform(program: ExportedProgram, pipeline: string): ExportedProgram;
}

/** Counts the arithmetic and the bytes of the loops of one call of a program. */
export function callCost(
  program: ExportedProgram,
  graph: Graph,
  node: Node,
  session: CostSession,
  sizes: Bindings = program.symbolHints,
): CallCost {
  try {
    const prepared = session.transform(callProgram(program, graph, node), LOOP_PIPELINE);
    const { regions, left } = lowerProgram(prepared, { operators: session.operators });
    const [first] = left;
    if (first !== undefined) return { reason: `${first.target} has no loops: ${first.reason}` };
    let [flops, bytes] = [0, 0];
    for (const { loops } of regions) {
      const cost = totalCost(loops, loops.nests, sizes);
      flops += cost.flops;
      bytes += cost.bytes;
    }
    return { flops, bytes };
  } catch (error) {
    if (isSconceError(error)) return { reason: error.message };
    throw error;
  }
}

/** What a size without an example and without bounds is taken to be. */
const ASSUMED_SIZE = 64;

/**
 * Values for symbols that no input gives: {@link ASSUMED_SIZE}, or the end of their range that is
 * nearest to it.
 */
export function assumedSizes({ graph, symbolHints, rangeConstraints }: ExportedProgram): Map<string, number> {
  const values = new Map<string, number>();
  const note = (value: MetaValue): void => {
    if (Array.isArray(value)) value.forEach(note);
    else if (value instanceof FakeTensor)
      for (const size of value.shape)
        for (const name of freeSymbols(size).keys())
          if (!symbolHints.has(name)) {
            const { min = 0, max = ASSUMED_SIZE } = rangeConstraints.get(name) ?? {};
            values.set(name, Math.max(min, Math.min(max, ASSUMED_SIZE)));
          }
  };
  const visit = (inner: Graph): void => {
    for (const { meta } of inner.nodes()) if (meta.val !== undefined) note(meta.val);
    for (const nested of inner.subgraphs.values()) visit(nested);
  };
  visit(graph);
  return values;
}
