/** @file Removal of traced nodes that nothing uses. */
import { isSymScalar } from "@sconce/ir";
import { readsSize, type TraceArgument, TraceNode, visitNodes, visitOperands } from "./trace-node.js";

/**
 * Returns the nodes without those that neither nodes nor results use, where `isRemovable` allows
 * it.
 */
export function withoutUnused<M>(
  nodes: readonly TraceNode<M>[],
  results: readonly TraceArgument<M>[],
  isRemovable: (node: TraceNode<M>) => boolean,
): TraceNode<M>[] {
  const used = new Set<TraceNode<M>>();
  const use = (node: TraceNode<M>): void => void used.add(node);
  for (const result of results) visitNodes(result, use);
  const kept: TraceNode<M>[] = [];
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    if (node.op !== "placeholder" && !used.has(node) && isRemovable(node)) continue;
    kept.push(node);
    visitOperands(node, use);
  }
  return kept.reverse();
}

/**
 * Returns the nodes without reads of sizes and symbolic arithmetic that neither nodes nor results
 * use, as `make_fx` removes them (`dispatch_trace` in `torch/fx/experimental/proxy_tensor.py`).
 */
export const withoutDeadSizes = <M>(
  nodes: readonly TraceNode<M>[],
  results: readonly TraceArgument<M>[],
): TraceNode<M>[] => withoutUnused(nodes, results, isSizeArithmetic);

/** Reads of sizes, and what computes a symbolic value from symbolic values alone. */
function isSizeArithmetic<M>(node: TraceNode<M>): boolean {
  if (readsSize(node)) return true;
  const { val, args, unbacked } = node;
  if (!isSymScalar(val) || unbacked.length > 0) return false;
  return args.every((arg) => !(arg instanceof TraceNode) || isSymScalar(arg.val));
}
