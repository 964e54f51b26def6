/** @file Traced nodes as nodes of graphs. */
import { type Argument, isLiteralList, type Node, type NodeMeta, ref, tuple } from "@sconce/ir";
import { isTraceDict, isTraceTuple, type TraceArgument, TraceNode } from "./trace-node.js";

/** Returns the argument of a node, with references by name. */
export function finalArgument<M>(value: TraceArgument<M>): Argument {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof TraceNode) return ref(value.current.name);
  if (Array.isArray(value))
    return isLiteralList(value)
      ? (value as readonly Argument[])
      : (value as readonly TraceArgument<M>[]).map(finalArgument);
  if (isTraceTuple<M>(value)) return tuple(value.items.map(finalArgument));
  if (!isTraceDict<M>(value)) return value as Argument;
  return { kind: "dict", entries: value.entries.map(([key, item]) => [key, finalArgument(item)] as const) };
}

/** Returns the node of a graph whose nodes have their names. */
export function graphNode({ name, op, target, args, kwargs, meta, val }: TraceNode<NodeMeta>): Node {
  const named: Record<string, Argument> = {};
  for (const key in kwargs) named[key] = finalArgument(kwargs[key]!);
  const all = val === undefined ? meta : { ...meta, val };
  return { name, op, target, args: args.map(finalArgument), kwargs: named, meta: all };
}
