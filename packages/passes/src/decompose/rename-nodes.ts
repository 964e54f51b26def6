import { type Argument, Graph, mapRefs, type Node, type NodeRef, ref } from "@sconce/ir";

/** The graph with nodes called otherwise; a placeholder's target follows its name. */
export function renameNodes(graph: Graph, renamed: ReadonlyMap<string, string>): Graph {
  const rename = (input: NodeRef): NodeRef => {
    const name = renamed.get(input.name);
    return name === undefined || name === input.name ? input : ref(name);
  };
  const nodes = graph.nodes().map((node): Node => {
    const name = renamed.get(node.name) ?? node.name;
    const target = node.op === "placeholder" ? name : node.target;
    let isSame = name === node.name && target === node.target;
    const mapped = (arg: Argument): Argument => {
      const next = mapRefs(arg, rename);
      if (next !== arg) isSame = false;
      return next;
    };
    const args = node.args.map(mapped);
    const kwargs: Record<string, Argument> = {};
    for (const key in node.kwargs) kwargs[key] = mapped(node.kwargs[key]!);
    return isSame ? node : Object.freeze({ name, op: node.op, target, args, kwargs, meta: node.meta });
  });
  return new Graph(nodes, graph.subgraphs);
}
