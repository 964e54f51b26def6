import { type Argument, Graph, mapRefs, type Node, type NodeRef, ref } from "@sconce/ir";

/** The graph with nodes called otherwise; a placeholder's target follows its name. */
export function renameNodes(graph: Graph, renamed: ReadonlyMap<string, string>): Graph {
  const rename = (input: NodeRef): NodeRef => {
    const name = renamed.get(input.name);
    return name === undefined ? input : ref(name);
  };
  const nodes = [...graph.nodes()].map((node): Node => {
    const name = renamed.get(node.name) ?? node.name;
    const kwargs: Record<string, Argument> = {};
    for (const key in node.kwargs) kwargs[key] = mapRefs(node.kwargs[key]!, rename);
    const target = node.op === "placeholder" ? name : node.target;
    const args = node.args.map((arg) => mapRefs(arg, rename));
    return Object.freeze({ name, op: node.op, target, args, kwargs, meta: node.meta });
  });
  return new Graph(nodes, graph.subgraphs);
}
