/**
 * @file Tree specifications of inputs and outputs (`torch.utils._pytree`): as data, as JSON text
 * and as printed.
 */
import {
  Budget,
  checkOptions,
  isSconceError,
  parsePlainJson,
  requireText,
  WORK_OPTIONS,
  type WorkOptions,
} from "@sconce/errors";
import { badTreeSpec } from "../graph/errors.js";
import { jsonRepr } from "../values/python-repr.js";
import { contextNotSerializable, notSerializable } from "./errors.js";
import { OpaqueContext, UNNAMED } from "./pytree-opaque.js";

/** A container node of a pytree, or a leaf (`type: null`), as in PyTorch's JSON form. */
export interface TreeSpec {
  /**
   * `builtins.tuple`, `builtins.list`, `builtins.dict`, `collections.OrderedDict`, ..., null for a
   * leaf.
   */
  readonly type: string | null;
  /** Decoded context: null, the list of dict keys, or what the registered type put there. */
  readonly context: unknown;
  /** Specifications of the items; empty for a leaf. */
  readonly children: readonly TreeSpec[];
  /**
   * The context as in the file, if the decoded context does not determine it (types registered by
   * the author).
   */
  readonly serialized?: string;
}

/** A leaf of a tree. */
export const LEAF: TreeSpec = Object.freeze({ type: null, context: null, children: Object.freeze([]) });

/** Trees nested deeper are refused; Python's own recursion limit keeps real ones below. */
export const MAX_TREE_DEPTH = 500;

const tree = (type: string, context: unknown, children: readonly TreeSpec[]): TreeSpec =>
  Object.freeze({ type, context, children: Object.freeze(children) });
/** Returns the spec of a tuple. */
export const tupleSpec = (children: readonly TreeSpec[]): TreeSpec => tree("builtins.tuple", null, children);
/** Returns the spec of a list. */
export const listSpec = (children: readonly TreeSpec[]): TreeSpec => tree("builtins.list", null, children);
/** Returns the spec of a dict, keys in order. */
export const dictSpec = (entries: readonly (readonly [string, TreeSpec])[]): TreeSpec =>
  tree(
    "builtins.dict",
    entries.map(([key]) => key),
    entries.map(([, child]) => child),
  );

/** Number of leaves. */
export function leafCount(spec: TreeSpec): number {
  if (spec.type === null) return 1;
  let count = 0;
  for (const child of spec.children) count += leafCount(child);
  return count;
}

/** Types whose context PyTorch writes as it is; all others write JSON text. */
const RAW_CONTEXT = new Set(["collections.namedtuple", "collections.defaultdict"]);
/** Types whose decoded context determines its serialized text. */
const PLAIN_CONTEXT = new Set([
  "builtins.tuple",
  "builtins.list",
  "builtins.dict",
  "torch.Size",
  "collections.OrderedDict",
  "collections.deque",
]);

/**
 * Reads the JSON text `[1, {...}]`.
 * @throws SconceError `BAD_TREE_SPEC`, `BUDGET_EXCEEDED`
 */
export function parseTreeSpec(text: string, options: WorkOptions = {}): TreeSpec {
  checkOptions("parseTreeSpec", options, WORK_OPTIONS);
  requireText(text, "parseTreeSpec");
  const budget = Budget.of(options, text.length);
  const parsed = parsePlainJson(text, {
    budget,
    depth: 2 * MAX_TREE_DEPTH + 4,
    fail: (message, at, cause) => badTreeSpec(message, `character ${at}`, cause),
  });
  if (!Array.isArray(parsed) || parsed.length !== 2)
    throw badTreeSpec("it is not a pair of protocol and tree", "the text");
  if (parsed[0] !== 1)
    throw badTreeSpec(
      `unknown protocol ${pythonJson(parsed[0]).slice(0, 100)}, only 1 is known`,
      "the first item",
    );
  return new SpecReader(budget).node(parsed[1], "tree", 0);
}

class SpecReader {
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  node(json: unknown, where: string, depth: number): TreeSpec {
    if (depth > MAX_TREE_DEPTH) throw badTreeSpec(`it is nested more than ${MAX_TREE_DEPTH} deep`, where);
    if (typeof json !== "object" || json === null) throw badTreeSpec("a node is not an object", where);
    const { type, context, children_spec: children } = json as Record<string, unknown>;
    if (!Array.isArray(children)) throw badTreeSpec("children_spec is not a list", where);
    if (type === null) {
      if (children.length > 0) throw badTreeSpec("a leaf has children", where);
      return LEAF;
    }
    if (typeof type !== "string") throw badTreeSpec("type is neither a string nor null", where);
    const specs = children.map((child, i) => this.node(child, `${where}.children_spec[${i}]`, depth + 1));
    const decoded = this.#decode(type, context, where);
    const problem = contextProblem({ type, context: decoded, children: specs });
    if (problem !== undefined) throw badTreeSpec(problem, where);
    const plain = RAW_CONTEXT.has(type) || PLAIN_CONTEXT.has(type) || typeof context !== "string";
    return Object.freeze({
      type,
      context: decoded,
      children: Object.freeze(specs),
      ...(plain ? {} : { serialized: context }),
    });
  }

