import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { graphTarget } from "../graph/target.js";
import { graphArgument, reprArgument, tupleText } from "./argument-text.js";

const sameName = (name: string): string => name;

/** `str(graph)`, the text form of `torch.fx`. No newline at the end. */
export function graphText(graph: Graph): string {
  const lines = ["graph():"];
  let index = 0;
  for (const node of graph.nodes()) lines.push(nodeText(node, graph.userCount(index++)));
  return lines.join("\n    ");
}

/** `node.format_node()`: one line of {@link graphText}. */
export function nodeText(node: Node, users: number): string {
  if (node.op === "output") return `return ${reprArgument(node.args[0] ?? null, sameName)}`;
  const head = `%${node.name} : [num_users=${users}] = ${node.op}`;
  switch (node.op) {
    case "placeholder": {
      const fallback = node.args.length > 0 ? `(default=${reprArgument(node.args[0]!, sameName)})` : "";
      return `${head}[target=${node.target}]${fallback}`;
    }
    case "get_attr":
      return `${head}[target=${node.target}]`;
    default: {
      const args = tupleText(node.args.map(graphArgument));
      const kwargs = Object.entries(node.kwargs).map(([key, value]) => `${key}: ${graphArgument(value)}`);
      const target = node.op === "call_module" ? node.target : graphTarget(node.target);
      return `${head}[target=${target}](args = ${args}, kwargs = {${kwargs.join(", ")}})`;
    }
  }
}
