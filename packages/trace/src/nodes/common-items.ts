import { type TraceArgument, TraceNode } from "./trace-node.js";

/** Reads each item of a result once (`_common_getitem_elimination_pass`). */
export function withoutCommonItems<M>(nodes: readonly TraceNode<M>[]): TraceNode<M>[] {
  const first = new Map<TraceNode<M>, Map<TraceArgument<M> | undefined, TraceNode<M>>>();
  return nodes.filter((node) => {
    const [source, item] = node.args;
    if (node.target !== "operator.getitem" || !(source instanceof TraceNode)) return true;
    const items = first.get(source.current) ?? new Map<TraceArgument<M> | undefined, TraceNode<M>>();
    first.set(source.current, items);
    const known = items.get(item);
    if (known === undefined) items.set(item, node);
    else node.replacement = known;
    return known === undefined;
  });
}
