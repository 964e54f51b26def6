/**
 * @file What PyTorch makes when it runs traced bodies of control flow on fake tensors, to learn the
 * results of a call: new symbols for all that only the data decide.
 */
import { FakeTensor } from "@sconce/ir";
import { symbolByName } from "@sconce/symbolic";
import { readTensor } from "@sconce/trace";
import type { TraceNode } from "../trace/trace-node.js";
import type { Tracer } from "../trace/tracer.js";
import type { TracedFunction } from "./flow-call.js";
import { isPlaceholder } from "./operand-reads.js";

/**
 * Makes the symbols of a run of traced functions on fake tensors. The program declares their
 * ranges, and no value shows them.
 *
 * @param parent the trace of the enclosing graph
 * @param functions those whose results the call gives: of a loop the body alone
 * @param isCond whether the functions are run on the operands themselves, which know what was read
 *   of them
 * @returns how many symbols it made
 */
export function runOnFakes(parent: Tracer, functions: readonly TracedFunction[], isCond = false): number {
  // In a draft the run finds the values of the example.
  if (parent.example !== undefined) return 0;
  const isKnown = isCond ? isPlaceholder : () => false;
  const made = functions.flatMap(({ tracer }) => symbolsOf(tracer.nodes, isKnown));
  // Gradients of operands let PyTorch run the functions once more.
  const runs = parent.gradEnabled && functions.some(({ tracer }) => tracer.nodes.some(takesGradient)) ? 2 : 1;
  for (let run = 0; run < runs; run++)
    for (const name of made) parent.innerSymbols.add(parent.env.freshLike(symbolByName(name)).name);
  return made.length;
}

const takesGradient = ({ op, val }: TraceNode): boolean =>
  op === "placeholder" && val instanceof FakeTensor && val.requiresGrad;

/**
 * Returns the symbols that a run of a graph makes, in order.
 *
 * @param isKnown whether a value of the graph is a tensor that knows what was read of it
 */
function symbolsOf(nodes: readonly TraceNode[], isKnown: (value: unknown) => boolean): readonly string[] {
  return nodes.flatMap(({ body, target, args, unbacked }) => {
    // The condition of a loop is not run.
    if (body !== undefined && !target.startsWith("while_loop_cond")) {
      const { inputs, operands = [] } = body;
      return symbolsOf(body.nodes, (value) => isKnown(operands[inputs.indexOf(value as TraceNode)]));
    }
    return isKnown(readTensor(target, args)) ? [] : unbacked.map(({ symbol }) => symbol);
  });
}
