/** @file Texts of the values in specifications, as Python writes them. */
import { isFloat } from "@sconce/ir";
import { SymInt } from "@sconce/torch";
import { isDerived, isNamedDim } from "../dynamic/dim.js";
import { containerOf, keyText } from "../dynamic/tree.js";

const INDENT = "  ";

/** Returns every line, moved to the right. */
export const indented = (text: string, levels = 1): string =>
  text
    .split("\n")
    .map((line) => INDENT.repeat(levels) + line)
    .join("\n");

/** Python's `repr` of a value of a specification. */
export function specText(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return keyText(value).slice(1, -1);
  if (value instanceof SymInt) return value.toString();
  const level = containerOf(value);
  if (level === undefined) return String(value);
  const parts = level.children.map((child, i) =>
    level.kind === "dict" ? `${specText(level.keys[i])}: ${specText(child)}` : specText(child),
  );
  return level.kind === "dict" ? `{${parts.join(", ")}}` : `[${parts.join(", ")}]`;
}

/** Returns a line `label: value`, or the value below the label where it has several lines. */
export function entryText(label: string, value: unknown): string {
  const text = specText(value);
  return text.includes("\n") ? `${label}:\n${indented(text)}` : `${label}: ${text}`;
}

/** Returns the name of the Python type of a value. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "str";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (isFloat(value)) return "float";
  if (typeof value === "function") return "function";
  if (value instanceof SymInt && Object.getPrototypeOf(value) === SymInt.prototype) return "SymInt";
  if (isNamedDim(value)) return isDerived(value) ? "_DerivedDim" : "Dim";
  const level = containerOf(value);
  if (level !== undefined) return level.type.split(".").at(-1)!;
  return (value.constructor as { readonly name: string } | undefined)?.name ?? "object";
}

/** Python's `repr` of a list of names, in order. */
export const namesText = (names: Iterable<string | number>): string =>
  `[${[...names].map(specText).join(", ")}]`;
