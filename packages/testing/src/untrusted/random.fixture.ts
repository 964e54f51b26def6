/** @file Random choices with a fixed seed, and mutations of what a reader takes. */

/** A small generator (xorshift): `below(n)` gives an integer from 0 to n - 1. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

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

/** A text with a few changes: parts are removed, repeated, swapped or replaced. */
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

/** A document with one place changed. */
export function mutateJson(value: unknown, random: Random): unknown {
  if (random.once(10) || typeof value !== "object" || value === null) return random.pick(STRANGE_JSON);
  if (Array.isArray(value)) {
    const copy = [...(value as unknown[])];
    if (copy.length === 0) return [random.pick(STRANGE_JSON)];
    const at = random.below(copy.length);
    const choice = random.below(6);
    if (choice === 0) copy.splice(at, 1);
    else if (choice === 1) copy.push(copy[at]);
    else copy[at] = mutateJson(copy[at], random);
    return copy;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return { [String(random.below(9))]: random.pick(STRANGE_JSON) };
  const at = random.below(entries.length);
  const [key, inner] = entries[at]!;
  const choice = random.below(8);
  if (choice === 0) entries.splice(at, 1);
  else if (choice === 1) entries[at] = [random.pick(STRANGE_TEXT), inner];
  else entries[at] = [key, mutateJson(inner, random)];
  return Object.fromEntries(entries);
}
