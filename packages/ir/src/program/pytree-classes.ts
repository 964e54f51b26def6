/**
 * @file Classes that count as containers: `torch.export.register_dataclass`, `register_pytree_node`
 * and `register_constant`.
 */
import { alreadyRegistered, fieldsMissing, noEquals, oneDumpFunction } from "./errors.js";
import { pythonJson } from "./pytree.js";
import { attributeKey, type PathKey } from "./pytree-keys.js";
import { equalsOf, OpaqueContext, UNNAMED } from "./pytree-opaque.js";

// biome-ignore lint/suspicious/noExplicitAny: any arguments of a constructor
type Class<T> = abstract new (...args: any[]) => T;

/** One level of an instance: what a node of its tree specification holds. */
interface ClassLevel {
  readonly children: readonly unknown[];
  /** The context as read from a file. */
  readonly context: unknown;
  /** The context as written to a file, where `context` does not determine it. */
  readonly serialized?: string;
}

/** A class that counts as a container. */
export interface ClassEntry {
  /** The class itself. */
  readonly type: Class<unknown>;
  /** The type in a specification: `my_package.Point`, `collections.namedtuple`. */
  readonly specType: string;
  /** The key under which a specification finds the entry. */
  readonly name: string;
  /** Returns what an instance holds. */
  level(value: object): ClassLevel;
  /** The fields of a named tuple. */
  readonly fields?: readonly string[];
  /** Where the children lie, in order; undefined when the author did not say. */
  readonly keys: ((value: object) => readonly PathKey[]) | undefined;
  /**
   * What a plain object that represents an instance holds, undefined where it cannot. Without it
   * the fields in the specification decide.
   */
  readonly recordLevel?: (value: object) => ClassLevel | undefined;
  /** Makes an instance. */
  unflatten(children: readonly unknown[], context: unknown, serialized: string | undefined): unknown;
}

const byPrototype = new Map<object, ClassEntry>();
const byName = new Map<string, ClassEntry>();
let unnamed = 0;

/** Returns the entry of the class of a value; undefined for other values. */
export const entryOf = (value: object): ClassEntry | undefined =>
  byPrototype.size === 0 ? undefined : byPrototype.get(Object.getPrototypeOf(value) as object);

/** Returns the entry that a specification names. */
export const entryNamed = (name: string): ClassEntry | undefined => byName.get(name);

/** Returns the fields of a class that was registered as a named tuple, by its name in files. */
export const registeredFields = (name: string): readonly string[] | undefined => byName.get(name)?.fields;

const nameFor = (type: Class<unknown>, name: string | undefined): string =>
  name ?? `${UNNAMED}${++unnamed}>.${type.name}`;

/** A class that is registered again, or under the name of another, takes its place. */
function add(entry: ClassEntry): void {
  const former = byPrototype.get(entry.type.prototype as object);
  if (former !== undefined && byName.get(former.name) === former) byName.delete(former.name);
  byPrototype.set(entry.type.prototype as object, entry);
  byName.set(entry.name, entry);
}

/** How a class of fields is made a container. */
export interface DataclassOptions<T> {
  /**
   * The fields that hold values, in the order of the constructor in Python. Other properties are
   * not part of the tree.
   */
  readonly fields: readonly (keyof T & string)[];
  /** The name in files, `my_package.Point`. A program with an unnamed class cannot be saved. */
  readonly serializedTypeName?: string;
  /**
   * Makes an instance of its fields. @defaultValue a new object of the class that has the fields,
   * without a call of the constructor
   */
  readonly create?: (fields: Readonly<Record<string, unknown>>) => T;
}

const creator =
  <T>(type: Class<T>, create: DataclassOptions<T>["create"]) =>
  (fields: Readonly<Record<string, unknown>>): T =>
    create === undefined
      ? (Object.assign(Object.create(type.prototype as object) as object, fields) as T)
      : create(fields);

const fieldsOf = (names: readonly string[], values: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name, i) => [name, values[i]]));

/**
 * Fields that are undefined, by the context of the structure. Python has None only, so that the
 * context itself does not say it.
 */
const leftOut = new WeakMap<object, readonly string[]>();

/**
 * Lets instances of a class be arguments and results of models (`torch.export.register_dataclass`).
 * Fields that are null or undefined have no leaf; which ones those are is part of the structure. A
 * model gets them as they were given; those of a structure that was read from a file are null. A
 * class that is registered again takes the new options.
 *
 * @throws SconceError `PYTREE_REGISTRATION`
 */
export function registerDataclass<T extends object>(type: Class<T>, options: DataclassOptions<T>): void {
  const { fields, serializedTypeName, create } = checkedFields(type, options);
  const make = creator(type, create);
  const read = (value: object, name: string): unknown => (value as Record<string, unknown>)[name];
  const given = (value: object): string[] => fields.filter((name) => (read(value, name) ?? null) !== null);
  const name = nameFor(type, serializedTypeName);
  add({
    type,
    name,
    specType: name,
    keys: (value) => given(value).map(attributeKey),
    level: (value) => {
      const set = given(value);
      const absent = fields.filter((field) => !set.includes(field));
      const context = [set, absent];
      const left = absent.filter((field) => read(value, field) === undefined);
      if (left.length > 0) leftOut.set(context, left);
      return { children: set.map((field) => read(value, field)), context };
    },
    unflatten: (children, context) => {
      const [set, absent] = context as [string[], string[]];
      return make({
        ...Object.fromEntries(absent.map((field) => [field, null])),
        ...Object.fromEntries((leftOut.get(context as object) ?? []).map((field) => [field, undefined])),
        ...fieldsOf(set, children),
      });
    },
  });
}

