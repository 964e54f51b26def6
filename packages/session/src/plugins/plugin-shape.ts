/**
 * @file What a plugin must look like, checked field by field: plugins come from modules that no
 * compiler has seen.
 */
import { isSconceError, requireSameCopy, type SconceError, thrownText } from "@sconce/errors";
import { OPS_COPY } from "@sconce/ops";
import { PASSES_COPY, type Plugin } from "@sconce/passes";
import { badPlugin } from "./errors.js";

/** Whether a value is of a kind, and what the kind is called. */
interface Kind {
  readonly called: string;
  is(value: unknown): boolean;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const ofType = (type: string): Kind => ({ called: `a ${type}`, is: (value) => typeof value === type });
const optional = ({ called, is }: Kind): Kind => ({
  called: `${called}, or left out`,
  is: (value) => value === undefined || is(value),
});
const OBJECT: Kind = { called: "an object", is: (value) => isObject(value) && !Array.isArray(value) };
const STRING = ofType("string");
const NAME: Kind = { called: "a name", is: (value) => typeof value === "string" && value !== "" };
const FUNCTION = ofType("function");
/** What a pipeline's text can name. */
const WORD: Kind = {
  called: "a name of letters, digits, _ and -",
  is: (value) => typeof value === "string" && /^[\w-]+$/.test(value),
};
const isWord = (value: unknown): boolean => typeof value === "string";
const VALUE: Kind = {
  called: "a string, number, boolean or list of strings",
  is: (value) =>
    ["string", "number", "boolean"].includes(typeof value) || (Array.isArray(value) && value.every(isWord)),
};
const CHOICES: Kind = {
  called: "a list of strings, or choices of a session",
  is: (value) =>
    Array.isArray(value)
      ? value.every(isWord)
      : isObject(value) && "words" in value && typeof value.words === "function",
};
/** What each option of a pass must have. */
const OPTION: Readonly<Record<string, Kind>> = {
  default: VALUE,
  doc: STRING,
  choices: optional(CHOICES),
  check: optional(FUNCTION),
};
const SET: Kind = { called: "a set", is: (value) => value instanceof Set };
const MAP: Kind = { called: "a map", is: (value) => value instanceof Map };

/** Lists of a plugin: what their items must have, and what makes such items. */
const LISTS: Readonly<
  Record<string, { readonly fix: string; readonly item: Readonly<Record<string, Kind>> }>
> = {
  ops: {
    fix: "make operators with defineOp",
    item: { target: NAME, schema: OBJECT, meta: optional(FUNCTION), decompose: optional(FUNCTION) },
  },
  passes: {
    fix: "make passes with definePass",
    item: {
      name: WORD,
      doc: STRING,
      options: OBJECT,
      run: FUNCTION,
      requires: optional(STRING),
      ensures: optional(STRING),
    },
  },
  rules: {
    fix: "make rules with defineRule",
    item: { name: NAME, doc: STRING, roots: MAP, replace: FUNCTION, where: optional(FUNCTION) },
  },
  dialects: {
    fix: "begin with one of PyTorch's: { ...ATEN, name: ... }",
    item: {
      name: NAME,
      functional: ofType("boolean"),
      pythonFunctions: SET,
      torchFunctions: SET,
      refuse: optional(FUNCTION),
    },
  },
  backends: {
    fix: "see docs/concepts/backends.md",
    item: { name: NAME, supports: FUNCTION, compile: FUNCTION },
  },
  pytreeTypes: {
    fix: "give { name, flatten, unflatten }, or make one with recordType",
    item: { name: NAME, flatten: FUNCTION, unflatten: FUNCTION },
  },
};
/** Functions by target. */
const RECORDS: ReadonlySet<string> = new Set(["kernels", "decompositions"]);
const FIELDS: readonly string[] = ["name", ...Object.keys(LISTS), ...RECORDS];

/**
 * Returns the plugin's fields as they are now, each read once: what is done to the object later
 * changes nothing.
 *
 * @throws SconceError `PLUGIN` naming the plugin and the field
 */
export function readPlugin(given: unknown, position: number): Plugin {
  const place = `plugin ${position + 1}`;
  if (!OBJECT.is(given)) throw badPlugin(place, `is ${describeValue(given)}, not an object`, FIELDS_ARE);
  const plugin = given as Readonly<Record<string, unknown>>;
  const name = read(place, plugin, "name", "name");
  if (name === undefined && (OBJECT.is(plugin["default"]) || OBJECT.is(plugin["plugin"])))
    throw badPlugin(
      place,
      "is a module, not a plugin",
      "give what it exports: `(await import(path)).default`",
    );
  if (!NAME.is(name)) throw badField(place, "name", NAME, name, FIELDS_ARE);
  const label = `plugin "${String(name)}"`;
  const unknown = Object.keys(plugin).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined)
    throw badPlugin(label, `has a field "${unknown}", which no plugin has`, FIELDS_ARE);
  const fields = FIELDS.map((field) => [field, fieldOf(label, plugin, field)] as const);
  return Object.freeze(Object.fromEntries(fields.filter(([, value]) => value !== undefined))) as never;
}

