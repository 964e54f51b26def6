/**
 * @file Tuples among JavaScript values. An array represents a list; a tuple is an array that
 * carries a mark, so that it is read, destructured and typed like any array.
 */

/** Shared by all copies of the package: the mark is not a class that copies could mix up. */
const TUPLE = /* @__PURE__ */ Symbol.for("sconce.tuple");

/**
 * Returns a Python tuple of these items, for arguments and results of a model: `tuple(a, b)`. It is
 * a frozen array. A plain array is a list.
 */
export const pythonTuple = <T extends readonly unknown[]>(...items: T): Readonly<T> =>
  Object.freeze(markTuple(items));

/** Marks a new array as a tuple, in place. */
export function markTuple<T extends readonly unknown[]>(items: T): T {
  Object.defineProperty(items, TUPLE, { value: true });
  return items;
}

/**
 * Returns whether a value is an array that {@link pythonTuple} made, or that came back for a tuple.
 */
export const isPythonTuple = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && TUPLE in value;
