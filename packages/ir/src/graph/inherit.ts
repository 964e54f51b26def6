/** @file Metadata that new nodes take over from the nodes that they replace. */
import { type Argument, forEachRef } from "../values/argument.js";
import type { NodeMeta } from "../values/meta.js";
import type { Node } from "./node.js";
import { forEachNodeRef } from "./uses.js";

/**
 * What a replacement keeps of the replaced node. `val` is not among them: it describes the new
 * node's own result.
 */
const INHERITED = ["stackTrace", "nnModuleStack", "sourceFnStack", "torchFn", "custom"] as const;

/** The pass on whose behalf graphs are edited; see {@link editingAs}. */
let currentPass = "edit";

/**
 * Runs a pass; nodes that its edits put in place of others name it as their origin. Passes are
 * synchronous, so one name is enough.
 */
export function editingAs<T>(pass: string, run: () => T): T {
  const outer = currentPass;
  currentPass = pass;
  try {
    return run();
  } finally {
    currentPass = outer;
  }
}

/**
 * Returns the metadata of a new node: its own, completed from the node that it replaces.
 *
 * @param from names of all nodes that it replaces, for the origin; empty when it stands beside the
 * source
 */
export function inheritedMeta(meta: NodeMeta, source: Node, from: readonly string[]): NodeMeta {
  const missing = INHERITED.filter((key) => meta[key] === undefined && source.meta[key] !== undefined);
  // A copy of the replaced node's metadata still names where that one came from.
  const isOwnOrigin = meta.origin !== undefined && meta.origin !== source.meta.origin;
  const origin = isOwnOrigin || from.length === 0 ? meta.origin : { pass: currentPass, from };
  if (missing.length === 0 && origin === meta.origin) return meta;
  const taken = Object.fromEntries(missing.map((key) => [key, source.meta[key]])) as NodeMeta;
  return { ...meta, ...taken, ...(origin !== undefined && { origin }) };
}

/**
 * Completes the metadata of inserted nodes: those that replace a node, and those that only they are
 * computed from, take it from the replaced node.
 *
 * @param inserted the new nodes by name; completed ones are put back
 * @param replaced names of replaced nodes with what replaces them
 * @param find the replaced node of the version before; undefined for inserted ones
 */
export function inheritMeta(
  inserted: Map<string, Node>,
  replaced: Iterable<readonly [string, Argument]>,
  find: (name: string) => Node | undefined,
): void {
  const direct = new Map<string, string[]>();
  for (const [name, replacement] of replaced) {
    forEachRef(replacement, (other) => {
      if (!inserted.has(other)) return;
      const names = direct.get(other);
      if (names === undefined) direct.set(other, [name]);
      else names.push(name);
    });
  }
  if (direct.size === 0) return;
  const sources = new Map([...direct.keys()].map((name) => [name, basesOf(name, direct, inserted)] as const));
  const queue = [...sources];
  const seen = new Set(sources.keys());
  for (const [name, from] of queue) {
    const node = inserted.get(name)!;
    const source = from.length === 0 ? undefined : find(from[0]!);
    if (source === undefined) continue;
    const meta = inheritedMeta(node.meta, source, from);
    if (meta !== node.meta) inserted.set(name, Object.freeze({ ...node, meta }));
    forEachNodeRef(node, (input) => {
      if (seen.has(input) || !inserted.has(input)) return;
      seen.add(input);
      queue.push([input, from]);
    });
  }
}

/**
 * Returns the nodes of the version before that an inserted one replaces, through inserted ones that
 * it replaces.
 */
function basesOf(
  name: string,
  direct: ReadonlyMap<string, readonly string[]>,
  inserted: ReadonlyMap<string, Node>,
): readonly string[] {
  const bases: string[] = [];
  // Grows as it is read.
  const seen = new Set([name]);
  for (const next of seen) {
    if (inserted.has(next)) for (const old of direct.get(next) ?? []) seen.add(old);
    else bases.push(next);
  }
  return bases;
}
