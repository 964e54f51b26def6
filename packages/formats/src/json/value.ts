/** @file Parsed JSON. */
export type JsonValue = null | boolean | number | bigint | string | JsonFloat | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];

/**
 * An object as two lists: no key is special, the order is that of the file, and objects with the
 * same keys share the list of them, which keeps a large document small.
 */
export class JsonObject {
  readonly keys: readonly string[];
  readonly values: JsonArray;

  constructor(keys: readonly string[], values: JsonArray) {
    this.keys = keys;
    this.values = values;
  }

  get size(): number {
    return this.keys.length;
  }

  /** Returns the value of a key, undefined when there is none. */
  get(key: string): JsonValue | undefined {
    const { keys } = this;
    for (let i = 0; i < keys.length; i++) if (keys[i] === key) return this.values[i];
    return undefined;
  }
}

/** A number that is written as a float, `1.0`. Parsers give it only if asked. */
export class JsonFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Deep equality. Depth is bounded by the parser. */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a instanceof JsonObject && b instanceof JsonObject) {
    return (
      a.size === b.size && a.keys.every((key, i) => key === b.keys[i] && sameJson(a.values[i], b.values[i]))
    );
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item: JsonValue, i) => sameJson(item, b[i] as JsonValue));
  }
  return Object.is(a, b);
}