const FIELDS_ARE = `the fields are: ${FIELDS.join(", ")}`;

function fieldOf(label: string, plugin: Readonly<Record<string, unknown>>, field: string): unknown {
  const value = read(label, plugin, field, field);
  if (value === undefined || field === "name") return value;
  if (RECORDS.has(field)) return recordOf(label, field, value);
  if (!Array.isArray(value))
    throw badField(label, field, { called: "a list", is: Array.isArray }, value, LISTS[field]!.fix);
  const { item, fix } = LISTS[field]!;
  value.forEach((one: unknown, i) => {
    const path = `${field}[${i}]`;
    requireOwn(label, one);
    requireParts(label, path, one, item, fix);
    const options = field === "passes" ? (one as { readonly options: object }).options : {};
    for (const [name, option] of Object.entries(options))
      requireParts(label, `${path}.options.${name}`, option, OPTION, 'give { default: 3, doc: "..." }');
  });
  return Object.freeze([...value]);
}

/**
 * A pass, rule or operator that another copy of Sconce defined works on that copy's graphs.
 * @throws SconceError `TWO_COPIES` with the plugin
 */
function requireOwn(label: string, part: unknown): void {
  try {
    for (const copy of [PASSES_COPY, OPS_COPY]) requireSameCopy(part, copy);
  } catch (error) {
    throw isSconceError(error) ? error.at(label) : error;
  }
}

function requireParts(
  label: string,
  path: string,
  given: unknown,
  parts: Readonly<Record<string, Kind>>,
  fix: string,
): void {
  if (!OBJECT.is(given)) throw badField(label, path, OBJECT, given, fix);
  for (const [key, kind] of Object.entries(parts)) {
    const part = read(label, given as Readonly<Record<string, unknown>>, key, `${path}.${key}`);
    if (!kind.is(part)) throw badField(label, `${path}.${key}`, kind, part, fix);
  }
}

function recordOf(label: string, field: string, value: unknown): object {
  const fix = 'give an object of functions by target: { "aten.relu.default": ... }';
  if (!OBJECT.is(value)) throw badField(label, field, OBJECT, value, fix);
  const record = (value instanceof Map ? Object.fromEntries(value) : value) as Readonly<
    Record<string, unknown>
  >;
  const entries = Object.keys(record).map(
    (key) => [key, read(label, record, key, `${field}["${key}"]`)] as const,
  );
  for (const [key, run] of entries)
    if (!FUNCTION.is(run)) throw badField(label, `${field}["${key}"]`, FUNCTION, run, fix);
  return Object.freeze(Object.fromEntries(entries));
}

/** Returns a field, read with care: it may be a getter that throws. */
function read(label: string, from: Readonly<Record<string, unknown>>, key: string, path: string): unknown {
  try {
    return from[key];
  } catch (error) {
    const why = thrownText(error);
    throw badPlugin(label, `threw when its field ${path} was read: ${why}`, "give plain values", error);
  }
}

const badField = (label: string, path: string, { called }: Kind, value: unknown, fix: string): SconceError =>
  badPlugin(label, `has a bad field ${path}: expected ${called}, got ${describeValue(value)}`, fix);

export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : `a ${typeof value}`;
}
