/**
 * @file What PyTorch makes when it runs traced bodies of control flow on fake tensors, to learn the
 * results of a call: new symbols for all that only the data decide.
 */
import { symbolByName } from "@sconce/symbolic";
import type { TraceNode } from "../trace/trace-node.js";
import type { Tracer } from "../trace/tracer.js";
import type { TracedFunction } from "./flow-call.js";

/**
 * Makes the symbols of a run of traced functions on fake tensors. The program declares their
 * ranges, and no value shows them.
 *
 * @param parent the trace of the enclosing graph
 * @param functions those whose results the call gives: of a loop the body alone
 */
export function runOnFakes(parent: Tracer, functions: readonly TracedFunction[]): void {
  // In a draft the run finds the values of the example.
  if (parent.example !== undefined) return;
  const made = functions.flatMap(({ tracer }) => symbolsOf(tracer.nodes));
  for (const name of made) parent.innerSymbols.push(parent.env.freshLike(symbolByName(name)).name);
}

/** The symbols that a run of a graph makes, in order. */
const symbolsOf = (nodes: readonly TraceNode[]): readonly string[] =>
  nodes.flatMap(({ body, target, unbacked }) => [
    // The condition of a loop is not run.
    ...(body === undefined || target.startsWith("while_loop_cond") ? [] : symbolsOf(body.nodes)),
    ...unbacked.map(({ symbol }) => symbol),
  ]);
