/** @file Random choices with a fixed seed, and mutations of what a reader takes. */

/** Returns the seed of one input, from the seed of the run and the number of the input. */
export function seedOf(seed: number, number: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}

/** A small generator (xorshift). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed === 0 ? 1 : seed;
  }

  /** Where the sequence is; a generator of this seed continues it. */
  get state(): number {
    return this.#state;
  }

  /** Returns an integer from 0 to n - 1. */
  below(n: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) % n;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** True once in `n` times. */
  once(n: number): boolean {
    return this.below(n) === 0;
  }

  list<T>(most: number, item: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, item);
  }
}

const STRANGE_TEXT = [
  "__proto__",
  "constructor",
  "toString",
  "9".repeat(40),
  "-1",
  "1e999",
  "((((((((",
  "]]",
  "{",
  '"',
  "'",
  "\\",
  "\u0000",
  "\u202e",
  "😀",
  ",",
  "=",
  "\n",
  "//",
  "%",
  "nan",
  "inf",
  "[",
  "&&",
];

/** Returns a text with a few changes: parts are removed, repeated, swapped or replaced. */
export function mutateText(text: string, random: Random, alphabet: readonly string[] = []): string {
  let changed = text;
  for (let i = random.below(3); i >= 0; i--) {
    const at = random.below(changed.length + 1);
    const end = at + random.below(8);
    const inserted = random.once(2)
      ? random.pick([...STRANGE_TEXT, ...alphabet])
      : changed.slice(random.below(changed.length + 1)).slice(0, random.below(12));
    const kept = random.once(3) ? changed.slice(at, end) : "";
    changed = changed.slice(0, at) + inserted + kept + changed.slice(random.once(2) ? at : end);
  }
  return changed;
}

/** Bytes with a few changes: some are flipped, cut off or repeated. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  let changed = Uint8Array.from(bytes);
  for (let i = random.below(4); i >= 0 && changed.length > 0; i--) {
    const at = random.below(changed.length);
    const choice = random.below(8);
    if (choice === 0) changed = changed.slice(0, at);
    else if (choice === 1) changed = Uint8Array.from([...changed.slice(0, at), ...changed.slice(at >> 1)]);
    else changed[at] = random.once(2) ? random.below(256) : changed[at]! ^ (1 << random.below(8));
  }
  return changed;
}

const STRANGE_JSON: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e300,
  2 ** 53,
  "",
  "x",
  "__proto__",
  "constructor",
  "Symbol('s0', positive=True, integer=True)",
  "s0 + s1*2",
  [],
  {},
  [null],
  [[[]]],
  { toString: 1 },
  { as_int: 1 },
  { as_none: true },
  { as_tensor: { name: "x" } },
  { as_expr: { expr_str: "s0 + 1" } },
  { name: "x" },
];

/** Returns all values of a document by the keys that they have. */
function valuesByKey(value: unknown, found = new Map<string, unknown[]>()): Map<string, unknown[]> {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    const name = Array.isArray(value) ? "" : key;
    const known = found.get(name);
    if (known === undefined) found.set(name, [inner]);
    else known.push(inner);
    valuesByKey(inner, found);
  }
  return found;
}

/**
 * Returns a document with one place changed: its value becomes a strange one, or one that another
 * place has, of the same key if there is one.
 */
export function mutateJson(document: unknown, random: Random): unknown {
  if (random.once(2)) return strangeJson(document, random);
  const others = valuesByKey(document);
  const change = (value: unknown, key: string): unknown => {
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (keys.length === 0 || random.once(12)) return otherValue(value, others.get(key) ?? [null], random);
    const at = random.pick(keys);
    const inner = (value as Record<string, unknown>)[at];
    const changed = change(inner, Array.isArray(value) ? "" : at);
    const entries = Object.entries(value as object).map(([name, one]) => [name, name === at ? changed : one]);
    return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
  };
  return change(document, "");
}

function otherValue(value: unknown, others: readonly unknown[], random: Random): unknown {
  if (typeof value === "number" && random.once(2)) return value + random.pick([1, -1, 0.5, 2 ** 31]);
  if (typeof value === "string" && random.once(4)) return mutateText(value, random);
  if (typeof value === "boolean") return !value;
  return random.pick(others);
}

/** Returns a document with a strange value at one place. */
function strangeJson(value: unknown, random: Random): unknown {
  if (random.once(10) || typeof value !== "object" || value === null) return random.pick(STRANGE_JSON);
  if (Array.isArray(value)) {
    const copy = [...(value as unknown[])];
    if (copy.length === 0) return [random.pick(STRANGE_JSON)];
    const at = random.below(copy.length);
    const choice = random.below(6);
    if (choice === 0) copy.splice(at, 1);
    else if (choice === 1) copy.push(copy[at]);
    else copy[at] = strangeJson(copy[at], random);
    return copy;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return { [String(random.below(9))]: random.pick(STRANGE_JSON) };
  const at = random.below(entries.length);
  const [key, inner] = entries[at]!;
  const choice = random.below(8);
  if (choice === 0) entries.splice(at, 1);
  else if (choice === 1) entries[at] = [random.pick(STRANGE_TEXT), inner];
  else entries[at] = [key, strangeJson(inner, random)];
  return Object.fromEntries(entries);
}

/** JSON text with one place of the document changed, or a change of its characters. */
export const mutateJsonText = (
  text: string,
  random: Random,
  words: readonly string[] = [],
  textOneIn = 4,
): string =>
  random.once(textOneIn)
    ? mutateText(text, random, words)
    : JSON.stringify(mutateJson(JSON.parse(text), random));
