/** @file Attributes that name their kind, as JSON objects of one key. */

import {
  complex,
  device,
  dtypeLiteral,
  type LayoutName,
  layout,
  type MemoryFormat,
  memoryFormat,
  operator,
  ref,
} from "@sconce/ir";
import { isDType } from "@sconce/tensor";
import { jsonIRUnsupported } from "../errors.js";
import {
  type Place,
  type Read,
  readDict,
  readFloat,
  readList,
  readSafeInteger,
  readString,
} from "../json/place.js";
import { floatText } from "../json/python-json.js";
import { JsonFloat, JsonObject, type JsonValue } from "../json/value.js";
import { LAYOUTS, MEMORY_FORMATS } from "../pt2/schema.js";
import type { JsonIRAttribute, JsonIRTagged } from "./types.js";

/**
 * Returns a name, or another string, as JSON.
 * @throws SconceError `JSON_IR_UNSUPPORTED` for half of a surrogate pair, which readers refuse
 */
export function text(value: string): string {
  const written = JSON.stringify(value);
  if (!/\p{Surrogate}/u.test(value)) return written;
  throw jsonIRUnsupported(
    "the string has half of a surrogate pair, which UTF-8 does not have",
    `string ${written.slice(0, 100)}`,
    "rename it",
  );
}

/** Returns the text of an attribute that names its kind; `inner` gives the texts of items. */
export function taggedText(value: JsonIRTagged, inner: (value: JsonIRAttribute) => string): string {
  switch (value.kind) {
    case "float":
      return Number.isFinite(value.value) ? floatText(value.value) : `{"float": ${floatText(value.value)}}`;
    case "node":
      return `{"node": ${text(value.name)}}`;
    case "input":
      return `{"input": ${value.index}}`;
    case "tuple":
      return `{"tuple": [${value.items.map(inner).join(", ")}]}`;
    case "dict":
      return `{"dict": {${value.entries.map(([key, item]) => `${text(key)}: ${inner(item)}`).join(", ")}}}`;
    case "complex":
      return `{"complex": [${floatText(value.re)}, ${floatText(value.im)}]}`;
    case "dtype":
      return `{"dtype": "torch.${value.dtype}"}`;
    case "device":
      return `{"device": ${text(deviceText(value))}}`;
    case "layout":
      return `{"layout": "torch.${value.layout}"}`;
    case "memory_format":
      return `{"memory_format": "torch.${value.format}"}`;
    case "operator":
      return `{"operator": ${text(value.target)}}`;
  }
}

/** `cpu`, `cuda:1`. */
export const deviceText = ({
  type,
  index,
}: {
  readonly type: string;
  readonly index: number | null;
}): string => (index === null ? type : `${type}:${index}`);

/** Returns a device by its text; undefined for another text. */
export function deviceOf(value: string): ReturnType<typeof device> | undefined {
  const [, type, index] = /^([a-z_]+)(?::(\d{1,4}))?$/.exec(value) ?? [];
  return type === undefined ? undefined : device(type, index === undefined ? null : Number(index));
}

/** Returns a name of PyTorch's, with or without `torch.`. */
export const bareName = (name: string): string =>
  name.startsWith("torch.") ? name.slice("torch.".length) : name;

/** Reads one of PyTorch's names. */
const named =
  <T>(what: string, find: (name: string) => T | undefined): Read<T> =>
  (value, place) => {
    const name = readString(value, place);
    const found = find(bareName(name));
    if (found === undefined) throw place.fail("PT2_TYPE", `${text(name.slice(0, 100))} is not a ${what}`);
    return found;
  };

const readComplex: Read<JsonIRAttribute> = (value, place) => {
  const parts = readList((part, at) => readFloat(part instanceof JsonFloat ? part.value : part, at))(
    value,
    place,
  );
  if (parts.length !== 2) throw place.fail("PT2_TYPE", "expected the real and the imaginary part");
  return complex(parts[0]!, parts[1]!);
};

/** An integer of 0 and more. */
export const readIndex: Read<number> = (value, place) => {
  const index = readSafeInteger(value, place);
  if (index < 0) throw place.fail("PT2_TYPE", `expected an integer of 0 and more, found ${index}`);
  return index;
};

const members = (inner: Read<JsonIRAttribute>): Readonly<Record<string, Read<JsonIRAttribute>>> => ({
  node: (value, place) => ref(readString(value, place)),
  input: (value, place) => ({ kind: "input", index: readIndex(value, place) }),
  tuple: (value, place) => ({ kind: "tuple", items: readList(inner)(value, place) }),
  dict: (value, place) => ({ kind: "dict", entries: [...readDict(inner)(value, place)] }),
  float: (value, place) => {
    const number = readFloat(value instanceof JsonFloat ? value.value : value, place);
    return Number.isFinite(number) && !Number.isInteger(number) ? number : { kind: "float", value: number };
  },
  complex: readComplex,
  dtype: named("dtype", (name) => (isDType(name) ? dtypeLiteral(name) : undefined)),
  device: named("device", deviceOf),
  layout: named("layout", (name) => (Object.hasOwn(LAYOUTS, name) ? layout(name as LayoutName) : undefined)),
  memory_format: named("memory format", (name) =>
    Object.hasOwn(MEMORY_FORMATS, name) ? memoryFormat(name as MemoryFormat) : undefined,
  ),
  operator: named("operator", (name) => (name === "" ? undefined : operator(name))),
});

/** Reads an object of one key as the value whose kind the key names. */
export function taggedReader(inner: Read<JsonIRAttribute>): Read<JsonIRAttribute> {
  const kinds = members(inner);
  return (value: JsonValue, place: Place) => {
    const [kind] = value instanceof JsonObject && value.size === 1 ? value.keys : [];
    if (kind === undefined || !Object.hasOwn(kinds, kind))
      throw place.fail(
        "PT2_TYPE",
        `expected a value, a list or an object of one of the keys ${Object.keys(kinds).join(", ")}; found another object`,
      );
    return place.at(kind, (value as JsonObject).values[0]!, kinds[kind]!);
  };
}
