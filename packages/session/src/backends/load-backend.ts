/** @file Backends of Sconce's packages, loaded by name. */
import type { Backend } from "@sconce/ir";
import { backendNotInstalled, unknownBackend } from "./errors.js";
import { KNOWN_BACKENDS, knownBackend } from "./known-backends.js";

/** The names that {@link loadBackend} takes; `gpujs:MODE` selects one mode of gpu.js. */
export const builtinBackends: readonly string[] = [...KNOWN_BACKENDS.keys()];

/**
 * The names that {@link loadBackend} takes, and their variants, for help texts:
 * `cpu, gpujs, gpujs:MODE`.
 */
export const backendNamesText: string = [...KNOWN_BACKENDS]
  .flatMap(([name, { variant }]) => (variant === undefined ? [name] : [name, name + variant]))
  .join(", ");

/**
 * Loads a backend by its name: `cpu`, `gpujs` in its best mode, or `gpujs:MODE`. The package of the
 * backend is imported when it is asked for, so a program that does not use it need not install it.
 * A session takes the result: `createSconce({ backends: [await loadBackend("gpujs")] })`.
 *
 * @throws SconceError `UNKNOWN_BACKEND` for other names, and when the package of the backend is not
 * installed
 */
export async function loadBackend(name: string): Promise<Backend> {
  const backend = (await maker(name))?.(name);
  if (backend === undefined) throw unknownBackend(name, builtinBackends);
  return backend;
}

async function maker(name: string): Promise<((name: string) => Backend | undefined) | undefined> {
  try {
    return await knownBackend(name)?.load();
  } catch (error) {
    throw backendNotInstalled(name, error);
  }
}
