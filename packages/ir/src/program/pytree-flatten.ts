/**
 * @file Flattening of JavaScript values by their own structure, without a specification at hand.
 */
import { Tensor } from "@sconce/tensor";
import { isFloat, kindOf } from "../values/argument.js";
import { noKeys, treeTooDeep } from "./errors.js";
import { LEAF, MAX_TREE_DEPTH, type TreeSpec } from "./pytree.js";
import { type ClassEntry, entryOf } from "./pytree-classes.js";
import { type KeyPath, mappingKey, type PathKey, sequenceKey } from "./pytree-keys.js";
import { isPythonTuple } from "./pytree-tuple.js";

/** One level of a value: the container that it is, with its children. */
export interface OwnLevel extends Omit<TreeSpec, "children" | "type"> {
  readonly type: string;
  readonly children: readonly unknown[];
  /** The entry of a registered class. */
  readonly entry?: ClassEntry;
}

/**
 * Returns the container that a value is, undefined for a leaf: a tuple or list for an array, a dict
 * for a plain object, an `OrderedDict` for a Map of strings, a dict for a Map with other keys, and
 * what a registered class says.
 */
export function ownLevel(value: unknown): OwnLevel | undefined {
  if (typeof value !== "object" || value === null || value instanceof Tensor) return undefined;
  const entry = entryOf(value);
  if (entry !== undefined) return { type: entry.specType, ...entry.level(value), entry };
  if (Array.isArray(value)) {
    const type = isPythonTuple(value) ? "builtins.tuple" : "builtins.list";
    return { type, context: null, children: value as unknown[] };
  }
  if (value instanceof Map) {
    const keys = [...value.keys()];
    const ordered = keys.every((key) => typeof key === "string");
    return {
      type: ordered ? "collections.OrderedDict" : "builtins.dict",
      context: keys,
      children: [...value.values()],
    };
  }
  if (!isPlainRecord(value)) return undefined;
  return { type: "builtins.dict", context: Object.keys(value), children: Object.values(value) };
}

/** Returns whether a value is an object without its own class, and no number in a wrapper. */
function isPlainRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !isFloat(value) && !isComplex(value);
}

const isComplex = (value: object): boolean =>
  kindOf(value) === "complex" && typeof (value as { re?: unknown }).re === "number";

/** One container with its children and where they lie. */
export interface TreeLevel {
  /**
   * The type in specifications: `builtins.list`, `builtins.dict`, the name of a registered class.
   */
  readonly type: string;
  readonly keys: readonly PathKey[];
  readonly children: readonly unknown[];
}

/**
 * Returns the container that a value is, or undefined for a leaf. The children of a registered
 * class that does not say where they lie have indices.
 */
export function treeLevel(value: unknown): TreeLevel | undefined {
  const level = ownLevel(value);
  if (level === undefined) return undefined;
  const { type, children, entry } = level;
  const isUnplaced = entry !== undefined && entry.keys === undefined;
  const keys = isUnplaced ? children.map((_, i) => sequenceKey(i)) : keysOf(value as object, level);
  return { type, keys, children };
}

/** A leaf with the way to it. */
export interface PathLeaf {
  /** The way from the whole value to the leaf. */
  readonly path: KeyPath;
  /** The leaf itself: a tensor, a number, null, or any value that is not a container. */
  readonly value: unknown;
}

/**
 * Returns the leaves of a value in order, and its specification: arrays are lists, arrays of
 * `pythonTuple` are tuples, plain objects are dicts, Maps of strings are `OrderedDict`s, registered
 * classes are what they say.
 *
 * @throws SconceError `TREE_DEPTH` for a value that contains itself
 */
export function flattenValue(value: unknown): { readonly leaves: unknown[]; readonly spec: TreeSpec } {
  const leaves: unknown[] = [];
  const spec = walk(value, 0, (leaf) => leaves.push(leaf));
  return { leaves, spec };
}

/**
 * Like {@link flattenValue}, with the path of each leaf.
 *
 * @throws SconceError `TREE_DEPTH`, `PYTREE_KEYS` for a registered class that does not say where
 * its children lie
 */
export function flattenWithPaths(value: unknown): { readonly leaves: PathLeaf[]; readonly spec: TreeSpec } {
  const leaves: PathLeaf[] = [];
  const path: PathKey[] = [];
  const spec = walk(value, 0, (leaf) => leaves.push({ path: [...path], value: leaf }), path);
  return { leaves, spec };
}

function walk(value: unknown, depth: number, onLeaf: (leaf: unknown) => void, path?: PathKey[]): TreeSpec {
  const level = ownLevel(value);
  if (level === undefined) {
    onLeaf(value);
    return LEAF;
  }
  if (depth >= MAX_TREE_DEPTH) throw treeTooDeep(MAX_TREE_DEPTH);
  const keys = path && keysOf(value as object, level);
  const children = level.children.map((child, i) => {
    if (keys !== undefined) path!.push(keys[i]!);
    const spec = walk(child, depth + 1, onLeaf, path);
    path?.pop();
    return spec;
  });
  return levelSpec(level, children);
}

/** Returns the specification of a level with those of its children. */
export function levelSpec(level: OwnLevel, children: readonly TreeSpec[]): TreeSpec {
  const { type, context, serialized } = level;
  const spec = { type, context, children: Object.freeze(children) };
  return Object.freeze(serialized === undefined ? spec : { ...spec, serialized });
}

function keysOf(value: object, { entry, type, context, children }: OwnLevel): readonly PathKey[] {
  if (entry !== undefined) {
    if (entry.keys === undefined) throw noKeys(entry.type);
    return entry.keys(value);
  }
  if (type === "builtins.tuple" || type === "builtins.list") return children.map((_, i) => sequenceKey(i));
  return (context as readonly unknown[]).map(mappingKey);
}
