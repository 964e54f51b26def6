import { type TraceArgument, TraceNode } from "./trace-node.js";

/** Reads each item of a result once (`_common_getitem_elimination_pass`). */
export function withoutCommonItems(nodes: readonly TraceNode[]): TraceNode[] {
  const first = new Map<TraceNode, Map<TraceArgument | undefined, TraceNode>>();
  return nodes.filter((node) => {
    const [source, item] = node.args;
    if (node.target !== "operator.getitem" || !(source instanceof TraceNode)) return true;
    const items = first.get(source.current) ?? new Map<TraceArgument | undefined, TraceNode>();
    first.set(source.current, items);
    const known = items.get(item);
    if (known === undefined) items.set(item, node);
    else node.replacement = known;
    return known === undefined;
  });
}
