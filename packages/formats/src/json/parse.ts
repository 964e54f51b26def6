/**
 * @file A strict JSON reader. `JSON.parse` loses integers past 2^53, lets the last of two equal
 * keys win, cannot bound the depth and refuses the bare `NaN` and `Infinity` that older PyTorch
 * wrote; this one does what is needed instead.
 */
import type { Budget, Work } from "@sconce/errors";
import { jsonError } from "../errors.js";
import { type JsonArray, type JsonFloat, JsonObject, type JsonValue } from "./value.js";

/** Deeper nesting is refused; PyTorch's own files stay below 100. */
const DEEPEST_JSON = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const LONE_SURROGATE = /\p{Surrogate}/u;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const NO_ITEMS: JsonArray = Object.freeze([]);
const NO_FIELDS = new JsonObject([], NO_ITEMS);
/** Python's own limit. */
const LONGEST_INTEGER = 4300;
const SHAPES = 512;
/** Containers up to this depth are read in pieces: the nodes of a program are in one of them. */
const OUTER_DEPTH = 4;
const ITEMS_A_PIECE = 256;

/**
 * Parses UTF-8 JSON.
 * @throws SconceError `JSON_ENCODING` (not UTF-8, byte order mark), `JSON_SYNTAX`, `JSON_DEPTH`,
 * `JSON_DUPLICATE_KEY`, `BUDGET_EXCEEDED`, with the byte or character position
 */
export function parseJson(
  source: Uint8Array | string,
  file: string,
  budget: Budget,
  float?: ReadFloat,
): JsonValue {
  const text = typeof source === "string" ? source : decode(source, file);
  return new JsonParser(text, file, budget, float).parse();
}

/** The value of a number that is written as a float, `1.0`; the number where it is undefined. */
type ReadFloat = (value: number) => JsonFloat | undefined;

/** Long lists of an archive hold nodes, inputs and weights. */
const BYTES_PER_ITEM = 64;

/**
 * As {@link parseJson}, in pieces: it may pause between items of the outermost containers.
 * @param keys gets the keys of all objects
 */
export function* parseJsonSteps(
  source: Uint8Array,
  file: string,
  budget: Budget,
  keys?: Set<string>,
): Work<JsonValue> {
  const text = decode(source, file);
  yield;
  return yield* new JsonParser(text, file, budget, undefined, keys).steps();
}

function decode(bytes: Uint8Array, file: string): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw jsonError("JSON_ENCODING", "the text is not UTF-8", file, cause);
  }
  if (text.charCodeAt(0) === 0xfeff)
    throw jsonError("JSON_ENCODING", "the text begins with a byte order mark", file);
  return text;
}

class JsonParser {
  readonly #text: string;
  readonly #file: string;
  readonly #budget: Budget;
  readonly #float: ReadFloat | undefined;
  readonly #seenKeys: Set<string> | undefined;
  #position = 0;
  #depth = 0;
  /** Items of the outermost containers that were read. */
  #items = 0;
  /**
   * First backslash and first control character at or after the position; searched again when
   * passed.
   */
  #backslash = -1;
  #control = -1;
  /**
   * Recent short strings by hash: keys repeat, and one string object a key makes map look-ups
   * cheap.
   */
  readonly #interned = new Array<string>(2048).fill("");
  readonly #shapes = new Array<readonly string[] | undefined>(SHAPES).fill(undefined);
  /** Values and keys of the containers that are still open, up to the two heights. */
  readonly #values: JsonValue[] = [];
  readonly #keys: string[] = [];
  #valueTop = 0;
  #keyTop = 0;

  constructor(text: string, file: string, budget: Budget, float?: ReadFloat, seenKeys?: Set<string>) {
    this.#text = text;
    this.#file = file;
    this.#budget = budget;
    this.#float = float;
    this.#seenKeys = seenKeys;
  }

  readonly #where = (): string => `${this.#file}, character ${this.#position}`;

  parse(): JsonValue {
    const value = this.#value();
    this.#end();
    return value;
  }

  *steps(): Work<JsonValue> {
    const value = yield* this.#outerValue();
    this.#end();
    return value;
  }

  #end(): void {
    this.#skipSpace();
    if (this.#position !== this.#text.length) throw this.#syntax("text after the end of the document");
  }

