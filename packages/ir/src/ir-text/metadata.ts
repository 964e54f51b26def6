/**
 * @file Metadata of nodes as a table of JSON lines, each entry once: neighbors often share theirs.
 */

import { parsePlainJson } from "@sconce/errors";
import { NO_META } from "../graph/node.js";
import { remember } from "../support/remember.js";
import type { CallForm, NodeMeta } from "../values/meta.js";
import type { Cursor } from "./cursor.js";

/**
 * Numbers the metadata of nodes; equal metadata has one number. Values are left out: the text has
 * their types.
 */
export class MetadataTable {
  readonly lines: string[] = [];
  readonly #numbers = new Map<string, number>();
  // Equal metadata is often the same object; its text is then made once.
  readonly #known = new Map<NodeMeta, string>();

  /** ` #3`, or nothing when there is no metadata but the value. */
  reference(meta: NodeMeta): string {
    const { val: _, ...rest } = meta;
    if (Object.keys(rest).length === 0) return "";
    const text = remember(this.#known, meta, () => JSON.stringify(rest));
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.lines.length;
      this.#numbers.set(text, number);
      this.lines.push(`#${number} ${text}`);
    }
    return ` #${number}`;
  }
}

/** Reads the entries after `metadata {`. */
export function parseMetadata(cursor: Cursor): Map<number, NodeMeta> {
  const table = new Map<number, NodeMeta>();
  cursor.expect("{");
  while (!cursor.accept("}")) {
    cursor.expect("#");
    const number = cursor.integer("the number of an entry");
    cursor.skip();
    const start = cursor.at;
    const json = parsePlainJson(cursor.line(), {
      budget: cursor.budget,
      fail: (message, at) => cursor.fail(`the metadata cannot be read: ${message}`, start + at),
    });
    const bad = wrongEntry(json);
    if (bad !== undefined) throw cursor.fail(bad, start);
    table.set(number, Object.freeze(json as NodeMeta));
  }
  return table;
}

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === "string";
const isRecord: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTextTuple =
  (length: number): Check =>
  (value) =>
    Array.isArray(value) && value.length === length && value.every(isText);
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isTextRecord: Check = (value) => isRecord(value) && Object.values(value as object).every(isText);

const isOrigin: Check = (value) => {
  if (!isRecord(value)) return false;
  const { pass, rule, from } = value as Record<string, unknown>;
  return isText(pass) && (rule === undefined || isText(rule)) && isListOf(isText)(from);
};

const isDims: Check = isListOf((value) => Number.isInteger(value));

const CHECKS: Readonly<Record<Exclude<keyof NodeMeta, "val">, Check>> = {
  stackTrace: isText,
  nnModuleStack: isListOf(isTextTuple(3)),
  sourceFnStack: isListOf(isTextTuple(2)),
  torchFn: isTextTuple(2),
  custom: isRecord,
  unbackedBindings: isTextRecord,
  origin: isOrigin,
  dimOrder: (value) => isDims(value) || isListOf((one) => one === null || isDims(one))(value),
  callForm: (value) => isRecord(value) && wrongField(value as object, CALL_FORM) === undefined,
  extra: isTextRecord,
};

const CALL_FORM: Readonly<Record<keyof CallForm, Check>> = {
  name: isText,
  argNames: isListOf(isText),
  emptyLists: isTextRecord,
  returnsList: (value) => typeof value === "boolean",
};

/** Returns the first field that is unknown or has the wrong form. */
const wrongField = (json: object, checks: Readonly<Record<string, Check>>): string | undefined =>
  Object.entries(json).find(([key, value]) => !Object.hasOwn(checks, key) || !checks[key]!(value))?.[0];

function wrongEntry(json: unknown): string | undefined {
  if (!isRecord(json)) return "the metadata is not an object";
  const key = wrongField(json as object, CHECKS);
  if (key === undefined) return undefined;
  return Object.hasOwn(CHECKS, key)
    ? `the metadata ${JSON.stringify(key)} has the wrong form`
    : `unknown metadata ${JSON.stringify(key)}`;
}

/** Metadata of a node from its table entry and its type. */
export function joinMeta(entry: NodeMeta | undefined, val: NodeMeta["val"]): NodeMeta {
  if (entry === undefined && val === undefined) return NO_META;
  return Object.freeze(val === undefined ? { ...entry } : { ...entry, val });
}
