/**
 * @file Removal of sizes and arithmetic on sizes that nobody uses, as `make_fx` removes them
 * (`dispatch_trace` in `torch/fx/experimental/proxy_tensor.py`).
 */
import { isSymScalar } from "@sconce/ir";
import { type TraceArgument, TraceNode, visitNodes } from "./trace-node.js";

const ACCESSORS = /^aten\.sym_(size|stride|numel|storage_offset)\./;

/** The nodes without reads of sizes and symbolic arithmetic that neither nodes nor results use. */
export function withoutDeadSizes(
  nodes: readonly TraceNode[],
  results: readonly TraceArgument[],
): TraceNode[] {
  const used = new Set<TraceNode>();
  const use = (value: TraceArgument): void => visitNodes(value, (node) => used.add(node));
  results.forEach(use);
  const kept: TraceNode[] = [];
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    if (node.op !== "placeholder" && !used.has(node) && isRemovable(node)) continue;
    kept.push(node);
    node.args.forEach(use);
    for (const key in node.kwargs) use(node.kwargs[key]!);
  }
  return kept.reverse();
}

/** Reads of sizes, and what computes a symbolic value from symbolic values alone. */
function isRemovable({ target, val, args, unbacked }: TraceNode): boolean {
  if (ACCESSORS.test(target)) return true;
  if (!isSymScalar(val) || unbacked.length > 0) return false;
  return args.every((arg) => !(arg instanceof TraceNode) || isSymScalar(arg.val));
}
