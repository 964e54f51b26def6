/** @file Which nodes of two versions of a program represent the same value. */
import { type ExportedProgram, FakeTensor, type Graph, type MetaValue, type Node } from "@sconce/ir";

/**
 * Names of nodes after a pass to names before it. A node that a pass keeps has its name. Of the
 * nodes made in place of another, the last one with its type represents it: replacements end with
 * the value that they are for. Where a program was retraced, names are given anew, and a name alone
 * says nothing unless the call is the same; nor does it for a node made of others.
 */
export const correspondence = (before: ExportedProgram, after: ExportedProgram): Map<string, string> =>
  graphCorrespondence(before.graph, after.graph, before.dialect !== after.dialect);

/** As {@link correspondence}, of two graphs. */
export function graphCorrespondence(before: Graph, after: Graph, retraced: boolean): Map<string, string> {
  const names = new Map<string, string>();
  const lastOf = new Map<string, Node>();
  for (const node of after.nodes()) {
    if (node.op !== "call_function") continue;
    const old = before.find(node.name);
    const { origin } = node.meta;
    const made = origin !== undefined && origin !== old?.meta.origin;
    if (made) {
      const source = before.find(origin.from.at(-1) ?? "");
      if (source !== undefined && sameType(source.meta.val, node.meta.val)) lastOf.set(source.name, node);
    }
    if (old?.op !== "call_function") continue;
    const isOther = made && (retraced || !origin.from.includes(old.name));
    if (!isOther && (!retraced || old.target === node.target)) names.set(node.name, old.name);
  }
  for (const [source, { name }] of lastOf) if (!names.has(name)) names.set(name, source);
  return names;
}

/**
 * Returns the same where both graphs were made from one: nodes that come from the same node, the
 * last of each type.
 */
export function commonOrigins(before: Graph, after: Graph): Map<string, string> {
  const latest = (graph: Graph): Map<string, Node> => {
    const found = new Map<string, Node>();
    for (const node of graph.nodes()) {
      const source = node.op === "call_function" ? node.meta.origin?.from.at(-1) : undefined;
      if (source !== undefined) found.set(`${source} ${kindOf(node.meta.val)}`, node);
    }
    return found;
  };
  const sources = latest(before);
  const names = new Map<string, string>();
  for (const [key, { name }] of latest(after)) {
    const source = sources.get(key);
    if (source !== undefined) names.set(name, source.name);
  }
  return names;
}

const kindOf = (val: MetaValue | undefined): string =>
  val instanceof FakeTensor
    ? `${val.dtype} ${val.shape.length}`
    : Array.isArray(val)
      ? `list ${val.length}`
      : "number";

function sameType(a: MetaValue | undefined, b: MetaValue | undefined): boolean {
  if (a instanceof FakeTensor)
    return b instanceof FakeTensor && a.dtype === b.dtype && a.shape.length === b.shape.length;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length;
  return a !== undefined && b !== undefined && !(b instanceof FakeTensor) && !Array.isArray(b);
}
