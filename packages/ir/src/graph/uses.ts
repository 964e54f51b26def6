/** @file Questions about, and replacement of, the uses of nodes. */
import { type Argument, forEachRef, mapRefs, type NodeRef, ref } from "../values/argument.js";
import { cyclicReplacement, stillUsed } from "./errors.js";
import type { Node } from "./node.js";

/** Calls `visit` for every use in a node, repeats included. */
export function forEachNodeRef(node: Node, visit: (name: string) => void): void {
  for (const arg of node.args) forEachRef(arg, visit);
  for (const key in node.kwargs) forEachRef(node.kwargs[key]!, visit);
}

/**
 * Refuses nodes that use something gone.
 * @throws SconceError `NODE_STILL_USED`
 */
export function refuseUses(nodes: readonly Node[], gone: ReadonlySet<string>): void {
  let user = "";
  const visit = (name: string): void => {
    if (gone.has(name)) throw stillUsed(name, user);
  };
  for (const node of nodes) {
    user = node.name;
    forEachNodeRef(node, visit);
  }
}

/** True when some of the nodes uses some of the targets. */
export function usesAny(nodes: readonly Node[], targets: ReadonlySet<string>): boolean {
  let found = false;
  const visit = (name: string): void => {
    found ||= targets.has(name);
  };
  for (const node of nodes) {
    forEachNodeRef(node, visit);
    if (found) return true;
  }
  return false;
}

/**
 * All replacements of uses of one edit: a union table, followed to the end once, when the edit
 * ends.
 */
export class Replacements {
  readonly #replacements = new Map<string, Argument>();
  readonly #exceptions = new Map<string, ReadonlySet<string>>();

  /** Names of the replaced nodes. */
  names(): Iterable<string> {
    return this.#replacements.keys();
  }

  /** Replaced names with what replaces them, in the order of the calls. */
  entries(): Iterable<readonly [string, Argument]> {
    return this.#replacements;
  }

  set(name: string, replacement: Argument, except?: Iterable<string>): void {
    this.#replacements.set(name, replacement);
    if (except !== undefined) this.#exceptions.set(name, new Set(except));
    else this.#exceptions.delete(name);
  }

  /**
   * Returns what does the replacement in one node.
   * @param wrappers by replaced name, nodes besides the exceptions that keep their use of it
   */
  rewriter(wrappers: ReadonlyMap<string, ReadonlySet<string>>): (node: Node) => Node {
    if (this.#replacements.size === 0) return (node) => node;
    const resolve = this.#resolver();
    let user = "";
    const replace = (use: NodeRef): Argument => {
      const replacement = this.#replacements.get(use.name);
      if (replacement === undefined || refName(replacement) === user) return use;
      const keeps = this.#exceptions.get(use.name)?.has(user) === true || wrappers.get(use.name)?.has(user);
      return keeps === true ? use : resolve(use.name);
    };
    return (node) => {
      user = node.name;
      const args = node.args.map((arg) => mapRefs(arg, replace));
      const same = args.every((arg, i) => arg === node.args[i]);
      const kwargs = mapKwargs(node.kwargs, replace);
      if (same && kwargs === node.kwargs) return node;
      return Object.freeze({ ...node, args: same ? node.args : args, kwargs });
    };
  }

  /** Where a replaced name leads in the end. Long chains are followed in a loop and remembered. */
  #resolver(): (name: string) => Argument {
    const resolved = new Map<string, Argument>();
    const resolve = (name: string): Argument => {
      const first = this.#replacements.get(name)!;
      const only = refName(first);
      if (only !== undefined && !this.#replacements.has(only)) return first;
      const path: string[] = [];
      const seen = new Set<string>();
      let current: Argument = ref(name);
      for (;;) {
        const next = refName(current);
        if (next === undefined || !this.#replacements.has(next)) break;
        const known = resolved.get(next);
        if (known !== undefined) {
          current = known;
          break;
        }
        if (seen.has(next)) throw cyclicReplacement(name);
        seen.add(next);
        path.push(next);
        current = this.#replacements.get(next)!;
      }
      if (refName(current) === undefined)
        current = mapRefs(current, (use) => (seen.has(use.name) ? use : resolve(use.name)));
      for (const step of path) resolved.set(step, current);
      return current;
    };
    return resolve;
  }
}

const refName = (value: Argument): string | undefined =>
  typeof value === "object" && value !== null && (value as NodeRef).kind === "node"
    ? (value as NodeRef).name
    : undefined;

function mapKwargs(kwargs: Node["kwargs"], replace: (use: NodeRef) => Argument): Node["kwargs"] {
  let out: Record<string, Argument> | undefined;
  for (const key in kwargs) {
    const next = mapRefs(kwargs[key]!, replace);
    if (next === kwargs[key]) continue;
    out ??= { ...kwargs };
    out[key] = next;
  }
  return out ?? kwargs;
}
