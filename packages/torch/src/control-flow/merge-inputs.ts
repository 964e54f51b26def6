/** @file The inputs that graphs of one call share (`_merge_graph_inputs` of TorchDynamo). */
import { TraceNode } from "../trace/trace-node.js";
import type { BodyTracer } from "./body-tracer.js";

/** The inputs of several graphs that are called with the same operands. */
export interface MergedInputs {
  /** The traces of the graphs. */
  readonly tracers: readonly BodyTracer[];
  /** What the call passes. */
  readonly operands: readonly TraceNode[];
  /** For each graph its inputs: one for each operand. */
  readonly inputs: readonly (readonly TraceNode[])[];
}

/**
 * Makes one list of what graphs read of the enclosing graph: first what all of them read, then what
 * only the first reads, and so on, each part in the order of names.
 */
export function mergeInputs(tracers: readonly BodyTracer[]): MergedInputs {
  const byOuter = tracers.map(({ lifted }) => new Map(lifted.map((one) => [one.outer, one])));
  const taken = new Set<TraceNode>();
  const parts = [
    [...byOuter[0]!.values()].filter(({ outer }) => byOuter.every((lifted) => lifted.has(outer))),
    ...byOuter.map((lifted) => [...lifted.values()]),
  ].map((part) => {
    const left = part.filter(({ outer }) => !taken.has(outer));
    const keys = new Map(left.length < 2 ? [] : left.map((one) => [one, one.key()]));
    const own = left.sort((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1));
    for (const { outer } of own) taken.add(outer);
    return own;
  });
  const all = parts.flat();
  return {
    tracers,
    operands: all.map(({ outer }) => outer),
    inputs: byOuter.map((lifted) =>
      all.map(({ outer, input }) => lifted.get(outer)?.input ?? unusedInput(input)),
    ),
  };
}

/** Returns an input that a graph takes since another one reads it. */
const unusedInput = ({ name, target, val }: TraceNode): TraceNode =>
  new TraceNode({ name, op: "placeholder", target, val });
