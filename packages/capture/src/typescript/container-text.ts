/** @file Containers of inputs and outputs: types, values, and the way to each leaf. */
import { scriptString } from "@sconce/errors";
import { dataclassFields, dictKeys, leafCount, type TreeSpec } from "@sconce/ir";
import { notWritable } from "./errors.js";
import { keyText, memberText } from "./literals.js";
import type { ModuleFile } from "./module-file.js";

/** A class that represents a registered container. */
interface ContainerClass {
  readonly name: string;
  readonly fields: readonly string[];
  /** The types of the fields, as far as the first use has them. */
  readonly types: readonly string[];
}

/** Writes containers. Classes are declared in the module when they are used first. */
export class Containers {
  readonly #file: ModuleFile;
  readonly #classes = new Map<string, ContainerClass>();

  constructor(file: ModuleFile) {
    this.#file = file;
  }

  /** Returns the type of a container; `leaves` are the types of the leaves, in order. */
  type(spec: TreeSpec, leaves: string[], names: readonly string[] = []): string {
    if (spec.type === null) return leaves.shift() ?? "unknown";
    const children = spec.children.map((child) => this.type(child, leaves));
    if (isSequence(spec)) return `readonly [${children.join(", ")}]`;
    const keys = keysOf(spec);
    if (keys === undefined) return this.#classOf(spec, names, children).name;
    if (isMap(spec))
      return `ReadonlyMap<${[...new Set(keys.map((key) => typeof key))].join(" | ") || "string"}, ${[...new Set(children)].join(" | ") || "unknown"}>`;
    return `{ ${keys.map((key, i) => `readonly ${keyText(String(key))}: ${children[i]}`).join("; ")} }`;
  }

  /** An expression for the container of these leaves. */
  value(spec: TreeSpec, leaves: string[], names: readonly string[] = []): string {
    if (spec.type === null) return leaves.shift() ?? "null";
    const children = spec.children.map((child) => this.value(child, leaves));
    if (spec.type === "builtins.tuple") return `${this.#file.use("tuple")}(${children.join(", ")})`;
    if (isSequence(spec)) return `[${children.join(", ")}]`;
    const keys = keysOf(spec);
    if (keys === undefined) {
      const { name, fields } = this.#classOf(spec, names);
      return `Object.assign(new ${name}(), { ${children.map((child, i) => `${keyText(fields[i]!)}: ${child}`).join(", ")} })`;
    }
    if (sortsKeys(spec)) this.#file.differ("ordered-dict", `the keys ${keys.join(", ")}`);
    if (isMap(spec))
      return `new Map([${keys.map((key, i) => `[${mapKey(key)}, ${children[i]}]`).join(", ")}])`;
    return `{ ${keys.map((key, i) => `${keyText(String(key))}: ${children[i]}`).join(", ")} }`;
  }

  /** The expressions for the leaves of a container; `types` are their types, in order. */
  leaves(spec: TreeSpec, owner: string, types: string[], names: readonly string[] = []): string[] {
    if (spec.type === null) {
      types.shift();
      return [owner];
    }
    const keys = keysOf(spec);
    const own = keys === undefined && !isSequence(spec) ? this.#classOf(spec, names) : undefined;
    return spec.children.flatMap((child, i) => {
      if (isSequence(spec)) return this.leaves(child, `${owner}[${i}]`, types);
      if (own !== undefined) {
        const type = this.type(child, [...types]);
        const text = memberText(owner, own.fields[i]!);
        return this.leaves(child, own.types[i] === type ? text : `(${text} as ${type})`, types);
      }
      if (!isMap(spec)) return this.leaves(child, memberText(owner, String(keys![i]!)), types);
      const type = this.type(child, [...types]);
      return this.leaves(child, `(${owner}.get(${mapKey(keys![i]!)}) as ${type})`, types);
    });
  }

  /** Returns the class of a registered container. `names` are those of its leaves in the graph. */
  #classOf(spec: TreeSpec, names: readonly string[], types: readonly string[] = []): ContainerClass {
    const isNamedTuple = spec.type === "collections.namedtuple";
    const key = isNamedTuple ? String(spec.context) : spec.type!;
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    const ownFields = writableFields(spec);
    const fields = ownFields ?? fieldsByNames(spec, names);
    if (fields === undefined)
      throw notWritable(
        `the container ${key}`,
        "the calling convention",
        "export the model with tuples, lists and dicts, or with a registered dataclass",
      );
    const made = { name: this.#file.names.take(key.slice(key.lastIndexOf(".") + 1)), fields, types };
    this.#classes.set(key, made);
    const register = isNamedTuple ? "registerNamedTuple" : "registerDataclass";
    if (!isNamedTuple && ownFields === undefined) this.#declareNode(made, key, spec);
    else
      this.#file.declarations.push(
        ...classText(made),
        `${this.#file.use(register)}(${made.name}, { fields: ${listText(fields)}, serializedTypeName: ${scriptString(key)} });`,
      );
    return made;
  }

  /** A class that its author registered with functions: its context is kept as it is. */
  #declareNode(made: ContainerClass, key: string, spec: TreeSpec): void {
    const { name, fields } = made;
    const { use } = this.#file;
    const context = JSON.stringify(spec.context);
    const text = spec.serialized ?? context;
    this.#file.declarations.push(
      ...classText(made),
      `${use("registerPytreeNode")}(${name}, {`,
      `  flatten: (value) => [[${fields.map((field) => memberText("value", field)).join(", ")}], null],`,
      `  flattenWithKeys: (value) => [[${fields.map((field) => `[${use("attributeKey")}(${scriptString(field)}), ${memberText("value", field)}]`).join(", ")}], null],`,
      `  unflatten: (children) => Object.assign(new ${name}(), Object.fromEntries(${listText(fields)}.map((field, i) => [field, children[i]]))),`,
      `  serializedTypeName: ${scriptString(key)},`,
      `  toDumpableContext: () => ${scriptString(text)},`,
      "  fromDumpableContext: () => null,",
      "});",
    );
  }
}

