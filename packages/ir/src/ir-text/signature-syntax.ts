/** @file Parses the lines of a program block that declare its calling convention. */
import type { ModuleCallEntry } from "../program/program-parts.js";
import {
  type ArgumentSpec,
  INPUT_KINDS,
  type InputSpec,
  OUTPUT_KINDS,
  type OutputSpec,
} from "../program/signature.js";
import type { Cursor } from "./cursor.js";
import { parseTree } from "./tree.js";
import { parseValue } from "./values.js";

function parseSpec(cursor: Cursor): ArgumentSpec {
  if (cursor.sees("%")) return { kind: "tensor", name: cursor.name() };
  const start = cursor.at;
  const kind = cursor.word("a kind of argument");
  const name = cursor.name();
  switch (kind) {
    case "symint":
    case "symfloat":
    case "symbool":
    case "token":
      return { kind, name };
    case "custom_obj":
      cursor.expect("=");
      return { kind, name, classFqn: cursor.string() };
    case "constant":
      cursor.expect("=");
      return { kind, name, value: parseValue(cursor) };
    default:
      throw cursor.fail(`${JSON.stringify(kind)} is not a kind of argument`, start);
  }
}

function parseKind<K extends string>(cursor: Cursor, kinds: readonly K[]): K {
  cursor.expect(":");
  const start = cursor.at;
  const word = cursor.word("a kind");
  const kind = kinds.find((known) => known === word);
  if (kind === undefined)
    throw cursor.fail(`${JSON.stringify(word)} is not one of ${kinds.join(", ")}`, start);
  return kind;
}

const parseTarget = (cursor: Cursor): string | null => (cursor.sees('"') ? cursor.string() : null);

/** Returns what follows the word `input`. */
export function parseInput(cursor: Cursor): InputSpec {
  const arg = parseSpec(cursor);
  const kind = parseKind(cursor, INPUT_KINDS);
  const target = parseTarget(cursor);
  const persistent = cursor.acceptWord("persistent") ? true : cursor.acceptWord("transient") ? false : null;
  return { kind, arg, target, persistent };
}

/** Returns what follows the word `output`. */
export function parseOutput(cursor: Cursor): OutputSpec {
  const arg = parseSpec(cursor);
  return { kind: parseKind(cursor, OUTPUT_KINDS), arg, target: parseTarget(cursor) };
}

/** Returns what follows the word `call`. */
export function parseCall(cursor: Cursor): ModuleCallEntry {
  const fqn = cursor.string();
  if (!cursor.sees("*") && !cursor.sees("(") && !cursor.sees("[") && !cursor.sees("{") && !cursor.sees('"'))
    return { fqn, signature: null };
  const inSpec = parseTree(cursor);
  cursor.expect("->");
  const outSpec = parseTree(cursor);
  const list = <T>(word: string, item: () => T): T[] | undefined => {
    if (!cursor.acceptWord(word)) return undefined;
    cursor.expect("[");
    return cursor.list("]", item);
  };
  const forwardArgNames = list("names", () => cursor.string()) ?? null;
  const inputs = list("inputs", () => parseSpec(cursor)) ?? [];
  const outputs = list("outputs", () => parseSpec(cursor)) ?? [];
  return { fqn, signature: { inputs, outputs, inSpec, outSpec, forwardArgNames } };
}
