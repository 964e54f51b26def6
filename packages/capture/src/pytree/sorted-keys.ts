/** @file Objects whose keys JavaScript puts into another order than they were written in. */
import { treeLevel } from "@sconce/ir";

const isIndex = (key: string): boolean => /^(0|[1-9]\d*)$/.test(key);

/**
 * Returns the keys of the first plain object among values in which JavaScript sorts integers, such
 * as `"10"` and `"2"`, before all others; undefined without one. A `Map` keeps its order.
 */
export function sortedKeys(value: unknown): readonly string[] | undefined {
  const level = treeLevel(value);
  if (level === undefined) return undefined;
  if (level.type === "builtins.dict" && !(value instanceof Map)) {
    const keys = Object.keys(value as object);
    if (keys.length > 1 && keys.some(isIndex)) return keys;
  }
  for (const child of level.children) {
    const found = sortedKeys(child);
    if (found !== undefined) return found;
  }
  return undefined;
}
