/** @file Inputs as trees, and specifications that mirror them (`_tree_map_with_path`). */
import { isFloat } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { isNamedDim } from "./dim.js";
import { isDimHint } from "./dim-hint.js";
import { badDynamicShapes } from "./errors.js";

/** One level of a container. */
export interface Container {
  /** The Python type that messages name; `registered` for a class of the user. */
  readonly type: "list" | "dict" | "registered";
  /** Keys of a dict, names of the fields of a class, positions of a list. */
  readonly keys: readonly (string | number)[];
  readonly children: readonly unknown[];
}

/**
 * Flattens one level of an instance of a registered class: its children with the names of their
 * fields, or undefined for any other value.
 */
export type FlattenRegistered = (
  value: unknown,
) => { readonly children: readonly unknown[]; readonly names?: readonly string[] | undefined } | undefined;

const NOT_REGISTERED: FlattenRegistered = () => undefined;

const isRecord = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** One level of a value; undefined for a leaf. */
export function containerOf(value: unknown, registered = NOT_REGISTERED): Container | undefined {
  if (isNamedDim(value) || isDimHint(value) || value instanceof Tensor || isFloat(value as never))
    return undefined;
  if (Array.isArray(value)) return { type: "list", keys: [...value.keys()], children: value };
  if (value instanceof Map)
    return { type: "dict", keys: [...value.keys()] as string[], children: [...value.values()] as unknown[] };
  const flat = registered(value);
  if (flat !== undefined)
    return {
      type: "registered",
      keys: flat.names ?? [...flat.children.keys()],
      children: flat.children,
    };
  return isRecord(value)
    ? { type: "dict", keys: Object.keys(value), children: Object.values(value) }
    : undefined;
}

/** Python's text of a key in a path: `['a']`, `[0]`. */
export const keyText = (key: string | number): string =>
  typeof key === "number" ? `[${key}]` : `['${key.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;

/** Python's text of a value in a message. */
export function pythonText(value: unknown, nested = false): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "string") return nested ? `'${value}'` : value;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (isDimHint(value) || isNamedDim(value)) return value.toString();
  const container = containerOf(value);
  if (container === undefined) return String(value);
  const parts = container.children.map((child, i) => {
    const key = container.keys[i]!;
    const text = pythonText(child, true);
    if (container.type !== "dict") return text;
    return `${/^\d+$/.test(String(key)) ? String(key) : `'${key}'`}: ${text}`;
  });
  return container.type === "dict" ? `{${parts.join(", ")}}` : `[${parts.join(", ")}]`;
}

/** Python's text of a value's type. */
export function pythonType(value: unknown): string {
  const container = containerOf(value);
  const type =
    container?.type ??
    (value === null || value === undefined
      ? "NoneType"
      : typeof value === "string"
        ? "str"
        : typeof value === "boolean"
          ? "bool"
          : typeof value === "number" || isFloat(value as never)
            ? Number.isSafeInteger(value)
              ? "int"
              : "float"
            : (value.constructor as { name: string } | undefined)?.name);
  return `<class '${type ?? "object"}'>`;
}

/** Whether an input is an integer, which may be dynamic. */
export const isIntInput = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value);

/** Called with each leaf of the inputs, the text of its path and what the specification says. */
export type Visit<T> = (path: string, leaf: unknown, spec: unknown) => T;

/**
 * Maps the leaves of inputs with the parts of a specification of the same structure. An instance of
 * a registered class takes a list with one entry for each of its children.
 *
 * @throws SconceError `BAD_DYNAMIC_SHAPES` where the structures differ
 */
export function mapTree<T>(
  tree: unknown,
  spec: unknown,
  visit: Visit<T>,
  registered: FlattenRegistered = NOT_REGISTERED,
): unknown {
  const walk = (path: string, node: unknown, given: unknown): unknown => {
    const level = containerOf(node, registered);
    if (level === undefined) return visit(path, node, given);
    if (level.type === "registered") return mapTree([...level.children], given, visit, registered);
    const children = level.children.map((child, i) =>
      walk(path + keyText(level.keys[i]!), child, childOf(given, level.keys[i]!)),
    );
    return level.type === "list"
      ? children
      : node instanceof Map
        ? new Map(level.keys.map((key, i) => [key, children[i]]))
        : Object.fromEntries(level.keys.map((key, i) => [key, children[i]]));
  };
  compare("", tree, spec, registered);
  return walk("", tree, spec);
}

/** The part of a specification under a key. */
export function childOf(spec: unknown, key: string | number): unknown {
  if (spec instanceof Map) return spec.get(key) ?? spec.get(String(key));
  return spec === null || spec === undefined ? undefined : (spec as Record<string, unknown>)[String(key)];
}

function compare(path: string, tree: unknown, spec: unknown, registered: FlattenRegistered): void {
  const level = containerOf(tree, registered);
  if (level === undefined || level.type === "registered") return;
  const here = `\`inputs${path}\``;
  const there = `\`dynamic_shapes${path}\``;
  const other = containerOf(spec);
  if (other === undefined) throw mismatch(`${here} is a <class '${level.type}'>, but ${there} is not`);
  if (other.type !== level.type)
    throw mismatch(`${here} is a <class '${level.type}'>, but ${there} is a <class '${other.type}'>`);
  if (other.children.length !== level.children.length)
    throw mismatch(
      `${here} has ${level.children.length} elements, but ${there} has ${other.children.length} elements`,
    );
  const keys = (container: Container): string => pythonText(container.keys);
  if (level.type === "dict" && !sameKeys(level.keys, other.keys))
    throw mismatch(`${here} has keys ${keys(level)}, but ${there} has keys ${keys(other)}`);
  for (const [i, child] of level.children.entries())
    compare(path + keyText(level.keys[i]!), child, childOf(spec, level.keys[i]!), registered);
}

const sameKeys = (a: readonly (string | number)[], b: readonly (string | number)[]): boolean => {
  const known = new Set(a.map(String));
  return a.length === b.length && b.every((key) => known.has(String(key)));
};

const mismatch = (what: string): Error =>
  badDynamicShapes(`Detected mismatch between the structure of \`inputs\` and \`dynamic_shapes\`: ${what}`);
