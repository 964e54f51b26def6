/** @file Long lists of numbers and strings, which many calls may share. */

/** Items from which it is worth to remember a list. */
const LONG = 32;
const known = new WeakSet<object>();

/**
 * Returns whether a list is long and frozen, and has no objects. Each call that has it would look
 * for references in all of it.
 */
export function isLiteralList(list: readonly unknown[]): boolean {
  if (list.length < LONG || !Object.isFrozen(list)) return false;
  if (known.has(list)) return true;
  for (const item of list) if (typeof item === "object" && item !== null) return false;
  known.add(list);
  return true;
}
