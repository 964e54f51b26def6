/** @file Tables of families, and the one joined from them: each key is there once. */
import { duplicateKey } from "../rows/errors.js";

/**
 * Returns the table of one family, from keys and entries.
 *
 * @throws SconceError `DUPLICATE_KEY`
 */
export function tableOf<K extends string, T>(entries: Iterable<readonly [K, T]>): Readonly<Record<K, T>> {
  const table: Partial<Record<K, T>> = {};
  for (const [key, entry] of entries) {
    if (Object.hasOwn(table, key)) throw duplicateKey(key);
    table[key] = entry;
  }
  return Object.freeze(table) as Readonly<Record<K, T>>;
}

/** A table of one family: entries by target. */
type Table = Readonly<Record<string, unknown>>;
type Families = Readonly<Record<string, Table>>;

/**
 * Keys that the compiler knows; those of a `Record<string, ...>` are seen when the tables are
 * joined.
 */
type KeyOf<T> = T extends unknown ? (string extends keyof T ? never : keyof T) : never;
type AnyKeyOf<T> = T extends unknown ? keyof T : never;
type ValueOf<T> = T extends unknown ? T[keyof T] : never;
type KeyOfOthers<T, F extends keyof T> = KeyOf<T[Exclude<keyof T, F>]>;

/**
 * The families as they are, or with a message in place of each entry whose key another family has
 * too.
 */
type Distinct<T> = {
  readonly [F in keyof T]: KeyOf<T[F]> & KeyOfOthers<T, F> extends never
    ? T[F]
    : { readonly [K in KeyOf<T[F]> & KeyOfOthers<T, F>]: `${K & string} is in another family too` };
};

/** Entries of all families. */
export type JoinedTable<T> = Readonly<Record<AnyKeyOf<T[keyof T]> & string, ValueOf<T[keyof T]>>>;

/**
 * Joins tables keyed by target: `joinTables({ activation: activationKernels, pool: poolKernels })`.
 * The entries keep their order. A key that the compiler sees twice is a compile error.
 *
 * @throws SconceError `DUPLICATE_KEY` for a key that two families have; it names both
 */
export function joinTables<const T extends Families>(families: T & Distinct<T>): JoinedTable<T> {
  const joined: Record<string, unknown> = {};
  const familyOf = new Map<string, string>();
  for (const [family, table] of Object.entries<Table>(families)) {
    for (const [key, entry] of Object.entries(table)) {
      const first = familyOf.get(key);
      if (first !== undefined) throw duplicateKey(key, [first, family]);
      familyOf.set(key, family);
      joined[key] = entry;
    }
  }
  return Object.freeze(joined) as JoinedTable<T>;
}
