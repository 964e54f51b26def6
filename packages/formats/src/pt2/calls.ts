/** @file How the inputs of a serialized call become positional and keyword arguments. */
import {
  type Argument,
  type CallForm,
  type EmptyListKind,
  NO_KWARGS,
  type OpSchema,
  PYTHON_KEYWORDS,
} from "@sconce/ir";
import { type Place, type Read, readList, readObject, readSafeInteger, readString } from "../json/place.js";
import { JsonObject, type JsonValue } from "../json/value.js";
import { ARGUMENT_KINDS } from "./schema.js";

/** One named input. `kind` is null where the file does not say how it was passed. */
interface NamedArgument {
  readonly name: string;
  readonly value: Argument;
  readonly kind: number | null;
  /** What an empty list would hold. */
  readonly emptyList: EmptyListKind | undefined;
}

/** The arguments of a call. */
export interface CallArguments {
  readonly args: readonly Argument[];
  readonly kwargs: Readonly<Record<string, Argument>>;
  /** What only the file says of the call: for an operator without a schema. */
  readonly form?: CallForm | undefined;
}

/** Keyword-only arguments of ATen operators, for files that have neither kinds nor schemas. */
const KEYWORD_ONLY: ReadonlySet<string> = new Set([
  "dtype",
  "layout",
  "device",
  "pin_memory",
  "memory_format",
  "generator",
  "alpha",
  "beta",
  "out",
  "non_blocking",
]);

/**
 * Returns a reader of the `inputs` of a node. `keyword` is the number that means "passed by
 * keyword" in this file, if any.
 */
export function inputReader(argument: Read<Argument>, oldKinds: boolean): Read<NamedArgument[]> {
  return readList((input, place) => {
    const object = readObject(input, place);
    const kind = place.optional(object, "kind", readSafeInteger, null);
    const name = place.field(object, "name", readString);
    const value = place.field(object, "arg", argument);
    return {
      name,
      value,
      kind: oldKinds && kind !== null ? kind + 1 : kind,
      emptyList: Array.isArray(value) && value.length === 0 ? emptyListIn(object.get("arg")) : undefined,
    };
  });
}

const EMPTY_LISTS: ReadonlySet<string> = new Set(
  "tensors ints floats bools strings int_lists float_lists".split(" "),
);

/**
 * Returns what the empty list of an `Argument` would hold; undefined for kinds that `CallForm`
 * lacks.
 */
function emptyListIn(argument: JsonValue | undefined): EmptyListKind | undefined {
  if (!(argument instanceof JsonObject)) return undefined;
  const kind = argument.keys[0]!.slice("as_".length);
  return EMPTY_LISTS.has(kind) ? (kind as EmptyListKind) : undefined;
}

/** Returns what only the file says of the arguments of an operator without a schema. */
export function argumentForm(inputs: readonly NamedArgument[]): CallForm {
  const argNames = inputs.map(({ name }) => name);
  const empty = inputs.flatMap(({ name, emptyList }) =>
    // Without a kind, an empty list is one of tensors.
    emptyList === undefined || emptyList === "tensors" || name === "__proto__" ? [] : [[name, emptyList]],
  );
  return empty.length === 0
    ? { argNames }
    : { argNames, emptyLists: Object.fromEntries(empty) as Record<string, EmptyListKind> };
}

/** True when this program uses the older numbers: some kind is 0 (then positional), none is 2. */
export function usesOldKinds(graph: JsonObject): boolean {
  let zero = false;
  const nodes = graph.get("nodes");
  for (const node of Array.isArray(nodes) ? nodes : []) {
    const inputs = node instanceof JsonObject ? node.get("inputs") : undefined;
    for (const input of Array.isArray(inputs) ? inputs : []) {
      const kind = input instanceof JsonObject ? input.get("kind") : undefined;
      if (kind === ARGUMENT_KINDS.keyword) return false;
      zero ||= kind === 0;
    }
  }
  return zero;
}

function kwargsOf(entries: readonly (readonly [string, Argument])[], place: Place): CallArguments["kwargs"] {
  if (entries.length === 0) return NO_KWARGS;
  const kwargs: Record<string, Argument> = {};
  for (const [name, value] of entries) {
    if (name === "__proto__" || Object.hasOwn(kwargs, name)) {
      throw place.fail("PT2_ARGUMENT", `the argument ${JSON.stringify(name)} comes twice or cannot be named`);
    }
    kwargs[name] = value;
  }
  return kwargs;
}

/** Arguments of a higher-order operator or a function, which have no schema. */
export function looseArguments(inputs: readonly NamedArgument[], place: Place): CallArguments {
  const args: Argument[] = [];
  const named: [string, Argument][] = [];
  for (const { name, value, kind } of inputs) {
    if (name === "" || kind === ARGUMENT_KINDS.positional) args.push(value);
    else named.push([name, value]);
  }
  return { args, kwargs: kwargsOf(named, place) };
}

/** Returns all inputs by position, as symbolic functions take them. */
export const positionalArguments = (inputs: readonly NamedArgument[]): CallArguments => ({
  args: inputs.map(({ value }) => value),
  kwargs: NO_KWARGS,
});

/**
 * Arguments of an operator overload. With a schema they are ordered and checked by it; without one
 * the file's kinds decide.
 * @throws SconceError `PT2_ARGUMENT` for unknown, repeated or missing arguments
 */
export function overloadArguments(
  inputs: readonly NamedArgument[],
  schema: OpSchema | undefined,
  place: Place,
): CallArguments {
  const args: Argument[] = [];
  const named: [string, Argument][] = [];
  if (schema === undefined) {
    for (const { name, value, kind } of inputs) {
      const keyword =
        kind === ARGUMENT_KINDS.keyword || (kind !== ARGUMENT_KINDS.positional && KEYWORD_ONLY.has(name));
      if (keyword && !PYTHON_KEYWORDS.has(name)) named.push([name, value]);
      else args.push(value);
    }
    return { args, kwargs: kwargsOf(named, place) };
  }
  const given = new Map(inputs.map((input) => [input.name, input]));
  if (given.size !== inputs.length) throw place.fail("PT2_ARGUMENT", "an argument comes twice");
  for (const { name, kwargOnly, hasDefault } of schema.args) {
    const input = given.get(name);
    if (input === undefined) {
      if (!hasDefault) throw place.fail("PT2_ARGUMENT", `${schema.target} needs the argument "${name}"`);
      continue;
    }
    given.delete(name);
    const known = input.kind === ARGUMENT_KINDS.positional || input.kind === ARGUMENT_KINDS.keyword;
    // A keyword-only argument has no position, whatever the file says.
    const positional = !kwargOnly && (known ? input.kind === ARGUMENT_KINDS.positional : !hasDefault);
    if (positional || (PYTHON_KEYWORDS.has(name) && !kwargOnly)) args.push(input.value);
    else named.push([name, input.value]);
  }
  for (const name of given.keys()) {
    throw place.fail(
      "PT2_ARGUMENT",
      `${schema.target} has no argument ${JSON.stringify(name.slice(0, 100))}`,
    );
  }
  return { args, kwargs: kwargsOf(named, place) };
}