  /** Returns a value of one of the outermost containers, in pieces. */
  *#outerValue(): Work<JsonValue> {
    const code = this.#skipSpace();
    if (code !== 0x7b && code !== 0x5b) return this.#value();
    return yield* code === 0x7b ? this.#outerObject() : this.#outerArray();
  }

  *#outerArray(): Work<JsonArray> {
    const start = this.#position;
    this.#enter();
    if (this.#isEmpty(0x5d)) return NO_ITEMS;
    const base = this.#valueTop;
    do {
      yield* this.#outerItem(base, start);
    } while (this.#hasNext(0x5d));
    this.#leave();
    return this.#takeValues(base);
  }

  *#outerObject(): Work<JsonObject> {
    const start = this.#position;
    this.#enter();
    if (this.#isEmpty(0x7d)) return NO_FIELDS;
    const base = this.#valueTop;
    const keyBase = this.#keyTop;
    do {
      this.#key();
      yield* this.#outerItem(base, start);
    } while (this.#hasNext(0x7d));
    this.#leave();
    return new JsonObject(this.#takeKeys(keyBase, start), this.#takeValues(base));
  }

  *#outerItem(base: number, start: number): Work<void> {
    if (++this.#items % ITEMS_A_PIECE === 0) yield;
    // The nodes of a program are at this depth: each is read at once.
    this.#push(this.#depth >= OUTER_DEPTH ? this.#value() : yield* this.#outerValue(), base, start);
  }

  #syntax(message: string, position = this.#position) {
    return jsonError("JSON_SYNTAX", message, `${this.#file}, character ${position}`);
  }

  /** Moves to the next token and gives its first character's code; NaN at the end of the text. */
  #skipSpace(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#position++;
    }
  }

  #value(): JsonValue {
    const code = this.#skipSpace();
    switch (code) {
      case QUOTE:
        return this.#string();
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array();
      case 0x74:
        return this.#word("true", true);
      case 0x66:
        return this.#word("false", false);
      case 0x6e:
        return this.#word("null", null);
      case 0x4e:
        return this.#word("NaN", NaN);
      case 0x49:
        return this.#word("Infinity", Infinity);
      default:
        return this.#number(code);
    }
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#position)) throw this.#syntax("not a JSON value");
    this.#position += word.length;
    return value;
  }

  #enter(): void {
    this.#budget.spend("nodes", 1, this.#where);
    if (++this.#depth > DEEPEST_JSON) {
      throw jsonError(
        "JSON_DEPTH",
        `nested deeper than ${DEEPEST_JSON}`,
        `${this.#file}, character ${this.#position}`,
      );
    }
    this.#position++;
  }

  #leave(): void {
    this.#depth--;
    this.#position++;
  }

  #array(): JsonArray {
    const start = this.#position;
    this.#enter();
    if (this.#isEmpty(0x5d)) return NO_ITEMS;
    const base = this.#valueTop;
    do {
      this.#push(this.#value(), base, start);
    } while (this.#hasNext(0x5d));
    this.#leave();
    return this.#takeValues(base);
  }

  #object(): JsonObject {
    const start = this.#position;
    this.#enter();
    if (this.#isEmpty(0x7d)) return NO_FIELDS;
    const base = this.#valueTop;
    const keyBase = this.#keyTop;
    do {
      this.#key();
      this.#push(this.#value(), base, start);
    } while (this.#hasNext(0x7d));
    this.#leave();
    return new JsonObject(this.#takeKeys(keyBase, start), this.#takeValues(base));
  }

  /** Adds an item to the container that begins at `start`, and whose items begin at `base`. */
  #push(item: JsonValue, base: number, start: number): void {
    this.#values[this.#valueTop++] = item;
    this.#budget.holds(this.#valueTop - base, this.#where, this.#position - start, BYTES_PER_ITEM);
  }

  /** Returns whether the container that began ends at once; it is left then. */
  #isEmpty(end: number): boolean {
    if (this.#skipSpace() !== end) return false;
    this.#leave();
    return true;
  }

  /** Returns whether a comma follows, which is read, or the end of the container. */
  #hasNext(end: number): boolean {
    const code = this.#skipSpace();
    if (code === end) return false;
    if (code !== 0x2c)
      throw this.#syntax(end === 0x5d ? "expected , or ] in an array" : "expected , or } in an object");
    this.#position++;
    return true;
  }

  /** Reads a key and the colon after it. */
  #key(): void {
    if (this.#skipSpace() !== QUOTE) throw this.#syntax("expected a key in quotes");
    const key = this.#string();
    this.#keys[this.#keyTop++] = key;
    if (this.#skipSpace() !== 0x3a) throw this.#syntax("expected : after a key");
    this.#position++;
  }

  /** Values are gathered on one stack, so that each list is made once and in its final length. */
  #takeValues(base: number): JsonArray {
    this.#budget.spend("nodes", (this.#valueTop - base) / 8, this.#where);
    const items = this.#values.slice(base, this.#valueTop);
    this.#valueTop = base;
    return items;
  }

  /**
   * Returns the keys of an object that began at `start`, as a list shared with earlier objects that
   * have the same ones.
   */
  #takeKeys(base: number, start: number): readonly string[] {
    const keys = this.#keys;
    const count = this.#keyTop - base;
    const slot = (count * 31 + keys[base]!.length * 7 + keys[this.#keyTop - 1]!.length) % SHAPES;
    const known = this.#shapes[slot];
    let same = known !== undefined && known.length === count;
    for (let i = 0; same && i < count; i++) same = known![i] === keys[base + i];
    let taken = known;
    if (!same) {
      taken = keys.slice(base, this.#keyTop);
      this.#checkDuplicates(taken, start);
      this.#shapes[slot] = taken;
      if (this.#seenKeys !== undefined) for (const key of taken) this.#seenKeys.add(key);
    }
    this.#keyTop = base;
    return taken!;
  }

  #checkDuplicates(keys: readonly string[], start: number): void {
    if (new Set(keys).size === keys.length) return;
    const twice = keys.find((key, i) => keys.indexOf(key) !== i)!;
    throw jsonError(
      "JSON_DUPLICATE_KEY",
      `the key ${JSON.stringify(twice.slice(0, 100))} comes twice`,
      `${this.#file}, character ${start}`,
    );
  }

  #string(): string {
    const text = this.#text;
    const start = this.#position + 1;
    let hash = 0;
    // Most strings are short names: one pass finds the end and the hash together.
    for (let i = start; i < start + 32; i++) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        this.#position = i + 1;
        return this.#intern(start, i, hash);
      }
      if (code === BACKSLASH || !(code >= 0x20)) break;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    return this.#longString(start);
  }

  #intern(start: number, end: number, hash: number): string {
    const slot = (hash ^ (hash >>> 11)) & 2047;
    const known = this.#interned[slot]!;
    if (known.length === end - start && this.#text.startsWith(known, start)) return known;
    this.#budget.spend("nodes", 1, this.#where);
    const fresh = this.#text.slice(start, end);
    this.#interned[slot] = fresh;
    return fresh;
  }

  #longString(start: number): string {
    this.#budget.spend("nodes", 1, this.#where);
    const text = this.#text;
    let end = text.indexOf('"', start);
    if (end < 0) throw this.#syntax("a string without an end", start - 1);
    if (this.#nextControl(start) < end) throw this.#syntax("a control character in a string", this.#control);
    if (this.#nextBackslash(start) > end) {
      this.#position = end + 1;
      return text.slice(start, end);
    }
    while (endsWithOddBackslashes(text, end)) {
      end = text.indexOf('"', end + 1);
      if (end < 0) throw this.#syntax("a string without an end", start - 1);
    }
    this.#position = end + 1;
    return this.#unescape(start, end);
  }

  #unescape(start: number, end: number): string {
    let value: string;
    try {
      value = JSON.parse(this.#text.slice(start - 1, end + 1)) as string;
    } catch {
      throw this.#syntax("a bad escape in a string", start - 1);
    }
    if (LONE_SURROGATE.test(value)) throw this.#syntax("half of a surrogate pair in a string", start - 1);
    return value;
  }

  #nextBackslash(from: number): number {
    if (this.#backslash < from) {
      const found = this.#text.indexOf("\\", from);
      this.#backslash = found < 0 ? Infinity : found;
    }
    return this.#backslash;
  }

  #nextControl(from: number): number {
    if (this.#control < from) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
      const pattern = /[\0-\x1f]/g;
      pattern.lastIndex = from;
      this.#control = pattern.exec(this.#text)?.index ?? Infinity;
    }
    return this.#control;
  }

  #number(first: number): number | bigint | JsonFloat {
    const text = this.#text;
    if (first >= 0x30 && first <= 0x39) {
      // Short integers without a sign are nearly all numbers there are.
      let position = this.#position + 1;
      let value = first - 0x30;
      const limit = first === 0x30 ? position : position + 14;
      let code = text.charCodeAt(position);
      while (position < limit && code >= 0x30 && code <= 0x39) {
        value = value * 10 + (code - 0x30);
        code = text.charCodeAt(++position);
      }
      if (code !== 0x2e && code !== 0x65 && code !== 0x45 && !(code >= 0x30 && code <= 0x39)) {
        this.#position = position;
        return value;
      }
    }
    if (first === MINUS && text.charCodeAt(this.#position + 1) === 0x49) {
      this.#position++;
      return -this.#word("Infinity", Infinity);
    }
    return this.#anyNumber();
  }

  #anyNumber(): number | bigint | JsonFloat {
    NUMBER.lastIndex = this.#position;
    const match = NUMBER.exec(this.#text);
    if (match === null) {
      throw this.#syntax(this.#position < this.#text.length ? "not a JSON value" : "the text ends too early");
    }
    this.#position += match[0].length;
    const value = Number(match[0]);
    const isInteger = match[1] === undefined && match[2] === undefined;
    if (!isInteger) return this.#float?.(value) ?? value;
    if (Number.isSafeInteger(value)) return value;
    if (match[0].length > LONGEST_INTEGER) throw this.#syntax(`an integer of ${match[0].length} digits`);
    return BigInt(match[0]);
  }
}

function endsWithOddBackslashes(text: string, end: number): boolean {
  let count = 0;
  while (text.charCodeAt(end - 1 - count) === BACKSLASH) count++;
  return count % 2 === 1;
}
