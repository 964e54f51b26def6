/**
 * @file The changes that recipes are made of: of JSON, of text, of bytes, of pickles, of zip
 * records.
 */
import { partsOf, type ZipParts, zipOf } from "../support/zip-parts.js";
import { golden } from "./golden-inputs.js";
import { FORMATS, type Recipe, type RecipeFormat } from "./recipe.js";

/** Represents "the field is removed". */
export const REMOVED = Symbol("removed");

/** A change of JSON: the path with slashes, the new value. */
export type JsonRow = readonly [path: string, value: unknown, code: string, where: string];
/** A change of text: the first place where `from` stands becomes `to`. */
export type TextRow = readonly [from: string, to: string, code: string, where: string];
/** A change of the records of an archive. */
export type ZipRow = readonly [name: string, change: (parts: ZipParts) => void, code: string, where: string];

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** Returns a new value, for the name of a recipe. */
export const shownValue = (value: unknown): string =>
  value === REMOVED ? "removed" : (JSON.stringify(value) ?? "undefined").slice(0, 40);

/** JSON text with one place changed. Integers keep all their digits. */
export function changedJson(text: string, path: string, value: unknown): string {
  const document = JSON.parse(text) as unknown;
  const keys = path.split("/");
  const last = keys.pop()!;
  const owner = keys.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], document);
  if (typeof owner !== "object" || owner === null) throw new Error(`${path} is not in the document`);
  if (value === REMOVED) {
    if (Array.isArray(owner)) owner.splice(Number(last), 1);
    else Reflect.deleteProperty(owner, last);
  } else Object.defineProperty(owner, last, { value, enumerable: true, configurable: true, writable: true });
  return JSON.stringify(document);
}

/** Text with the first `from` replaced; `^` represents the start, and `$` for the end. */
function changedText(text: string, from: string, to: string): string {
  if (from === "^") return to + text;
  if (from === "$") return text + to;
  const at = text.indexOf(from);
  if (at < 0) throw new Error(`${from} is not in the text`);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

/** Recipes that change a JSON file. */
export const jsonRecipes = (format: RecipeFormat, rows: readonly JsonRow[]): readonly Recipe[] =>
  rows.map(([path, value, code, where]) => ({
    format,
    name: `${path} is ${shownValue(value)}`,
    make: () => utf8(changedJson(decode(golden(FORMATS[format])), path, value)),
    code,
    where,
  }));

/** Recipes that change a text file. */
export const textRecipes = (format: RecipeFormat, rows: readonly TextRow[]): readonly Recipe[] =>
  rows.map(([from, to, code, where]) => ({
    format,
    name: `${JSON.stringify(from)} becomes ${JSON.stringify(to.slice(0, 40))}${to.length > 40 ? "..." : ""}`,
    make: () => utf8(changedText(decode(golden(FORMATS[format])), from, to)),
    code,
    where,
  }));

/** Returns an archive with the content of one entry changed. */
export function changedEntry(end: string, change: (data: Uint8Array) => Uint8Array): Uint8Array {
  const parts = partsOf(golden(FORMATS.archive));
  const entry = parts.entries.find(({ name }) => decode(name).endsWith(end));
  if (entry === undefined) throw new Error(`no entry ends with ${end}`);
  entry.data = change(entry.data);
  return zipOf(parts);
}

/** Recipes that change JSON in an entry of an archive. */
export const entryRecipes = (end: string, rows: readonly JsonRow[]): readonly Recipe[] =>
  rows.map(([path, value, code, where]) => ({
    format: "archive",
    name: `${end}: ${path} is ${shownValue(value)}`,
    make: () => changedEntry(end, (data) => utf8(changedJson(decode(data), path, value))),
    code,
    where,
  }));

/** Recipes that change the records of an archive. */
export const zipRecipes = (rows: readonly ZipRow[]): readonly Recipe[] =>
  rows.map(([name, change, code, where]) => ({
    format: "archive",
    name,
    make: () => {
      const parts = partsOf(golden(FORMATS.archive));
      change(parts);
      return zipOf(parts);
    },
    code,
    where,
  }));
