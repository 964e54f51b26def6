/**
 * @file Reading a parsed JSON document field by field, with the path to the field in every error.
 */
import { eachInPieces, type SconceError, type Work } from "@sconce/errors";
import { type Pt2Fault, pt2Error } from "../errors.js";
import { type JsonArray, JsonObject, type JsonValue } from "./value.js";

/** Reads a JSON value into something checked. */
export type Read<T> = (value: JsonValue, place: Place) => T;

/** As {@link Read}, in pieces. */
export type ReadSteps<T> = (value: JsonValue, place: Place) => Work<T>;

/**
 * Where in which document the reader is. Moves with it, so a path costs nothing until an error
 * needs it.
 */
export class Place {
  readonly file: string;
  readonly #path: (string | number)[] = [];

  constructor(file: string) {
    this.file = file;
  }

  /** `models/model.json graph_module.graph.nodes[3].inputs[0].arg` */
  toString(): string {
    let path = "";
    for (const part of this.#path) {
      path += typeof part === "number" ? `[${part}]` : path === "" ? part : `.${part}`;
    }
    return path === "" ? this.file : `${this.file} ${path}`;
  }

  fail(code: Pt2Fault, message: string, fix?: string): SconceError {
    return pt2Error(code, message, this.toString(), fix);
  }

  /** Reads a value that lies one step deeper. */
  at<T>(step: string | number, value: JsonValue, read: Read<T>): T {
    this.#path.push(step);
    const result = read(value, this);
    this.#path.pop();
    return result;
  }

  /** Returns a field that must be there. @throws SconceError `PT2_FIELD` */
  field<T>(object: JsonObject, key: string, read: Read<T>): T {
    return this.at(key, this.#required(object, key), read);
  }

  /** As {@link field}, in pieces. */
  *fieldSteps<T>(object: JsonObject, key: string, read: ReadSteps<T>): Work<T> {
    const value = this.#required(object, key);
    this.#path.push(key);
    const result = yield* read(value, this);
    this.#path.pop();
    return result;
  }

  #required(object: JsonObject, key: string): JsonValue {
    const value = object.get(key);
    if (value === undefined) throw this.fail("PT2_FIELD", `the field "${key}" is missing`);
    return value;
  }

  /** Returns a field that may be absent or null. */
  optional<T, D>(object: JsonObject, key: string, read: Read<T>, absent: D): T | D {
    const value = object.get(key);
    return value === undefined || value === null ? absent : this.at(key, value, read);
  }

  /**
   * Returns the single field of a union. @throws SconceError `PT2_UNION` for none, several or an
   * unknown one
   */
  union<T>(value: JsonValue, members: Readonly<Record<string, Read<T>>>): T {
    const object = readObject(value, this);
    if (object.size !== 1) {
      const tags = object.keys.slice(0, 3).join(", ");
      throw this.fail(
        "PT2_UNION",
        `expected one tag, found ${object.size}${tags === "" ? "" : ` (${tags.slice(0, 200)})`}`,
      );
    }
    const tag = object.keys[0]!;
    const read = Object.hasOwn(members, tag) ? members[tag] : undefined;
    if (read === undefined) throw this.fail("PT2_UNION", `unknown tag ${JSON.stringify(tag.slice(0, 100))}`);
    return this.at(tag, object.values[0]!, read);
  }
}

/** Returns what kind of JSON value this is, for messages. */
function kindName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value instanceof JsonObject) return "an object";
  return typeof value === "string" ? "a string" : typeof value === "boolean" ? "a boolean" : "a number";
}

const wrong = (place: Place, want: string, value: JsonValue): SconceError =>
  place.fail("PT2_TYPE", `expected ${want}, found ${kindName(value)}`);

/** Any object. @throws SconceError `PT2_TYPE`, as all readers here */
export const readObject: Read<JsonObject> = (value, place) => {
  if (value instanceof JsonObject) return value;
  throw wrong(place, "an object", value);
};

export const readArray: Read<JsonArray> = (value, place) => {
  if (Array.isArray(value)) return value as JsonArray;
  throw wrong(place, "an array", value);
};

export const readString: Read<string> = (value, place) => {
  if (typeof value === "string") return value;
  throw wrong(place, "a string", value);
};

export const readBoolean: Read<boolean> = (value, place) => {
  if (typeof value === "boolean") return value;
  throw wrong(place, "a boolean", value);
};

/** An integer of any size: a number up to 2^53, a bigint above. */
export const readInteger: Read<number | bigint> = (value, place) => {
  if (typeof value === "bigint") return value;
  // Adding zero makes -0 an ordinary zero, which is what it is as an integer.
  if (typeof value === "number" && Number.isInteger(value)) return value + 0;
  throw wrong(place, "an integer", value);
};

/** An integer of at most 2^53. */
export const readSafeInteger: Read<number> = (value, place) => {
  const integer = readInteger(value, place);
  if (typeof integer === "number" && Number.isSafeInteger(integer)) return integer;
  throw place.fail("PT2_TYPE", `the integer ${integer} is out of range`);
};

const FLOAT_TEXT = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const FLOAT_WORDS: ReadonlyMap<string, number> = new Map([
  ["infinity", Infinity],
  ["inf", Infinity],
  ["+infinity", Infinity],
  ["+inf", Infinity],
  ["-infinity", -Infinity],
  ["-inf", -Infinity],
  ["nan", NaN],
  ["-nan", NaN],
  ["+nan", NaN],
]);

/** A float: a number, or the text of one (`"Infinity"`, `"NaN"`). */
export const readFloat: Read<number> = (value, place) => {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string") {
    const word = FLOAT_WORDS.get(value.trim().toLowerCase());
    if (word !== undefined) return word;
    if (FLOAT_TEXT.test(value)) return Number(value);
  }
  throw wrong(place, "a float", value);
};

/** Returns a list whose items are read alike. */
export function readList<T>(read: Read<T>): Read<T[]> {
  return (value, place) => {
    const items = readArray(value, place);
    const out = new Array<T>(items.length);
    for (let i = 0; i < items.length; i++) out[i] = place.at(i, items[i]!, read);
    return out;
  };
}

/** Reads each item with its place, in pieces. */
export const readEach =
  (read: Read<void>): ReadSteps<void> =>
  (value, place) =>
    eachInPieces(readArray(value, place), (item, i) => place.at(i, item, read));

/** As {@link readDict}, in pieces. */
export const readDictSteps = <T>(read: Read<T>): ReadSteps<Map<string, T>> =>
  function* (value, place) {
    const out = new Map<string, T>();
    const { keys, values } = readObject(value, place);
    yield* eachInPieces(keys, (key, i) => void out.set(key, place.at(key, values[i]!, read)));
    return out;
  };

/** Returns an object whose values are read alike, as a map in file order. */
export function readDict<T>(read: Read<T>): Read<Map<string, T>> {
  return (value, place) => {
    const out = new Map<string, T>();
    const { keys, values } = readObject(value, place);
    for (let i = 0; i < keys.length; i++) out.set(keys[i]!, place.at(keys[i]!, values[i]!, read));
    return out;
  };
}
