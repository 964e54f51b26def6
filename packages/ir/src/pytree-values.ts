/** @file Flattening and rebuilding JavaScript values by a tree specification. */
import { isFloat } from "./argument.js";
import { treeMismatch } from "./errors.js";
import { dictKeys, LEAF, type TreeSpec, treeSpecText } from "./pytree.js";

/**
 * How values of a registered Python type look in JavaScript. Without an entry, dataclasses are objects with their
 * fields and other registered types are arrays of their children.
 */
export interface PytreeType {
  /** The type's name in files, `my_package.Point`. */
  readonly name: string;
  /** Children in order, or undefined when the value is not of this type. */
  flatten(value: unknown, context: unknown): readonly unknown[] | undefined;
  unflatten(children: readonly unknown[], context: unknown): unknown;
}

/** Registered types by name; named tuples by the name of their class. */
export type PytreeRegistry = ReadonlyMap<string, PytreeType>;

/** A registry entry for a named tuple or dataclass that is an object with these fields. */
export function recordType(name: string, fields: readonly string[]): PytreeType {
  return {
    name,
    flatten: (value) =>
      isRecord(value) && fields.every((field) => field in value) ? pick(value, fields) : undefined,
    unflatten: (children) => fromEntries(fields, children),
  };
}

const NO_TYPES: PytreeRegistry = new Map();

/**
 * Leaves of a value in the order of its spec: arrays for tuples and lists, objects or Maps for dicts (keys in any
 * order), what the registry says for registered types.
 * @throws SconceError `TREE_MISMATCH` with both structures in PyTorch's words
 */
export function flattenTree(value: unknown, spec: TreeSpec, registry: PytreeRegistry = NO_TYPES): unknown[] {
  const leaves: unknown[] = [];
  if (!collect(value, spec, registry, leaves)) {
    throw treeMismatch(treeSpecText(spec), treeSpecText(specOf(value, spec, registry)));
  }
  return leaves;
}

function collect(value: unknown, spec: TreeSpec, registry: PytreeRegistry, leaves: unknown[]): boolean {
  if (spec.type === null) {
    leaves.push(value);
    return !isContainer(value);
  }
  const children = childrenOf(value, spec, registry);
  if (children === undefined || children.length !== spec.children.length) return false;
  return spec.children.every((child, i) => collect(children[i], child, registry, leaves));
}

/** The value that a spec and its leaves describe; the inverse of {@link flattenTree}. */
export function unflattenTree(
  leaves: readonly unknown[],
  spec: TreeSpec,
  registry: PytreeRegistry = NO_TYPES,
): unknown {
  let next = 0;
  const build = (node: TreeSpec): unknown => {
    if (node.type === null) return leaves[next++];
    return assemble(node, node.children.map(build), registry);
  };
  return build(spec);
}

function assemble(spec: TreeSpec, children: unknown[], registry: PytreeRegistry): unknown {
  const registered = registeredType(spec, registry);
  if (registered !== undefined) return registered.unflatten(children, spec.context);
  const keys = dictKeys(spec);
  if (keys !== undefined) {
    const asMap = spec.type === "collections.OrderedDict" || keys.some((key) => typeof key !== "string");
    return asMap
      ? new Map(keys.map((key, i) => [key, children[i]]))
      : fromEntries(keys as string[], children);
  }
  const fields = dataclassFields(spec);
  return fields === undefined ? children : fromEntries(fields, children);
}

function childrenOf(
  value: unknown,
  spec: TreeSpec,
  registry: PytreeRegistry,
): readonly unknown[] | undefined {
  const registered = registeredType(spec, registry);
  if (registered !== undefined) return registered.flatten(value, spec.context);
  const keys = dictKeys(spec) ?? dataclassFields(spec);
  if (keys === undefined) return Array.isArray(value) ? (value as unknown[]) : undefined;
  if (value instanceof Map)
    return value.size === keys.length && keys.every((key) => value.has(key))
      ? keys.map((key) => value.get(key))
      : undefined;
  if (!isRecord(value)) return undefined;
  const names = keys.map(String);
  const given = Object.keys(value).length;
  // Fields of a dataclass that were None have no leaf and may be given or not.
  const enough = dictKeys(spec) === undefined ? given >= names.length : given === names.length;
  return enough && names.every((name) => Object.hasOwn(value, name)) ? pick(value, names) : undefined;
}

function registeredType(spec: TreeSpec, registry: PytreeRegistry): PytreeType | undefined {
  return registry.get(spec.type === "collections.namedtuple" ? String(spec.context) : spec.type!);
}

/** Fields of a registered dataclass: its context is `[fields with a value, fields that were None]`. */
function dataclassFields(spec: TreeSpec): readonly string[] | undefined {
  const { context } = spec;
  if (!Array.isArray(context) || context.length !== 2 || dictKeys(spec) !== undefined) return undefined;
  const [fields, absent] = context as unknown[];
  const named = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((item) => typeof item === "string");
  return named(fields) && named(absent) && fields.length === spec.children.length ? fields : undefined;
}

/** The structure that a value really has, told in the types of the expected spec where it fits. */
export function specOf(value: unknown, like: TreeSpec = LEAF, registry: PytreeRegistry = NO_TYPES): TreeSpec {
  const fitting = like.type === null ? undefined : childrenOf(value, like, registry);
  if (fitting !== undefined) {
    return { ...like, children: fitting.map((child, i) => specOf(child, like.children[i], registry)) };
  }
  if (Array.isArray(value)) {
    const type = like.type === "builtins.tuple" ? "builtins.tuple" : "builtins.list";
    return { type, context: null, children: value.map((child) => specOf(child, LEAF, registry)) };
  }
  if (!isContainer(value)) return LEAF;
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value as object);
  return {
    type: "builtins.dict",
    context: entries.map(([key]) => key),
    children: entries.map(([, child]) => specOf(child, LEAF, registry)),
  };
}

const isContainer = (value: unknown): boolean =>
  Array.isArray(value) || value instanceof Map || isPlainRecord(value);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isPlainRecord(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !isFloat(value);
}

const pick = (value: Record<string, unknown>, names: readonly string[]): unknown[] =>
  names.map((name) => value[name]);

function fromEntries(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  // `Object.fromEntries` defines own properties, so that a key named __proto__ is a key like any other.
  return Object.fromEntries(names.map((name, i) => [name, values[i]]));
}
