/**
 * @file Removal of sizes and arithmetic on sizes that nothing uses, as `make_fx` removes them
 * (`dispatch_trace` in `torch/fx/experimental/proxy_tensor.py`).
 */
import { isSymScalar } from "@sconce/ir";
import { readsSize, type TraceArgument, TraceNode, visitNodes, visitOperands } from "./trace-node.js";

/** The nodes without reads of sizes and symbolic arithmetic that neither nodes nor results use. */
export function withoutDeadSizes(
  nodes: readonly TraceNode[],
  results: readonly TraceArgument[],
): TraceNode[] {
  const used = new Set<TraceNode>();
  const use = (node: TraceNode): void => void used.add(node);
  for (const result of results) visitNodes(result, use);
  const kept: TraceNode[] = [];
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    if (node.op !== "placeholder" && !used.has(node) && isRemovable(node)) continue;
    kept.push(node);
    visitOperands(node, use);
  }
  return kept.reverse();
}

/** Reads of sizes, and what computes a symbolic value from symbolic values alone. */
function isRemovable(node: TraceNode): boolean {
  if (readsSize(node)) return true;
  const { val, args, unbacked } = node;
  if (!isSymScalar(val) || unbacked.length > 0) return false;
  return args.every((arg) => !(arg instanceof TraceNode) || isSymScalar(arg.val));
}
