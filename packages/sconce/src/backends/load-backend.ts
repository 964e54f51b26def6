/** @file Backends of Sconce's packages, loaded by name. */
import { cpuBackend } from "@sconce/backend-cpu";
import type { Backend } from "@sconce/ir";
import { backendNotInstalled, unknownBackend } from "./errors.js";
import { BACKEND_PACKAGES } from "./known-backends.js";

/** The names that {@link loadBackend} takes; `gpujs:MODE` selects one mode of gpu.js. */
export const builtinBackends: readonly string[] = ["cpu", ...BACKEND_PACKAGES.keys()];

/**
 * Loads a backend by its name: `cpu`, `gpujs` in its best mode, or `gpujs:MODE`. The package of the backend is imported
 * when it is asked for, so a program that does not use it need not install it. A session takes the result:
 * `createSconce({ backends: [await loadBackend("gpujs")] })`.
 *
 * @throws SconceError `UNKNOWN_BACKEND` for other names, and when the package of the backend is not installed
 */
export async function loadBackend(name: string): Promise<Backend> {
  if (name === "cpu") return cpuBackend();
  const [kind] = name.split(":");
  const backend = kind === "gpujs" ? (await gpujs(name)).gpujsByName(name) : undefined;
  if (backend === undefined) throw unknownBackend(name, builtinBackends);
  return backend;
}

async function gpujs(name: string): Promise<typeof import("@sconce/backend-gpujs")> {
  try {
    return await import("@sconce/backend-gpujs");
  } catch (error) {
    throw backendNotInstalled(name, error);
  }
}
