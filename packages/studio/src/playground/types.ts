/**
 * @file Types as texts: members of a type, results and parameters of functions, elements of lists.
 * Enough for an editor to complete names; what it does not understand has no members.
 */
import type { ApiData, ApiMember } from "./api.js";

/** How deep aliases and wrapped types are followed. */
const DEEPEST = 12;

const OPENING = "([{<";
const CLOSING = ")]}>";

/** Divides a text at a separator that is in no bracket and no string. */
function splitTop(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (`"'\``.includes(character)) quote = character;
    else if (depth === 0 && text.startsWith(separator, i)) {
      parts.push(text.slice(start, i));
      i += separator.length - 1;
      start = i + 1;
    } else if (character === "=" && text[i + 1] === ">") i++;
    else if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character)) depth--;
  }
  return [...parts, text.slice(start)].map((part) => part.trim());
}

/**
 * Returns a type without `readonly`, parentheses around it, and `undefined` or `null` beside it.
 */
function bare(type: string): string {
  let text = type.trim().replace(/^readonly /, "");
  const parts = splitTop(text, "|").filter((part) => !["", "undefined", "null"].includes(part));
  if (parts.length === 1) text = parts[0]!;
  if (text.startsWith("(") && splitTop(text, "=>").length === 1 && text.endsWith(")"))
    return bare(text.slice(1, -1));
  return text;
}

/** `Name<A, B>` as its parts. */
function named(type: string): { readonly name: string; readonly args: readonly string[] } | undefined {
  const [, name, args] = /^((?:typeof )?[\w.]+)(?:<(.*)>)?$/s.exec(type) ?? [];
  return name === undefined ? undefined : { name, args: args === undefined ? [] : splitTop(args, ",") };
}

const WRAPPED = /^(Omit|Pick|Readonly|Partial|Required|Promise|NonNullable)$/;
const LISTS = /^(Array|ReadonlyArray|Iterable|IterableIterator|Iterator|Generator|Set|ReadonlySet)$/;
const MAPS = /^(Map|ReadonlyMap|WeakMap)$/;

/** Members of JavaScript's own lists and maps, with their types; `E` is an element. */
const LIST_MEMBERS =
  "at: (index: number) => E, concat: (other: E[]) => E[], entries: () => Iterable<[number, E]>, every: (test: (item: E) => boolean) => boolean, filter: (test: (item: E) => boolean) => E[], find: (test: (item: E) => boolean) => E, findIndex: (test: (item: E) => boolean) => number, flatMap: (make: (item: E) => unknown) => unknown[], forEach: (call: (item: E) => void) => void, includes: (item: E) => boolean, indexOf: (item: E) => number, join: (between: string) => string, length: number, map: (make: (item: E) => unknown) => unknown[], reduce: (add: (sum: unknown, item: E) => unknown) => unknown, slice: (start: number) => E[], some: (test: (item: E) => boolean) => boolean";
const MAP_MEMBERS =
  "entries: () => Iterable<[K, E]>, forEach: (call: (value: E, key: K) => void) => void, get: (key: K) => E, has: (key: K) => boolean, keys: () => Iterable<K>, size: number, values: () => Iterable<E>";

function builtinMembers(text: string, names: Readonly<Record<string, string>>): Record<string, ApiMember> {
  const members: Record<string, ApiMember> = {};
  for (const part of splitTop(text, ",")) {
    const [name = "", ...rest] = part.split(": ");
    const type = rest.join(": ").replace(/\b[EK]\b/g, (letter) => names[letter] ?? "unknown");
    members[name] = { text: `${name}: ${type}`, type };
  }
  return members;
}

/**
 * Returns the element type of a list, or the pair of a map; undefined for what cannot be gone
 * through.
 */
export function elementType(api: ApiData, type: string, depth = 0): string | undefined {
  const text = bare(type);
  if (text.endsWith("[]")) return text.slice(0, -2);
  if (depth > DEEPEST) return undefined;
  if (text.startsWith("[")) return splitTop(text.slice(1, -1), ",")[0];
  const known = named(text);
  if (known === undefined) return undefined;
  if (LISTS.test(known.name)) return known.args[0];
  if (MAPS.test(known.name)) return `[${known.args.join(", ")}]`;
  const alias = api.aliases[known.name];
  return alias === undefined ? undefined : elementType(api, alias, depth + 1);
}

