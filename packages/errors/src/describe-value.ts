import { withArticle } from "./words.js";

/** Returns what a value is, in words; never throws. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return `the string ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === "object") {
    if (value instanceof Map) return "a map";
    const name = platformClass(value);
    return name === undefined ? "an object of another kind" : withArticle(name);
  }
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : String(value);
}

/**
 * Returns the name of a class of the language or the platform: `Promise`, `ArrayBuffer`,
 * `Response`; undefined for other values. Names of other classes are lost where code is minified.
 */
export function platformClass(value: unknown): string | undefined {
  try {
    const name = /^\[object (\w{1,40})\]$/.exec(Object.prototype.toString.call(value))?.[1];
    return typeof value === "object" && value !== null && name !== "Object" ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is bytes without a type of their elements. */
export const isRawBytes = (value: unknown): boolean =>
  /^((Shared)?ArrayBuffer|DataView)$/.test(platformClass(value) ?? "");
