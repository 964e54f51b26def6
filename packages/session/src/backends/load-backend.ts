/** @file Backends of Sconce's packages, loaded by name. */
import type { Backend } from "@sconce/ir";
import { BACKEND_NAMES, type BackendName, isKnownBackend } from "./backend-names.js";
import { backendNotInstalled, unknownBackend, unknownVariant } from "./errors.js";
import { KNOWN_BACKENDS } from "./known-backends.js";

/** The names that {@link loadBackend} takes; `gpujs:MODE` selects one mode of gpu.js. */
export const builtinBackends: readonly string[] = BACKEND_NAMES;

/**
 * The names that {@link loadBackend} takes, and their variants, for help texts:
 * `cpu, wasm, gpujs, gpujs:MODE`.
 */
export const backendNamesText: string = BACKEND_NAMES.flatMap((name) => {
  const { variant } = KNOWN_BACKENDS[name];
  return variant === undefined ? [name] : [name, name + variant];
}).join(", ");

/**
 * Loads a backend by its name: `cpu`, `wasm`, `gpujs` in its best mode, or `gpujs:MODE`. The
 * package of the backend is imported when it is asked for, so a program that does not use it need
 * not install it. A session takes the result:
 * `createSconce({ backends: [await loadBackend("gpujs")] })`.
 *
 * @throws SconceError `UNKNOWN_BACKEND` for other names, and when the package of the backend is not
 * installed
 */
export async function loadBackend(name: string): Promise<Backend> {
  const backend = (await maker(name))?.(name);
  if (backend === undefined && isKnownBackend(name)) throw unknownVariant(name, backendNamesText);
  if (backend === undefined) throw unknownBackend(name, builtinBackends);
  return backend;
}

async function maker(name: string): Promise<((name: string) => Backend | undefined) | undefined> {
  if (!isKnownBackend(name)) return undefined;
  const { load, install = "npm install sconce" } = KNOWN_BACKENDS[name.split(":")[0] as BackendName];
  try {
    return await load();
  } catch (error) {
    throw backendNotInstalled(name, install, error);
  }
}
