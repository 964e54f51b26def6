import { forEachInput, type Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { forEachAliasedInput } from "./aliases.js";

/**
 * Names of the values that leave a graph: its results, and what those may be views of. Code that
 * gets them may write to them, so two of them must not become one, nor become something that the
 * program keeps.
 */
export function leavingValues(graph: Graph, operators: OperatorTable): Set<string> {
  const leaving = new Set<string>();
  const nodes = graph.nodes();
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at]!;
    if (node.op === "output") forEachInput(node, (name) => leaving.add(name));
    else if (node.op === "call_function" && leaving.has(node.name))
      forEachAliasedInput(node, operators, (name) => leaving.add(name));
  }
  return leaving;
}
