/** @file Backends of Sconce's packages, loaded by name. */
import { checkOptions, type OptionNames, optionValue } from "@sconce/errors";
import type { Backend } from "@sconce/ir";
import { AUTO, BACKEND_NAMES, type BackendName, isKnownBackend } from "./backend-names.js";
import { backendNotInstalled, unknownBackend, unknownVariant } from "./errors.js";
import { type BackendMaker, KNOWN_BACKENDS, type ModuleStore } from "./known-backends.js";

/** The names that {@link loadBackend} takes; `gpujs:MODE` selects one mode of gpu.js. */
export const builtinBackends: readonly string[] = BACKEND_NAMES;

/**
 * The names that {@link loadBackend} takes, and their variants, for help texts:
 * `auto, cpu, wasm, gpujs, gpujs:MODE`.
 */
export const backendNamesText: string = [
  AUTO,
  ...BACKEND_NAMES.flatMap((name) => {
    const { variant } = KNOWN_BACKENDS[name];
    return variant === undefined ? [name] : [name, name + variant];
  }),
].join(", ");

/**
 * Loads a backend by its name: `auto`, `cpu`, `wasm`, `gpujs` in its best mode, or `gpujs:MODE`.
 * `auto` is `wasm` where it runs, else the interpreter, as its placement then says. The package of
 * the backend is imported when it is asked for, so a program that does not use it need not install
 * it. A session takes the result: `createSconce({ backends: [await loadBackend("gpujs")] })`.
 *
 * @throws SconceError `OPTION_VALUE` for more threads than the backend can have
 * @throws SconceError `UNKNOWN_BACKEND` for other names, and when the package of the backend is not
 * installed
 */
export async function loadBackend(name: string, options: LoadBackendOptions = {}): Promise<Backend> {
  checkOptions("loadBackend", options, OPTIONS);
  const backend = (await maker(name))?.(name, { ...threadsOf(name, options), ...cacheOf(name, options) });
  if (backend === undefined && isKnownBackend(name)) throw unknownVariant(name, backendNamesText);
  if (backend === undefined) throw unknownBackend(name, builtinBackends);
  return backend;
}

/** How a backend is loaded. */
export interface LoadBackendOptions {
  /**
   * Threads that compute. Default: what the backend takes, which for `wasm` is as many as the
   * machine runs at once, at most 8. One is right for every backend.
   */
  readonly threads?: number;
  /**
   * Keeps the kernels of backends that generate modules, which are `wasm` and `auto`:
   * `memoryCache()` of `sconce/wasm`, or `folderCache(path)` of `sconce/node`. Default: none.
   */
  readonly cache?: ModuleStore;
}
const OPTIONS: OptionNames<LoadBackendOptions> = { threads: true, cache: true };

/** Returns whether a backend of Sconce's packages can have several threads. */
export const hasThreads = (name: string): boolean =>
  isKnownBackend(name) && KNOWN_BACKENDS[name.split(":")[0] as BackendName].hasThreads === true;

/** Returns the option of backends with threads; other backends have one. */
function threadsOf(name: string, { threads }: LoadBackendOptions): LoadBackendOptions {
  if (threads === undefined) return {};
  const isThreaded = hasThreads(name);
  const most = isThreaded ? MOST_THREADS : 1;
  if (!Number.isInteger(threads) || threads < 1 || threads > most)
    throw optionValue(`the backend "${name}"`, "threads", threads, isThreaded ? COUNT : ONE_THREAD);
  return isThreaded ? { threads } : {};
}
/** Returns the option of backends that generate modules. */
function cacheOf(name: string, { cache }: LoadBackendOptions): Pick<LoadBackendOptions, "cache"> {
  if (cache === undefined) return {};
  if (!isKnownBackend(name) || KNOWN_BACKENDS[name.split(":")[0] as BackendName].hasCache !== true)
    throw optionValue(`the backend "${name}"`, "cache", "a cache", "no cache: it keeps no kernels");
  return { cache };
}
const MOST_THREADS = 64;
const COUNT = `a whole number from 1 to ${MOST_THREADS}`;
const WITH_THREADS = BACKEND_NAMES.filter((name) => KNOWN_BACKENDS[name].hasThreads === true);
const ONE_THREAD = `1, or leave it out: the backend has one thread; backends with threads: ${WITH_THREADS.join(", ") || "none"}`;

async function maker(name: string): Promise<BackendMaker | undefined> {
  if (!isKnownBackend(name)) return undefined;
  const { load, install = "npm install sconce" } = KNOWN_BACKENDS[name.split(":")[0] as BackendName];
  try {
    return await load();
  } catch (error) {
    throw backendNotInstalled(name, install, error);
  }
}
