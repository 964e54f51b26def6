/** @file JSON text as `json.dumps` of Python writes it. */
import { floatRepr, int, pythonJson } from "@sconce/ir";
import { JsonFloat } from "./value.js";

/** A value that is text already. */
export class JsonText {
  readonly text: string;
  constructor(value: PythonJson) {
    this.text = jsonDumps(value);
  }
}

/**
 * A value to write: plain numbers are ints, objects have their keys in order, and dicts with any
 * keys are maps.
 */
export type PythonJson =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonFloat
  | JsonText
  | readonly PythonJson[]
  | ReadonlyMap<string, PythonJson>
  | { readonly [key: string]: PythonJson };

/** Returns a float as the serializer of PyTorch writes it: what is not finite is a string. */
export function floatText(value: number): string {
  if (Number.isFinite(value)) return floatRepr(value);
  return Number.isNaN(value) ? '"NaN"' : value > 0 ? '"Infinity"' : '"-Infinity"';
}

/** Returns the text of a value, with the separators and escapes that Python uses by default. */
export function jsonDumps(value: PythonJson): string {
  if (value === null || typeof value === "string") return pythonJson(value);
  // JavaScript prints digits of integers past 2^53 that they do not have.
  if (typeof value !== "object") return String(typeof value === "number" ? int(value) : value);
  if (value instanceof JsonFloat) return floatText(value.value);
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonDumps).join(", ")}]`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return `{${entries.map(([key, item]) => `${pythonJson(key)}: ${jsonDumps(item as PythonJson)}`).join(", ")}}`;
}