  #decode(type: string, context: unknown, where: string): unknown {
    if (typeof context !== "string" || RAW_CONTEXT.has(type)) return context;
    try {
      return parsePlainJson(context, {
        budget: this.#budget,
        fail: (message, _, cause) => badTreeSpec(`the context: ${message}`, where, cause),
      });
    } catch (error) {
      // A registered type may write any text; the known ones write JSON.
      if (isSconceError(error, "BAD_TREE_SPEC") && !PLAIN_CONTEXT.has(type)) return context;
      throw error;
    }
  }
}

/** Returns what is wrong with the context of a container, undefined when nothing is. */
export function contextProblem(spec: TreeSpec): string | undefined {
  const { type, context, children } = spec;
  if (type === "collections.namedtuple")
    return typeof context === "string" ? undefined : "a named tuple has no name of a class";
  if (type === "collections.defaultdict" && !isDefaultDict(context))
    return "a defaultdict has no keys and factory";
  const keys = dictKeys(spec);
  return keys === undefined || keys.length === children.length
    ? undefined
    : `${keys.length} keys for ${children.length} children`;
}

function isDefaultDict(context: unknown): boolean {
  if (typeof context !== "object" || context === null) return false;
  const { default_factory_name: name } = context as { readonly default_factory_name?: unknown };
  return name === undefined || name === null || typeof name === "string";
}

/** Keys of a dict-like node, undefined for other types. */
export function dictKeys(spec: TreeSpec): readonly unknown[] | undefined {
  switch (spec.type) {
    case "builtins.dict":
    case "collections.OrderedDict":
      return Array.isArray(spec.context) ? spec.context : [];
    case "collections.defaultdict": {
      const keys = (spec.context as { dict_context?: unknown } | null)?.dict_context;
      return Array.isArray(keys) ? keys : [];
    }
    default:
      return undefined;
  }
}

/**
 * Returns the JSON text that PyTorch writes for a spec.
 * @throws SconceError `TREE_NOT_SERIALIZABLE` for a class that was registered without a name
 */
export function treeSpecJson(spec: TreeSpec): string {
  return `[1, ${toJson(spec)}]`;
}

function toJson(spec: TreeSpec): string {
  if (spec.type === null) return '{"type": null, "context": null, "children_spec": []}';
  requireSerializable(spec);
  const context = RAW_CONTEXT.has(spec.type) ? spec.context : (spec.serialized ?? pythonJson(spec.context));
  const children = spec.children.map(toJson).join(", ");
  return `{"type": ${pythonJson(spec.type)}, "context": ${pythonJson(context)}, "children_spec": [${children}]}`;
}

function requireSerializable({ type, context }: TreeSpec): void {
  const named = typeof context === "string" && type === "collections.namedtuple" ? context : type!;
  if (named.startsWith(UNNAMED)) throw notSerializable(pythonTypeName(named));
  if (context instanceof OpaqueContext) throw contextNotSerializable(pythonTypeName(named));
}

/** Python's `json.dumps` with its default separators and escapes. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${pythonJson(key)}: ${pythonJson(item)}`)
      .join(", ")}}`;
  }
  const text = JSON.stringify(value) ?? "null";
  return text.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Python's `repr(treespec)`, as PyTorch's messages have it. */
export function treeSpecText(spec: TreeSpec, indent = 0): string {
  if (spec.type === null) return "*";
  const inner = indent + 2;
  const children = spec.children.map((child) => treeSpecText(child, inner)).join(`,\n${" ".repeat(inner)}`);
  return `TreeSpec(${pythonTypeName(spec.type)}, ${contextText(spec)}, [${children}])`;
}

/** Returns a key of a dict as text; keys that JSON has as lists, such as tuples, as JSON. */
export const keyText = (key: unknown): string =>
  typeof key === "object" && key !== null ? pythonJson(key) : String(key);

/** A named tuple without a name for files is shown by the name of its class. */
const namedTupleText = (name: string): string => (name.startsWith(UNNAMED) ? pythonTypeName(name) : name);

const pythonTypeName = (type: string): string => type.slice(type.lastIndexOf(".") + 1);

function contextText(spec: TreeSpec): string {
  if (spec.type === "collections.namedtuple") return `<class '${namedTupleText(String(spec.context))}'>`;
  if (spec.type === "collections.defaultdict") {
    const { default_factory_name: name } = spec.context as { default_factory_name?: string };
    return `[${name === undefined ? "None" : `<class '${name}'>`}, ${jsonRepr(dictKeys(spec))}]`;
  }
  if (spec.context instanceof OpaqueContext) return String(spec.context);
  return typeof spec.context === "string" ? spec.context : jsonRepr(spec.context);
}

/** Returns whether two contexts are equal: what they hold, not their identity. */
export function sameContext(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof OpaqueContext) return a.equals(b);
  return !(b instanceof OpaqueContext) && pythonJson(a) === pythonJson(b);
}

/** True when two specs describe the same structure, dict keys in the same order. */
export function treeSpecEquals(a: TreeSpec, b: TreeSpec): boolean {
  if (a === b) return true;
  if (a.type !== b.type || a.children.length !== b.children.length) return false;
  if (a.type !== null && !sameContext(a.context, b.context)) return false;
  return a.children.every((child, i) => treeSpecEquals(child, b.children[i]!));
}
