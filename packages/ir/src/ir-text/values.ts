/** @file Argument values in IR text, both ways. */

import { isDType } from "@sconce/tensor";
import {
  type Argument,
  complex,
  type DeviceLiteral,
  device,
  dict,
  dtypeLiteral,
  float,
  int,
  isList,
  LAYOUTS,
  type LayoutName,
  layout,
  MEMORY_FORMATS,
  type MemoryFormat,
  memoryFormat,
  operator,
  ref,
  tuple,
} from "../values/argument.js";
import { deviceText } from "../values/device-text.js";
import { floatRepr } from "../values/python-repr.js";
import type { Cursor } from "./cursor.js";

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const PLAIN_PATH = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*$/;

/** `%name`, quoted when it is not an identifier. */
export const nameText = (name: string): string => `%${PLAIN_NAME.test(name) ? name : JSON.stringify(name)}`;
/** Returns a dotted path, quoted when a part is not an identifier. */
export const pathText = (path: string): string => (PLAIN_PATH.test(path) ? path : JSON.stringify(path));

/** Returns an argument value as IR text. */
export function valueText(value: Argument): string {
  if (value === null) return "none";
  switch (typeof value) {
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return value.toString();
    case "string":
      return JSON.stringify(value);
    case "number":
      return Number.isInteger(value) ? String(BigInt(value)) : floatRepr(value);
  }
  if (isList(value)) return `[${value.map(valueText).join(", ")}]`;
  switch (value.kind) {
    case "node":
      return nameText(value.name);
    case "tuple":
      return `(${value.items.map(valueText).join(", ")})`;
    case "dict":
      return `{${value.entries.map(([key, item]) => `${JSON.stringify(key)}: ${valueText(item)}`).join(", ")}}`;
    case "float":
      return floatRepr(value.value);
    case "complex":
      return `complex(${floatRepr(value.re)}, ${floatRepr(value.im)})`;
    case "dtype":
      return value.dtype;
    case "device":
      return `device(${deviceText(value)})`;
    case "layout":
      return `layout(${value.layout})`;
    case "memory_format":
      return `format(${value.format})`;
    case "operator":
      return `op(${pathText(value.target)})`;
  }
}

/** Reads an argument value. */
export function parseValue(cursor: Cursor): Argument {
  return cursor.nested(() => {
    if (cursor.sees("%")) return ref(cursor.name());
    if (cursor.sees('"')) return cursor.string();
    if (cursor.accept("(")) return tuple(cursor.list(")", () => parseValue(cursor)));
    if (cursor.accept("[")) return cursor.list("]", () => parseValue(cursor));
    if (cursor.accept("{")) return dict(cursor.list("}", () => parseEntry(cursor)));
    const number = cursor.number();
    if (number !== undefined) {
      if (!number.isFloat) return int(BigInt(number.text));
      return float(number.value);
    }
    return parseNamedValue(cursor);
  });
}

function parseEntry(cursor: Cursor): readonly [string, Argument] {
  const key = cursor.string();
  cursor.expect(":");
  return [key, parseValue(cursor)];
}

function parseNamedValue(cursor: Cursor): Argument {
  const start = cursor.at;
  const word = cursor.word("a value");
  switch (word) {
    // Python's words are read too: they are what printed programs show.
    case "none":
    case "None":
      return null;
    case "true":
    case "True":
      return true;
    case "false":
    case "False":
      return false;
    case "nan":
      return NaN;
    case "complex":
      return parseComplex(cursor);
    case "device":
      return parseDevice(cursor);
    case "layout":
      return layout(inParentheses(cursor, () => parseLayout(cursor)));
    case "format":
      return memoryFormat(inParentheses(cursor, () => parseFormat(cursor)));
    case "op":
      return operator(inParentheses(cursor, () => cursor.path("an operator")));
    default:
      if (isDType(word)) return dtypeLiteral(word);
      throw cursor.fail(`${JSON.stringify(word)} is not a value`, start);
  }
}

const oneOf = <T extends string>(cursor: Cursor, names: readonly T[], what: string): T => {
  const start = cursor.at;
  const word = cursor.word(what);
  const found = names.find((name) => name === word);
  if (found === undefined)
    throw cursor.fail(`${JSON.stringify(word)} is not ${what}: ${names.join(", ")}`, start);
  return found;
};
/** Reads the name of a layout. */
export const parseLayout = (cursor: Cursor): LayoutName => oneOf(cursor, LAYOUTS, "a layout");
const parseFormat = (cursor: Cursor): MemoryFormat => oneOf(cursor, MEMORY_FORMATS, "a memory format");

/** Reads `( ... )`. */
export function inParentheses<T>(cursor: Cursor, read: () => T): T {
  cursor.expect("(");
  const value = read();
  cursor.expect(")");
  return value;
}

function parseComplex(cursor: Cursor): Argument {
  const part = (): number => {
    if (cursor.acceptWord("nan")) return NaN;
    const number = cursor.number();
    if (number === undefined) throw cursor.fail(`expected a number, found ${cursor.found()}`);
    return number.value;
  };
  return inParentheses(cursor, () => {
    const re = part();
    cursor.expect(",");
    return complex(re, part());
  });
}

/** Reads `(cpu)`, `(cuda:0)`. */
export function parseDevice(cursor: Cursor): DeviceLiteral {
  return inParentheses(cursor, () => {
    const type = cursor.word("a device");
    return device(type, cursor.accept(":") ? cursor.integer("a device number") : null);
  });
}
