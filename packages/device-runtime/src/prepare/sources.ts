/** @file Which call of the given program each call of the prepared program comes from. */
import type { ExportedProgram, Node } from "@sconce/ir";
import { type CallSources, callSources } from "@sconce/passes";

/**
 * Finds the sources of calls. Decomposition and later passes record the origins of new nodes.
 *
 * @param lowered the program after decomposition; the given one where it was lowered already
 */
export function sourcesOf(
  given: ExportedProgram,
  lowered: ExportedProgram,
  ready: ExportedProgram,
): CallSources {
  const middle = lowered.graph;
  const first = given === lowered ? undefined : callSources(given, lowered);
  const ofLowered = (name: string): string | undefined => (first === undefined ? name : first.get(name));
  const ofReady = ({ name, meta: { origin } }: Node): string | undefined => {
    const same = middle.find(name);
    if (same !== undefined && same.meta.origin === origin) return ofLowered(name);
    const from = origin?.from.find((one) => middle.find(one) !== undefined && ofLowered(one) !== undefined);
    return from === undefined ? undefined : ofLowered(from);
  };
  const sources = new Map<string, string>();
  for (const node of ready.graph.nodes()) {
    const source = node.op === "call_function" ? ofReady(node) : undefined;
    if (source !== undefined) sources.set(node.name, source);
  }
  return sources;
}
