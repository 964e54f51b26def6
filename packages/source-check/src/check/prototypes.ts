/** @file Prototypes of objects. */

/** Returns an object and the objects that it inherits from, nearest first. */
export function* prototypesOf(object: object | null): Generator<object, undefined> {
  for (let at = object; at !== null; at = Object.getPrototypeOf(at) as object | null) yield at;
}

/** Returns a property that an object has or inherits; getters are not run. */
export function inheritedProperty(
  object: object | null,
  name: string | symbol,
): PropertyDescriptor | undefined {
  for (const at of prototypesOf(object)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether a value is an object or a function. */
export const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";