/** Returns the members of a type, those of what it extends included. */
export function membersOf(api: ApiData, type: string, depth = 0): Record<string, ApiMember> {
  if (depth > DEEPEST) return {};
  const text = bare(type);
  for (const separator of ["&", "|"]) {
    const parts = splitTop(text, separator).filter((part) => part !== "");
    if (parts.length > 1) return Object.assign({}, ...parts.map((part) => membersOf(api, part, depth + 1)));
  }
  if (text.startsWith("{")) return literalMembers(text);
  const known = named(text);
  const element = elementType(api, text);
  if (known !== undefined && MAPS.test(known.name))
    return builtinMembers(MAP_MEMBERS, { K: known.args[0] ?? "unknown", E: known.args[1] ?? "unknown" });
  if (text.endsWith("[]") || (known !== undefined && LISTS.test(known.name)))
    return builtinMembers(LIST_MEMBERS, { E: element ?? "unknown" });
  if (known === undefined) return {};
  if (WRAPPED.test(known.name)) return membersOf(api, known.args[0] ?? "", depth + 1);
  const alias = api.aliases[known.name];
  if (alias !== undefined) return membersOf(api, alias, depth + 1);
  const own = api.types[known.name];
  if (own === undefined) return {};
  const inherited = (own.extends ?? []).map((one) => membersOf(api, one, depth + 1));
  return Object.assign({}, ...inherited, own.members) as Record<string, ApiMember>;
}

function literalMembers(text: string): Record<string, ApiMember> {
  const members: Record<string, ApiMember> = {};
  for (const part of splitTop(text.slice(1, -1), ";")) {
    const [, name, rest = ""] = /^(?:readonly )?(\w+)\??(.*)$/s.exec(part) ?? [];
    if (name === undefined) continue;
    const call = splitTop(rest, ":");
    const isMethod = rest.startsWith("(") || rest.startsWith("<");
    const type = isMethod ? `${call[0]} => ${call.slice(1).join(": ")}` : rest.replace(/^\s*:\s*/, "");
    members[name] = { text: part, type };
  }
  return members;
}

/** Returns a function type as the list of its parameters and its result. */
function functionParts(
  api: ApiData,
  type: string,
  depth = 0,
): { readonly params: string; readonly result: string } | undefined {
  if (depth > DEEPEST) return undefined;
  for (const alternative of splitTop(type, "|")) {
    const text = bare(alternative);
    const [before = "", ...after] = splitTop(text, "=>");
    const params = before.replace(/^<.*?>(?=\()/s, "");
    if (after.length > 0 && params.startsWith("("))
      return { params: params.slice(1, -1), result: after.join(" => ") };
    const alias = api.aliases[named(text)?.name ?? ""];
    const found = alias === undefined ? undefined : functionParts(api, alias, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns what a call of a value gives. */
export const resultType = (api: ApiData, type: string): string | undefined =>
  functionParts(api, type)?.result;

/** Returns what a value makes with `new`. */
export const madeType = (type: string): string | undefined => /^typeof (\w+)$/.exec(type)?.[1];

/** Returns the type of a parameter of a function or of a constructor. */
export function parameterType(api: ApiData, type: string, at: number): string | undefined {
  const own = functionParts(api, api.types[type]?.makes ?? type);
  if (own === undefined) return undefined;
  const params = splitTop(own.params, ",");
  const rest = params.at(-1)?.startsWith("...") === true && at >= params.length - 1;
  const param = rest ? params.at(-1) : params[at];
  const [, annotation] = /^[^:]*?\??:\s*(.*)$/s.exec(param ?? "") ?? [];
  return rest && annotation !== undefined ? elementType(api, annotation) : annotation;
}

/** Returns the type of a part of a tuple. */
export function itemType(api: ApiData, type: string, at: number): string | undefined {
  const text = bare(type);
  if (text.startsWith("[") && text.endsWith("]")) return splitTop(text.slice(1, -1), ",")[at];
  return elementType(api, text);
}
