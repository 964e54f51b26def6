/**
 * Returns whether a value is an object of named values: neither an array nor an instance of a
 * class.
 */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
