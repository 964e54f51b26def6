/** @file Names in options that nothing in the program goes by. */
import { SconceError } from "@sconce/errors";
import type { Graph } from "@sconce/ir";
import { didYouMean, withArticle } from "../options/suggest.js";
import type { PassContext } from "./pass.js";

/** What the nodes of a graph, and of its nested graphs when asked to, call. */
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

/** An option names something that the program does not have. */
export const notInProgram = (
  option: string,
  name: string,
  what: string,
  known: Iterable<string>,
  fix = "print the program to see its names",
): SconceError =>
  new SconceError({
    code: "PASS_OPTION",
    message: `${option} names ${name}, which is not ${withArticle(what)} of the program`,
    fix: didYouMean(name, known, fix),
  });
