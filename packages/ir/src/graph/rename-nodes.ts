import { type Argument, mapRefs, type NodeRef, ref } from "../values/argument.js";
import { Graph } from "./graph.js";
import type { Node } from "./node.js";
import { changePages } from "./node-store.js";
import { commit } from "./state-patches.js";

/**
 * Returns the graph with other names for some nodes, and for the uses of these names. The target of
 * a placeholder follows its name. Pages without a renamed node or use are shared; the same graph
 * comes back when nothing changes.
 */
export function renameNodes(graph: Graph, renamed: ReadonlyMap<string, string>): Graph {
  const rename = renamer(renamed);
  const state = Graph.stateOf(graph);
  const changes = new Map<number, readonly Node[]>();
  state.pages.forEach(({ nodes }, page) => {
    const next = nodes.map(rename);
    if (next.some((node, i) => node !== nodes[i])) changes.set(page, next);
  });
  return changes.size === 0 ? graph : Graph.version(graph, commit(state, changePages(state, changes)).state);
}

function renamer(renamed: ReadonlyMap<string, string>): (node: Node) => Node {
  const renameRef = (input: NodeRef): NodeRef => {
    const name = renamed.get(input.name);
    return name === undefined || name === input.name ? input : ref(name);
  };
  return (node) => {
    const name = renamed.get(node.name) ?? node.name;
    const target = node.op === "placeholder" ? name : node.target;
    let isSame = name === node.name && target === node.target;
    const mapped = (arg: Argument): Argument => {
      const next = mapRefs(arg, renameRef);
      if (next !== arg) isSame = false;
      return next;
    };
    const args = node.args.map(mapped);
    const kwargs: Record<string, Argument> = {};
    for (const key in node.kwargs) kwargs[key] = mapped(node.kwargs[key]!);
    return isSame ? node : Object.freeze({ name, op: node.op, target, args, kwargs, meta: node.meta });
  };
}
