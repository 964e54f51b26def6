/** @file The state that a strict program takes: what its graph uses, in the order of first use. */
import { type TraceArgument, TraceNode } from "@sconce/torch";
import { visitNodes, visitOperands } from "@sconce/trace";
import type { StateEntry } from "./module-state.js";

/** A parameter or buffer that is an input of the program. */
export interface StateInput {
  readonly entry: StateEntry;
  readonly node: TraceNode;
  /** The path that the input is named by: that of the first use, where a tensor has several. */
  readonly path: string;
}

/** Returns all parameters and buffers, as inputs of a program that is not strict. */
export const allState = (nodes: ReadonlyMap<StateEntry, TraceNode>): StateInput[] =>
  [...nodes].map(([entry, node]) => ({ entry, node, path: entry.fqn }));

/** Visits what a node uses; of a call of graphs, in the order in which the graphs use it. */
function visitUses(call: TraceNode, use: (node: TraceNode) => void): void {
  const bodies = call.args.flatMap((arg) => (arg instanceof TraceNode && arg.body ? [arg.body] : []));
  if (bodies.length > 0) {
    const operands: TraceNode[] = [];
    for (const arg of call.args)
      if (!(arg instanceof TraceNode)) visitNodes(arg, (node) => operands.push(node));
    for (const { inputs, nodes } of bodies)
      for (const node of inputs.length === operands.length ? nodes : [])
        visitUses(node, (input) => {
          const operand = operands[inputs.indexOf(input)];
          if (operand !== undefined) use(operand);
        });
  }
  visitOperands(call, use);
}

/**
 * Returns the parameters that nodes use, then the buffers, each in the order in which the model
 * reads them. A tensor with several names is one input: its target is the first of them, and of a
 * buffer the last.
 *
 * @param read entries in the order in which the model read them
 */
export function usedState(
  nodes: ReadonlyMap<StateEntry, TraceNode>,
  calls: readonly TraceNode[],
  results: readonly TraceArgument[],
  read: readonly StateEntry[],
): StateInput[] {
  const entries = new Map<TraceNode, StateEntry[]>();
  for (const [entry, node] of nodes) entries.set(node, [...(entries.get(node) ?? []), entry]);
  const used = new Set<TraceNode>();
  const use = (node: TraceNode): void => {
    if (entries.has(node.current)) used.add(node.current);
  };
  for (const call of calls) visitUses(call, use);
  for (const result of results) visitNodes(result, use);
  // A tensor that the model reads before its first use is an input from then on.
  const order = new Map(
    [...read.entries()].map(([i, entry]) => [nodes.get(entry)?.current, i] as const).reverse(),
  );
  const rank = (node: TraceNode): number => order.get(node) ?? read.length;
  const inputs = [...used]
    .sort((a, b) => rank(a) - rank(b))
    .map((node): StateInput => {
      const names = entries.get(node)!;
      const named = read.find((entry) => names.includes(entry)) ?? names[0]!;
      const target = names[0]!.kind === "BUFFER" ? names.at(-1)! : names[0]!;
      return { entry: target, node, path: named.fqn };
    });
  return [
    ...inputs.filter(({ entry }) => entry.kind === "PARAMETER"),
    ...inputs.filter(({ entry }) => entry.kind === "BUFFER"),
  ];
}
