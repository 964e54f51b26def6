/**
 * @file What PyTorch makes when it runs traced bodies of control flow on fake tensors, to learn the
 * results of a call: new symbols for all that only the data decide.
 */
import { symbolByName } from "@sconce/symbolic";
import { TraceNode } from "../trace/trace-node.js";
import type { Tracer } from "../trace/tracer.js";
import type { TracedFunction } from "./flow-call.js";

/**
 * Makes the symbols of a run of traced functions on fake tensors. The program declares their
 * ranges, and no value shows them.
 *
 * @param parent the trace of the enclosing graph
 * @param functions those whose results the call gives: of a loop the body alone
 * @param isCond whether the functions are run on the operands themselves, which know what was read
 *   of them
 */
export function runOnFakes(parent: Tracer, functions: readonly TracedFunction[], isCond = false): void {
  // In a draft the run finds the values of the example.
  if (parent.example !== undefined) return;
  const made = functions.flatMap(({ tracer }) =>
    symbolsOf(isCond ? tracer.nodes.filter((node) => !readsOperand(node)) : tracer.nodes),
  );
  for (const name of made) parent.innerSymbols.push(parent.env.freshLike(symbolByName(name)).name);
}

const READS: ReadonlySet<string> = new Set([
  "aten.nonzero.default",
  "aten.nonzero_numpy.default",
  "aten.item.default",
  "aten._local_scalar_dense.default",
  "aten._unique2.default",
  "aten.unique_consecutive.default",
]);

/** Whether a call reads numbers of an operand, or takes one for a mask. */
function readsOperand({ target, args: [tensor, indices] }: TraceNode): boolean {
  if (target === "aten.index.Tensor") return Array.isArray(indices) && indices.some(isOperand);
  return READS.has(target) && isOperand(tensor);
}

const isOperand = (value: unknown): boolean => value instanceof TraceNode && value.op === "placeholder";

/** The symbols that a run of a graph makes, in order. */
const symbolsOf = (nodes: readonly TraceNode[]): readonly string[] =>
  nodes.flatMap(({ body, target, unbacked }) => [
    // The condition of a loop is not run.
    ...(body === undefined || target.startsWith("while_loop_cond") ? [] : symbolsOf(body.nodes)),
    ...unbacked.map(({ symbol }) => symbol),
  ]);
