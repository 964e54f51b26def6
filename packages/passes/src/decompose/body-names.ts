/**
 * @file Names inside of control flow (`torch/_export/utils.py`, `_name_hoo_subgraph_placeholders`):
 * the inputs of some bodies are called as the operands are, and the body's other nodes make way for
 * them.
 */
import { type Argument, type Graph, isRef, itemsOf, type Node, rebuild, renameNodes } from "@sconce/ir";
import { CollisionNames } from "@sconce/trace";

/** Bodies and operands of a call whose bodies take the operands' names. */
function namedBodies({ target, args }: Node): { bodies: readonly Argument[]; operands: readonly Argument[] } {
  const list = (index: number): readonly Argument[] => itemsOf(args[index] ?? null) ?? [];
  switch (target) {
    case "higher_order.cond":
      return { bodies: [args[1]!, args[2]!], operands: list(3) };
    case "higher_order.map_impl":
      return { bodies: [args[0]!], operands: [...list(1), ...list(2)] };
    default:
      return { bodies: [], operands: [] };
  }
}

export function nameBodies(graph: Graph): Graph {
  if (graph.subgraphs.size === 0) return graph;
  const subgraphs = new Map(graph.subgraphs);
  for (const node of graph.nodes()) {
    const { bodies, operands } = namedBodies(node);
    // A graph that is several bodies of the call is named once.
    const targets = new Set(bodies.map((body) => (isRef(body) ? graph.node(body.name).target : "")));
    for (const target of targets) {
      const subgraph = subgraphs.get(target);
      if (subgraph !== undefined) subgraphs.set(target, nameBodies(renameInputs(subgraph, operands)));
    }
  }
  return rebuild(graph, () => true, { subgraphs });
}

function renameInputs(graph: Graph, operands: readonly Argument[]): Graph {
  const names = new CollisionNames();
  const renamed = new Map<string, string>();
  let index = 0;
  for (const node of graph.nodes()) {
    if (node.op === "placeholder") {
      const operand = operands[index++];
      const name = isRef(operand) ? operand.name : node.name;
      renamed.set(node.name, name);
      names.placeholder(name);
    } else if (node.op !== "output") renamed.set(node.name, names.rename(node.name));
  }
  return renameNodes(graph, renamed);
}
