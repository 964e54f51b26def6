/** @file Inserted nodes that compute the replacement of a node from that node. */

import { remember } from "../support/remember.js";
import { type Argument, isRef } from "../values/argument.js";
import type { Node } from "./node.js";
import { forEachNodeRef } from "./uses.js";

/**
 * By replaced name, the inserted nodes between it and its replacement. They keep their use of it: a
 * replacement there would make a circle.
 */
export function wrappersOf(
  inserted: ReadonlyMap<string, Node>,
  replaced: Iterable<readonly [string, Argument]>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const ends = new Map<string, string>();
  for (const [name, replacement] of replaced) {
    if (isRef(replacement) && inserted.has(replacement.name)) ends.set(name, replacement.name);
  }
  const wrappers = new Map<string, ReadonlySet<string>>();
  if (ends.size === 0) return wrappers;
  const order = new Map([...inserted.keys()].map((name, i) => [name, i]));
  const users = new Map<string, string[]>();
  for (const node of inserted.values())
    forEachNodeRef(node, (input) => {
      const end = ends.get(input);
      // What is inserted later is not what the replacement is computed from.
      if (end !== undefined && order.get(node.name)! < order.get(end)!)
        remember(users, input, () => []).push(node.name);
    });
  for (const [name, candidates] of users) {
    const first = Math.min(...candidates.map((user) => order.get(user)!));
    const reached = inputsOf(ends.get(name)!, inserted, (input) => (order.get(input) ?? -1) >= first);
    wrappers.set(name, new Set(candidates.filter((user) => reached.has(user))));
  }
  return wrappers;
}

/** Returns all inserted nodes that one is computed from, as far as `follows` agrees. */
function inputsOf(
  end: string,
  inserted: ReadonlyMap<string, Node>,
  follows: (name: string) => boolean,
): ReadonlySet<string> {
  // Grows as it is read.
  const reached = new Set([end]);
  for (const name of reached)
    forEachNodeRef(inserted.get(name)!, (input) => {
      if (follows(input)) reached.add(input);
    });
  return reached;
}
