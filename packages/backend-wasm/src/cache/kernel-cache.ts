/** @file Modules of kernels that are kept, so that equal ones are not generated again. */
import { VERSION } from "@sconce/errors";
import { cacheFailed } from "../errors.js";

/**
 * Keeps modules of kernels: `memoryCache()`, `folderCache(path)`, or an object with these two
 * methods. What it returns is run only if it is what was stored under that name.
 */
export interface KernelCache {
  /** Returns what was stored under a name, which is a hash; undefined if there is nothing. */
  get(name: string): Stored | undefined | Promise<Stored | undefined>;
  /** Stores bytes under a name, in place of what was there. */
  set(name: string, stored: Stored): void | Promise<void>;
}
type Stored = Uint8Array<ArrayBuffer>;

/** Options of {@link memoryCache}. */
export interface MemoryCacheOptions {
  /** Most bytes that it keeps; what was used least recently goes first. Default: 64 MiB. */
  readonly maxBytes?: number;
}

/** Keeps modules in memory, for several backends or for programs that are compiled again. */
export function memoryCache({ maxBytes = 64 * 2 ** 20 }: MemoryCacheOptions = {}): KernelCache {
  const kept = new Map<string, Stored>();
  let bytes = 0;
  const drop = (name: string): void => {
    bytes -= kept.get(name)?.length ?? 0;
    kept.delete(name);
  };
  return {
    get: (name) => {
      const stored = kept.get(name);
      if (stored === undefined) return undefined;
      kept.delete(name);
      kept.set(name, stored);
      return stored;
    },
    set: (name, stored) => {
      drop(name);
      if (stored.length > maxBytes) return;
      kept.set(name, stored);
      bytes += stored.length;
      while (bytes > maxBytes) drop(kept.keys().next().value!);
    },
  };
}

/** Raised when the same kernels get other code. The version of the package counts besides. */
const CODE = 2;
/** What stored modules begin with. */
const MAGIC = new TextEncoder().encode("sconce-kernels 1");
const DIGEST = 32;

/**
 * Returns the module of a key: from the cache if it has it, else from `build`, and then stored.
 *
 * @param key everything that the code depends on but the compiler
 * @throws SconceError `CACHE_FAILED` if the cache throws
 */
export async function cachedModule(cache: KernelCache, key: string, build: () => Stored): Promise<Stored> {
  // Pages without a secure context have no hashes.
  if (globalThis.crypto?.subtle === undefined) return build();
  const name = hex(await digest(new TextEncoder().encode(`${VERSION} ${CODE}\n${key}`)));
  const known = await opened(name, await asked(() => cache.get(name)));
  if (known !== undefined) return known;
  const built = build();
  const stored = await sealed(name, built);
  await asked(() => cache.set(name, stored));
  return built;
}

/** Bytes with the digest of them and of their name. */
async function sealed(name: string, module: Stored): Promise<Stored> {
  return joined(MAGIC, await digest(named(name, module)), module);
}
/** Returns the module in stored bytes, if they are what was stored under the name. */
async function opened(name: string, stored: unknown): Promise<Stored | undefined> {
  const start = MAGIC.length + DIGEST;
  if (!(stored instanceof Uint8Array) || stored.length <= start) return undefined;
  // A copy: what the cache returned may change.
  const bytes = new Uint8Array(stored);
  const module = bytes.slice(start);
  const wanted = joined(MAGIC, await digest(named(name, module)));
  return wanted.every((byte, i) => bytes[i] === byte) ? module : undefined;
}
const named = (name: string, module: Stored): Stored => joined(new TextEncoder().encode(name), module);

function joined(...parts: readonly Uint8Array[]): Stored {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
const digest = async (bytes: Stored): Promise<Stored> =>
  new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", bytes));
const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function asked<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw cacheFailed(error);
  }
}
