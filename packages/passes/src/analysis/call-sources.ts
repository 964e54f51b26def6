/** @file Which call of a program each call of a lowered form comes from. */
import type { ExportedProgram, Node } from "@sconce/ir";

/** Names of calls by the names of the calls that came of them. */
export type CallSources = ReadonlyMap<string, string>;

/**
 * For each call of a program that one pass made, such as decomposition: the call of the earlier
 * program that it comes from. Calls that the pass added for themselves have none.
 */
export function callSources({ graph: before }: ExportedProgram, after: ExportedProgram): CallSources {
  const sourceOf = ({ name, target, meta: { origin } }: Node): string | undefined => {
    const same = before.find(name);
    // Names may be given anew: `relu_` becomes `relu`, and `relu` becomes `relu_1`.
    if (same?.target === target && same.meta.origin === origin) return name;
    return origin?.from.find((from) => before.find(from)?.op === "call_function");
  };
  const sources = new Map<string, string>();
  for (const node of after.graph.nodes()) {
    const source = node.op === "call_function" ? sourceOf(node) : undefined;
    if (source !== undefined) sources.set(node.name, source);
  }
  return sources;
}
