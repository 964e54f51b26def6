/** @file One text for equal contents, whatever the order of their maps: what hashes are made of. */
import { SymExpr, toSrepr } from "@sconce/symbolic";
import { type Argument, int, isFloat, isInt, itemsOf, toNumber } from "../values/argument.js";
import { floatRepr } from "../values/python-repr.js";

/**
 * Plain data as text. Maps, sets and the fields of objects are sorted, lists keep their order,
 * tuples are lists, and fields that are undefined are left out. Equal integers have one text, and
 * so have equal floats and expressions, in whatever form they are held.
 */
export function canonicalText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "boolean" || value === null || value === undefined) return String(value);
  if (isInt(value)) return String(int(value));
  if (isFloat(value)) return `float ${floatRepr(toNumber(value))}`;
  if (value instanceof SymExpr) return `sym ${JSON.stringify(toSrepr(value))}`;
  const items = itemsOf(value as Argument);
  if (items !== undefined) return `[${items.map(canonicalText).join(",")}]`;
  if (value instanceof Set) return `{${[...value].map(canonicalText).sort().join(",")}}`;
  return `{${entriesText(value instanceof Map ? [...value] : Object.entries(value as object))}}`;
}

const entriesText = (entries: readonly (readonly [string, unknown])[]): string =>
  entries
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${canonicalText(value)}`)
    .sort()
    .join(",");
