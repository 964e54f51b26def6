/** @file Flattening and rebuilding JavaScript values by a tree specification. */
import { Tensor } from "@sconce/tensor";
import { treeMismatch } from "../graph/errors.js";
import { dictKeys, keyText, LEAF, sameContext, type TreeSpec, treeSpecText } from "./pytree.js";
import { type ClassEntry, entryNamed, entryOf } from "./pytree-classes.js";
import { levelSpec, ownLevel } from "./pytree-flatten.js";
import { markTuple } from "./pytree-tuple.js";

/**
 * How values of a registered Python type look in JavaScript. Without an entry, dataclasses are
 * objects with their fields and other registered types are arrays of their children.
 */
export interface PytreeType {
  /** The type's name in files, `my_package.Point`. */
  readonly name: string;
  /** Children in order, or undefined when the value is not of this type. */
  flatten(value: unknown, context: unknown): readonly unknown[] | undefined;
  /** Returns the container of these children, the reverse of `flatten`. */
  unflatten(children: readonly unknown[], context: unknown): unknown;
}

/** Registered types by name; named tuples by the name of their class. */
export type PytreeRegistry = ReadonlyMap<string, PytreeType>;

/** Returns a registry entry for a named tuple or dataclass that is an object with these fields. */
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
 * Returns the leaves of a value in the order of its spec: arrays for tuples and lists, objects or
 * Maps for dicts (keys of an `OrderedDict` or `defaultdict` in the order of the spec), objects for
 * dataclasses (fields that were None at export are left out or null), what the registry says for
 * registered types.
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
    return ownLevel(value) === undefined;
  }
  const level = levelOf(value, spec, registry);
  if (level?.children.length !== spec.children.length || !sameContext(level.context, spec.context))
    return false;
  return spec.children.every((child, i) => collect(level.children[i], child, registry, leaves));
}

/** Returns the value that a spec and its leaves describe; the inverse of {@link flattenTree}. */
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
  const entry = classOf(spec);
  if (entry !== undefined) return entry.unflatten(children, spec.context, spec.serialized);
  if (spec.type === "builtins.tuple") return markTuple(children);
  const keys = dictKeys(spec);
  if (keys !== undefined) {
    const asMap = spec.type === "collections.OrderedDict" || keys.some((key) => typeof key !== "string");
    return asMap
      ? new Map(keys.map((key, i) => [key, children[i]]))
      : fromEntries(keys as string[], children);
  }
  const fields = dataclassFields(spec);
  return fields === undefined ? children : fromEntries(fields.set, children);
}

/** One level of a value, seen as the container type of a spec. */
interface Level {
  /**
   * The context that PyTorch would give this value: keys in the order in which it compares them.
   */
  readonly context: unknown;
  readonly children: readonly unknown[];
}

/** Undefined when the value is not a container of that type. */
function levelOf(value: unknown, spec: TreeSpec, registry: PytreeRegistry): Level | undefined {
  const registered = registeredType(spec, registry);
  if (registered !== undefined) {
    const children = registered.flatten(value, spec.context);
    return children && { context: spec.context, children };
  }
  const entry = classOf(spec);
  // An array of its children represents an instance, registered or not.
  if (entry !== undefined && !Array.isArray(value)) {
    if (!isRecord(value)) return undefined;
    const own = entryOf(value);
    if (own?.name === entry.name) return own.level(value);
    if (entry.recordLevel !== undefined) return entry.recordLevel(value);
  }
  const keys = dictKeys(spec);
  if (keys !== undefined) return dictLevel(value, spec, keys);
  const fields = dataclassFields(spec);
  if (fields !== undefined)
    return isRecord(value) && !(value instanceof Map) ? dataclassLevel(value, fields) : undefined;
  return Array.isArray(value) ? { context: spec.context, children: value as unknown[] } : undefined;
}

/**
 * Keys of a dict may come in any order; those of an `OrderedDict` or a `defaultdict` are part of
 * its structure.
 */