function classText({ name, fields, types }: ContainerClass): string[] {
  const lines = fields.map((field, i) => `  declare readonly ${keyText(field)}: ${types[i] ?? "unknown"};`);
  return [
    "/** Represents the container of this name in the program. */",
    `export class ${name} {`,
    ...lines,
    "}",
  ];
}

const listText = (names: readonly string[]): string => `[${names.map(scriptString).join(", ")}]`;

/** A deque is an array in JavaScript. */
const SEQUENCES = new Set<string | null>(["builtins.tuple", "builtins.list", "collections.deque"]);
const isSequence = ({ type }: TreeSpec): boolean => SEQUENCES.has(type);
type Key = string | number | boolean;

/** Containers that are others in JavaScript. */
const WITHOUT_COUNTERPART = new Set<string | null>(["collections.deque", "collections.defaultdict"]);

/** Returns whether a tree has a container that JavaScript has not. */
export const lacksCounterpart = ({ type, children }: TreeSpec): boolean =>
  WITHOUT_COUNTERPART.has(type) || children.some(lacksCounterpart);

/**
 * Returns whether a dict is a Map: an ordered one, one whose keys are not all texts, or one of
 * sorted keys.
 */
const isMap = (spec: TreeSpec): boolean =>
  spec.type === "collections.OrderedDict" ||
  dictKeys(spec)?.some((key) => typeof key !== "string") === true ||
  sortsKeys(spec);

/**
 * Returns whether an object has other names than a dict, or in another order: those that are whole
 * numbers come first, in ascending order.
 */
function sortsKeys(spec: TreeSpec): boolean {
  const keys = spec.type === "builtins.dict" ? dictKeys(spec) : undefined;
  if (keys?.every((key) => typeof key === "string") !== true) return false;
  const own = Object.keys(Object.fromEntries(keys.map((key) => [key, true])));
  return own.some((key, i) => key !== keys[i]) || keys.includes("__proto__");
}

/** Returns the keys of a dict. */
function keysOf(spec: TreeSpec): readonly Key[] | undefined {
  const keys = dictKeys(spec);
  if (keys === undefined) return undefined;
  const isWritable = keys.every((key) => ["string", "boolean"].includes(typeof key) || Number.isInteger(key));
  if (!isWritable)
    throw notWritable(
      `a dict with the keys ${keys.map(String).join(", ")}`,
      "the calling convention",
      "use keys that are words or whole numbers",
    );
  return keys as readonly Key[];
}

const mapKey = (key: Key): string => (typeof key === "string" ? scriptString(key) : String(key));

/** Returns all fields of a dataclass, if a class may have them. */
function writableFields(spec: TreeSpec): readonly string[] | undefined {
  const found = dataclassFields(spec);
  if (found === undefined) return undefined;
  const fields = [...found.set, ...found.absent];
  return fields.every(isField) ? fields : undefined;
}

const isField = (name: string): boolean => name !== "__proto__" && name !== "constructor";

/** A file has no names of fields; those of the placeholders end with them. */
function fieldsByNames(
  { type, children }: TreeSpec,
  names: readonly string[],
): readonly string[] | undefined {
  if (type?.startsWith("collections.") === true && type !== "collections.namedtuple") return undefined;
  const start = commonStart(names);
  let next = 0;
  const fields = children.map((child) => {
    const count = leafCount(child);
    const own = names.slice(next, next + count).map((name) => name.slice(start));
    next += count;
    // The leaves of a container in a field begin with its name.
    return child.type === null ? own[0]! : (own[0]?.slice(0, Math.max(0, commonStart(own) - 1)) ?? "");
  });
  const areNames =
    names.length === next && fields.every((field) => /^[a-z]\w*$/.test(field) && isField(field));
  return areNames && new Set(fields).size === fields.length ? fields : children.map((_, i) => `field_${i}`);
}

/**
 * Returns the length of the argument's name in front of the names of its fields: up to an
 * underscore.
 */
function commonStart(names: readonly string[]): number {
  const [first = ""] = names;
  let length = first.length;
  for (const name of names) while (!name.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length).lastIndexOf("_") + 1;
}
