import type { Graph } from "@sconce/ir";
import type { PassContext } from "./pass.js";

/** Returns what the nodes of a graph, and of its nested graphs when asked to, call. */
function calledTargets(graph: Graph, targets: Set<string>, nested: boolean): Set<string> {
  for (const node of graph.nodes()) if (node.op === "call_function") targets.add(node.target);
  if (nested) for (const body of graph.subgraphs.values()) calledTargets(body, targets, nested);
  return targets;
}

/** Notes for operators that an option names and that nothing in these graphs calls. */
export function noteUncalled(
  { note }: PassContext,
  option: string,
  names: readonly string[],
  graphs: readonly Graph[],
  nested = true,
): void {
  if (note === undefined || names.length === 0) return;
  const called = new Set<string>();
  for (const graph of graphs) calledTargets(graph, called, nested);
  for (const name of names)
    if (!called.has(name)) note(`${option} names ${name}, which nothing in the program calls`);
}