function checkedFields<T extends object>(type: Class<T>, options: DataclassOptions<T>): DataclassOptions<T> {
  const { fields } = options ?? {};
  if (!Array.isArray(fields) || !fields.every((field) => typeof field === "string"))
    throw fieldsMissing(type);
  return options;
}

/**
 * Lets instances of a class represent a Python named tuple: all fields are leaves or containers, a
 * null field is a leaf.
 *
 * @throws SconceError `PYTREE_REGISTRATION`
 */
export function registerNamedTuple<T extends object>(type: Class<T>, options: DataclassOptions<T>): void {
  const { fields, serializedTypeName, create } = checkedFields(type, options);
  const make = creator(type, create);
  const name = nameFor(type, serializedTypeName);
  const level = (value: object): ClassLevel => ({
    children: fields.map((field) => (value as Record<string, unknown>)[field]),
    context: name,
  });
  add({
    type,
    name,
    specType: "collections.namedtuple",
    fields,
    keys: () => fields.map(attributeKey),
    level,
    recordLevel: (value) => (fields.every((field) => field in value) ? level(value) : undefined),
    unflatten: (children) => make(fieldsOf(fields, children)),
  });
}

/** How a class is made a container, as `torch.utils._pytree.register_pytree_node` takes it. */
export interface PytreeNodeOptions<T, C = unknown> {
  /** Returns the children in order, and the context: what else the structure depends on. */
  readonly flatten: (value: T) => readonly [children: readonly unknown[], context: C];
  /** Makes an instance of the children and the context. */
  readonly unflatten: (children: readonly unknown[], context: C) => T;
  /** Like `flatten` with the place of each child. An input of an exported program needs it. */
  readonly flattenWithKeys?: (
    value: T,
  ) => readonly [children: readonly (readonly [PathKey, unknown])[], context: C];
  /** The name in files. A program with an unnamed class cannot be saved. */
  readonly serializedTypeName?: string;
  /** Writes the context as text. @defaultValue JSON */
  readonly toDumpableContext?: (context: C) => string;
  /** Reads the context back. */
  readonly fromDumpableContext?: (text: string) => C;
}

/**
 * Lets instances of a class be containers of arguments and results.
 *
 * @throws SconceError `PYTREE_REGISTRATION`
 */
export function registerPytreeNode<T extends object, C = unknown>(
  type: Class<T>,
  options: PytreeNodeOptions<T, C>,
): void {
  const { flatten, unflatten, flattenWithKeys, toDumpableContext, fromDumpableContext } = options;
  if (byPrototype.has(type.prototype as object)) throw alreadyRegistered(type);
  if ((toDumpableContext === undefined) !== (fromDumpableContext === undefined)) throw oneDumpFunction(type);
  const name = nameFor(type, options.serializedTypeName);
  const keys = flattenWithKeys && ((value: object) => flattenWithKeys(value as T)[0].map(([key]) => key));
  add({
    type,
    name,
    specType: name,
    recordLevel: () => undefined,
    keys,
    level: (value) => {
      const [children, context] = flatten(value as T);
      return { children, ...dumped(context, toDumpableContext) };
    },
    unflatten: (children, context, serialized) => {
      if (context instanceof OpaqueContext) return unflatten(children, context.value as C);
      const read = fromDumpableContext?.(serialized ?? pythonJson(context));
      return unflatten(children, fromDumpableContext === undefined ? (context as C) : (read as C));
    },
  });
}

/**
 * Returns the context as a file has it. A context that is not JSON lives as long as the process.
 */
function dumped<C>(
  context: C,
  dump: ((context: C) => string) | undefined,
): { context: unknown; serialized?: string } {
  if (dump === undefined) return isJson(context) ? { context } : { context: new OpaqueContext(context) };
  const serialized = dump(context);
  return { context: parsedContext(serialized), serialized };
}

/** Returns the context as the reader of specifications has it: JSON where the text is JSON. */
function parsedContext(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== "object") return false;
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson);
}

/** How a class of constants is registered. */
export interface ConstantOptions<T> {
  /** Whether two instances are equal. @defaultValue the method `equals` of the class */
  readonly equals?: (a: T, b: T) => boolean;
}

/**
 * Makes instances of a class part of the structure of arguments: they have no leaves, and a call
 * with an instance that is not equal is refused (`torch.utils._pytree.register_constant`).
 *
 * @throws SconceError `PYTREE_REGISTRATION` for a class that cannot compare its instances
 */
export function registerConstant<T extends object>(type: Class<T>, options: ConstantOptions<T> = {}): void {
  const equals = options.equals ?? equalsOf(type.prototype);
  if (equals === undefined) throw noEquals(type);
  const name = nameFor(type, undefined);
  add({
    type,
    name,
    specType: name,
    recordLevel: () => undefined,
    keys: () => [],
    level: (value) => ({
      children: [],
      context: new OpaqueContext(value, equals as (a: unknown, b: unknown) => boolean),
    }),
    unflatten: (_, context) => (context as OpaqueContext).value,
  });
}
