/** @file Which call of the given program each call of the prepared program comes from. */
import type { ExportedProgram, Graph, Node } from "@sconce/ir";

/** Names of calls of the given program, by the names of prepared calls. */
export type Sources = ReadonlyMap<string, string>;

/**
 * Finds the sources of calls. Decomposition and later passes record the origins of new nodes.
 *
 * @param lowered the program after decomposition; the given one where it was lowered already
 */
export function sourcesOf(given: ExportedProgram, lowered: ExportedProgram, ready: ExportedProgram): Sources {
  const [first, middle] = [given.graph, lowered.graph];
  const ofLowered = (node: Node): string | undefined =>
    given === lowered ? node.name : (node.meta.origin?.from ?? [node.name]).find((name) => has(first, name));
  const ofReady = (node: Node): string | undefined => {
    const same = middle.find(node.name);
    if (same !== undefined && same.meta.origin === node.meta.origin) return ofLowered(same);
    for (const name of node.meta.origin?.from ?? []) {
      const before = middle.find(name);
      const source = before === undefined ? undefined : ofLowered(before);
      if (source !== undefined) return source;
    }
    return undefined;
  };
  const sources = new Map<string, string>();
  for (const node of ready.graph.nodes()) {
    const source = node.op === "call_function" ? ofReady(node) : undefined;
    if (source !== undefined) sources.set(node.name, source);
  }
  return sources;
}

const has = (graph: Graph, name: string): boolean => graph.find(name)?.op === "call_function";
