/** @file Inputs as trees, and specifications that mirror them (`_tree_map_with_path`). */
import { isFloat, treeLevel } from "@sconce/ir";
import { isNamedDim } from "./dim.js";
import { isDimHint } from "./dim-hint.js";
import { badDynamicShapes, type Edits } from "./errors.js";

/** One level of a container. */
export interface Container {
  /** What the structures of inputs and specification are compared by. */
  readonly kind: "list" | "dict" | "registered";
  /** The name of the Python type. */
  readonly type: string;
  /** Keys of a dict, names of the fields of a class, positions of a list. */
  readonly keys: readonly (string | number)[];
  readonly children: readonly unknown[];
  /** How guards name the way to each child: `[0]`, `['key']`, `.field`. */
  readonly steps: readonly string[];
}

const KINDS: Readonly<Record<string, Container["kind"]>> = {
  "builtins.list": "list",
  "builtins.tuple": "list",
  "collections.namedtuple": "list",
  "builtins.dict": "dict",
  "collections.OrderedDict": "dict",
};

/** One level of a value; undefined for a leaf. */
export function containerOf(value: unknown): Container | undefined {
  if (isNamedDim(value) || isDimHint(value)) return undefined;
  const level = treeLevel(value);
  if (level === undefined) return undefined;
  const kind = KINDS[level.type] ?? "registered";
  const keys = level.keys.map((key) =>
    key.kind === "sequence" ? key.index : key.kind === "mapping" ? (key.key as string) : key.name,
  );
  return {
    kind,
    type: kind === "registered" ? level.type : (level.type.split(".").at(-1) ?? level.type),
    keys: kind === "list" ? level.children.map((_, i) => i) : keys,
    children: level.children,
    steps: level.keys.map((key, i) => (key.kind === "attribute" ? `.${key.name}` : keyText(keys[i]!))),
  };
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
    if (container.kind !== "dict") return text;
    return `${/^\d+$/.test(String(key)) ? String(key) : `'${key}'`}: ${text}`;
  });
  if (container.kind === "dict") return `{${parts.join(", ")}}`;
  if (container.type !== "tuple") return `[${parts.join(", ")}]`;
  return parts.length === 1 ? `(${parts[0]!},)` : `(${parts.join(", ")})`;
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
          : typeof value === "number" || isFloat(value)
            ? Number.isSafeInteger(value)
              ? "int"
              : "float"
            : (value.constructor as { name: string } | undefined)?.name);
  return `<class '${type ?? "object"}'>`;
}

/** Returns whether an input is an integer, which may be dynamic. */
export const isIntInput = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value);

/** Called with each leaf of the inputs, the text of its path and what the specification says. */
export type Visit<T> = (path: string, leaf: unknown, spec: unknown) => T;

/** The changes that make a specification fit at a place, for tools. */
export type MismatchEdits = (path: string | undefined, tree: unknown, spec: unknown) => Edits;

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
  mismatchEdits: MismatchEdits = () => ({}),
): unknown {
  const walk = (path: string, node: unknown, given: unknown): unknown => {
    const level = containerOf(node);
    if (level === undefined) return visit(path, node, given);
    if (level.kind === "registered") {
      const below: MismatchEdits = (_, inner, part) => mismatchEdits(undefined, inner, part);
      return mapTree([...level.children], given, visit, below);
    }
    const children = level.children.map((child, i) =>
      walk(path + level.steps[i]!, child, childOf(given, level.keys[i]!)),
    );
    return level.kind === "list"
      ? children
      : node instanceof Map
        ? new Map(level.keys.map((key, i) => [key, children[i]]))
        : Object.fromEntries(level.keys.map((key, i) => [key, children[i]]));
  };
  compare("", tree, spec, mismatchEdits);
  return walk("", tree, spec);
}

/** Returns the part of a specification under a key. */
export function childOf(spec: unknown, key: string | number): unknown {
  if (spec instanceof Map) return spec.get(key) ?? spec.get(String(key));
  return spec === null || spec === undefined ? undefined : (spec as Record<string, unknown>)[String(key)];
}

function compare(path: string, tree: unknown, spec: unknown, mismatchEdits: MismatchEdits): void {
  const level = containerOf(tree);
  if (level === undefined || level.kind === "registered") return;
  const here = `\`inputs${path}\``;
  const there = `\`dynamic_shapes${path}\``;
  const other = containerOf(spec);
  const mismatch = (what: string): Error =>
    badDynamicShapes(
      `Detected mismatch between the structure of \`inputs\` and \`dynamic_shapes\`: ${what}`,
      undefined,
      mismatchEdits(path, tree, spec),
    );
  if (other === undefined) throw mismatch(`${here} is a ${className(level)}, but ${there} is not`);
  if (other.kind !== level.kind)
    throw mismatch(`${here} is a ${className(level)}, but ${there} is a ${className(other)}`);
  if (other.children.length !== level.children.length)
    throw mismatch(
      `${here} has ${level.children.length} elements, but ${there} has ${other.children.length} elements`,
    );
  const keys = (container: Container): string => pythonText(container.keys);
  if (level.kind === "dict" && !sameKeys(level.keys, other.keys))
    throw mismatch(`${here} has keys ${keys(level)}, but ${there} has keys ${keys(other)}`);
  for (const [i, child] of level.children.entries())
    compare(path + level.steps[i]!, child, childOf(spec, level.keys[i]!), mismatchEdits);
}

const sameKeys = (a: readonly (string | number)[], b: readonly (string | number)[]): boolean => {
  const known = new Set(a.map(String));
  return a.length === b.length && b.every((key) => known.has(String(key)));
};

const className = ({ type }: Container): string => `<class '${type}'>`;
