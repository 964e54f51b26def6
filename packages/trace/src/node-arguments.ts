/** @file Nodes with changed arguments. */
import { type Argument, type Graph, mapRefs, type Node, type NodeRef, ref } from "@sconce/ir";

/** Returns the node with its arguments changed; the same node when none is. */
export function mapArguments(node: Node, change: (argument: Argument) => Argument): Node {
  let args: Argument[] | undefined;
  for (let i = 0; i < node.args.length; i++) {
    const next = change(node.args[i]!);
    if (next === node.args[i]) continue;
    args ??= node.args.slice();
    args[i] = next;
  }
  let kwargs: Record<string, Argument> | undefined;
  for (const key in node.kwargs) {
    const next = change(node.kwargs[key]!);
    if (next === node.kwargs[key]) continue;
    kwargs ??= { ...node.kwargs };
    kwargs[key] = next;
  }
  if (args === undefined && kwargs === undefined) return node;
  const { name, op, target, meta } = node;
  return { name, op, target, args: args ?? node.args, kwargs: kwargs ?? node.kwargs, meta };
}

/** Returns the node with its inputs replaced; the same node when none is. */
export const mapInputs = (node: Node, replace: (input: NodeRef) => Argument): Node =>
  mapArguments(node, (argument) => mapRefs(argument, replace));

/** Renames the references of nodes; a node without any that changes comes back as it is. */
export function refRenamer(renamed: ReadonlyMap<string, string>): (node: Node) => Node {
  const replace = (input: NodeRef): NodeRef => {
    const name = renamed.get(input.name);
    return name === undefined ? input : ref(name);
  };
  return (node) => Object.freeze(mapInputs(node, replace));
}

/**
 * Returns a function that gives the node at a position with each operand read from another node of
 * the graph: `source` has the position of that node for every position. A node that reads nothing
 * else comes back as it is.
 */
export function operandRenamer(graph: Graph, source: Int32Array): (position: number) => Node {
  const nodes = graph.nodes();
  const { offsets, positions } = graph.operands;
  const refs = new Array<NodeRef | undefined>(nodes.length);
  let next = 0;
  const replace = (input: NodeRef): NodeRef => {
    const position = positions[next++]!;
    const from = position < 0 ? position : source[position]!;
    if (from === position) return input;
    const renamed = refs[from] ?? ref(nodes[from]!.name);
    refs[from] = renamed;
    return renamed;
  };
  return (position) => {
    const end = offsets[position + 1]!;
    for (next = offsets[position]!; next < end; next++) {
      const input = positions[next]!;
      if (input < 0 || source[input] === input) continue;
      next = offsets[position]!;
      return Object.freeze(mapInputs(nodes[position]!, replace));
    }
    return nodes[position]!;
  };
}
