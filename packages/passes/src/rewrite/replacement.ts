/** @file What a rule's `replace` gives, taken apart. */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { Replacement } from "./rule.js";
import { RuleFault } from "./rule.js";

/**
 * The value for each root. What is no value at all is a mistake of the rule; one of the wrong type only keeps it from firing.
 *
 * @throws RuleFault
 */
export function valuesByRoot(
  roots: readonly string[],
  result: Exclude<Replacement, string>,
): ReadonlyMap<string, MetaValue> {
  const given: unknown = result;
  if (roots.length === 1 && roots[0] === "root") return new Map([["root", valueFor("root", given)]]);
  const list = roots.map((name) => `"${name}"`).join(", ");
  if (typeof given !== "object" || given === null || Array.isArray(given) || isTagged(given))
    throw new RuleFault(`gives ${told(given)} where it must give an object with values for ${list}`);
  const values = given as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(values).find((name) => !roots.includes(name));
  if (unknown !== undefined)
    throw new RuleFault(`gives a value for "${unknown}", which is none of its roots (${list})`);
  return new Map(roots.map((name) => [name, valueFor(name, values[name])] as const));
}

function valueFor(root: string, value: unknown): MetaValue {
  if (value === undefined || value === null)
    throw new RuleFault(`gives ${told(value)} as value for its root "${root}"`);
  const isValue =
    typeof value === "object" ? Array.isArray(value) || isTagged(value) : typeof value !== "function";
  if (isValue) return value as MetaValue;
  throw new RuleFault(`gives ${told(value)} for its root "${root}", which is no value that its emitter gave`);
}

/** Fake tensors, promises, and what has a kind, such as symbolic scalars. */
const isTagged = (value: object): boolean =>
  value instanceof FakeTensor || "kind" in value || "expr" in value;

/** A value as errors have it. */
export function told(value: unknown): string {
  if (value instanceof Promise) return "a promise (rules are not asynchronous)";
  if (value instanceof FakeTensor) return "one tensor";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null
    ? `an object with ${Object.keys(value).join(", ") || "nothing"}`
    : String(value);
}
