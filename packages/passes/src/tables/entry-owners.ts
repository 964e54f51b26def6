/** @file Which plugin a decomposition comes from, and which decomposition a node. */
import type { NodeMeta } from "@sconce/ir";

const owners = new WeakMap<object, string>();

/**
 * Records the plugin that brought a decomposition, so that errors name it. Returns the
 * decomposition.
 */
export function ownedEntry<T extends object>(entry: T, plugin: string): T {
  owners.set(entry, plugin);
  return entry;
}

/** `the decomposition of aten.relu.default`, with the plugin that it comes from. */
export function entryName(target: string, entry: object): string {
  const plugin = owners.get(entry);
  return `the decomposition of ${target}${plugin === undefined ? "" : ` of plugin "${plugin}"`}`;
}

/**
 * A decomposition that is not Sconce's own: an entry of a table, by the operator that it replaces.
 */
export interface OwnedEntry {
  readonly target: string;
  readonly plugin: string | undefined;
}

const entries = new WeakMap<object, OwnedEntry>();

/** Metadata for nodes that a decomposition makes: their origin names its operator as the rule. */
export function madeByEntry(meta: NodeMeta, target: string, entry: object): NodeMeta {
  if (meta.origin === undefined) return meta;
  const origin = { ...meta.origin, rule: target };
  entries.set(origin, { target, plugin: owners.get(entry) });
  return { ...meta, origin };
}

/**
 * Returns the decomposition that made a node, where it is not Sconce's own and made it in this
 * session.
 */
export const entryOfNode = ({ origin }: NodeMeta): OwnedEntry | undefined => origin && entries.get(origin);