function dictLevel(value: unknown, spec: TreeSpec, keys: readonly unknown[]): Level | undefined {
  if (!isRecord(value)) return undefined;
  const names = value instanceof Map ? keys : keys.map(keyText);
  const given: readonly unknown[] = value instanceof Map ? [...value.keys()] : Object.keys(value);
  const get = (key: unknown): unknown => (value instanceof Map ? value.get(key) : value[key as string]);
  const known = new Set(names);
  const sameKeys = given.length === names.length && given.every((key) => known.has(key));
  // JavaScript sorts the integer keys of an object, so that it cannot express their order.
  const unordered =
    spec.type === "builtins.dict" || (!(value instanceof Map) && given.some((key) => isIndex(key as string)));
  if (sameKeys && (unordered || given.every((key, i) => key === names[i])))
    return { context: spec.context, children: names.map(get) };
  const context =
    spec.type === "collections.defaultdict" ? { ...(spec.context as object), dict_context: given } : given;
  return { context, children: given.map(get) };
}

const isIndex = (key: string): boolean => /^(0|[1-9]\d*)$/.test(key);

/**
 * Fields that are None have no leaf, as if they were not given; which ones those are is part of the
 * structure.
 */
function dataclassLevel(value: Record<string, unknown>, { set, absent }: DataclassFields): Level {
  const known = new Set([...set, ...absent]);
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  const isGiven = (name: string): boolean => Object.hasOwn(value, name) && (value[name] ?? null) !== null;
  const given = [...[...known].filter(isGiven), ...unknown];
  const none = [...set, ...absent].filter((name) => !isGiven(name));
  return { context: [given, none], children: given.map((name) => value[name]) };
}

function registeredType(spec: TreeSpec, registry: PytreeRegistry): PytreeType | undefined {
  return registry.get(spec.type === "collections.namedtuple" ? String(spec.context) : spec.type!);
}

const classOf = (spec: TreeSpec): ClassEntry | undefined =>
  entryNamed(spec.type === "collections.namedtuple" ? String(spec.context) : spec.type!);

/** Names of the fields of a dataclass. */
export interface DataclassFields {
  readonly set: readonly string[];
  readonly absent: readonly string[];
}

/**
 * Returns the fields of a registered dataclass, undefined for other types. Its context is
 * `[fields with a value, fields that were None]`.
 */
export function dataclassFields(spec: TreeSpec): DataclassFields | undefined {
  const { context } = spec;
  if (!Array.isArray(context) || context.length !== 2 || dictKeys(spec) !== undefined) return undefined;
  const [set, absent] = context as unknown[];
  const named = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((item) => typeof item === "string");
  return named(set) && named(absent) && set.length === spec.children.length ? { set, absent } : undefined;
}

/** Returns the actual structure of a value, with the types of the expected spec where they fit. */
export function specOf(value: unknown, like: TreeSpec = LEAF, registry: PytreeRegistry = NO_TYPES): TreeSpec {
  const level = like.type === null ? undefined : levelOf(value, like, registry);
  if (level !== undefined) {
    const children = level.children.map((child, i) => specOf(child, like.children[i], registry));
    return { type: like.type, context: level.context, children };
  }
  const own = ownLevel(value);
  if (own === undefined) return LEAF;
  // An array may be either; it is shown as what was expected.
  const type = own.type === "builtins.list" && like.type === "builtins.tuple" ? like.type : own.type;
  return levelSpec(
    { ...own, type },
    own.children.map((child) => specOf(child, LEAF, registry)),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Tensor);

const pick = (value: Record<string, unknown>, names: readonly string[]): unknown[] =>
  names.map((name) => value[name]);

function fromEntries(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  // `Object.fromEntries` defines own properties, so that a key named __proto__ is a key like any
  // other.
  return Object.fromEntries(names.map((name, i) => [name, values[i]]));
}
