/** @file The texts of a tree specification: types, and what PyTorch imports for them. */
import type { TreeSpec } from "@sconce/ir";
import type { TextKind } from "./rules.js";

type Visit = (kind: TextKind, text: string) => void;

/** Gives the texts of a specification to a visitor. */
export function treeTexts({ type, context, serialized, children }: TreeSpec, visit: Visit): void {
  if (type === null) return;
  visit("word", type);
  contextTexts(context, visit);
  if (serialized !== undefined) serializedTexts(serialized, visit);
  for (const child of children) treeTexts(child, visit);
}

/** Gives the keys of the dictionaries in the inputs: every text in a context may be one. */
export function keyTexts({ context, children }: TreeSpec, visit: Visit): void {
  contextKeys(context, visit);
  for (const child of children) keyTexts(child, visit);
}

function contextKeys(context: unknown, visit: Visit): void {
  if (typeof context === "string") visit("key", context);
  else if (typeof context === "object" && context !== null)
    for (const item of Object.values(context)) contextKeys(item, visit);
}

/** A context of a registered type: JSON that PyTorch reads, or a text of the type's own. */
function serializedTexts(text: string, visit: Visit): void {
  if (!text.includes("__enum__") && !text.includes("default_factory")) return;
  try {
    contextTexts(JSON.parse(text), visit);
  } catch {
    // Not JSON: the registered type alone reads it.
  }
}

/** Factories and members of enumerations are named by module and name. */
function contextTexts(context: unknown, visit: Visit): void {
  if (Array.isArray(context)) for (const item of context) contextTexts(item, visit);
  if (typeof context !== "object" || context === null || Array.isArray(context)) return;
  const {
    default_factory_module: module,
    default_factory_name: name,
    fqn,
  } = context as Readonly<Record<string, unknown>>;
  if (typeof module === "string") visit("import", `${module}.${typeof name === "string" ? name : ""}`);
  if (Object.hasOwn(context, "__enum__")) visit("import", typeof fqn === "string" ? fqn : "");
  for (const item of Object.values(context)) contextTexts(item, visit);
}
