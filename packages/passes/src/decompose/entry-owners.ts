/** @file Which plugin a decomposition comes from. */

const owners = new WeakMap<object, string>();

/** Records the plugin that brought a decomposition, so that errors name it. Returns the decomposition. */
export function ownedEntry<T extends object>(entry: T, plugin: string): T {
  owners.set(entry, plugin);
  return entry;
}

/** `the decomposition of aten.relu.default`, with the plugin that it comes from. */
export function entryName(target: string, entry: object): string {
  const plugin = owners.get(entry);
  return `the decomposition of ${target}${plugin === undefined ? "" : ` of plugin "${plugin}"`}`;
}
