/** Returns what a value is, in words; never throws. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return `the string ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === "object") return value instanceof Map ? "a map" : "an object of another kind";
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : String(value);
}
