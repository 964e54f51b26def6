/** @file Sessions, as commands open them. */
import { isSconceError } from "@sconce/errors";
import type { Backend } from "@sconce/ir";
import type { Plugin } from "@sconce/passes";
import { createSconce, type Sconce } from "@sconce/session";
import {
  builtinBackends,
  hasThreads,
  isKnownBackend,
  type LoadBackendOptions,
  loadBackend,
} from "@sconce/session/backends";
import type { SafeIo } from "./io.js";
import { librariesFor } from "./libraries.js";
import { commandLimits } from "./limits.js";
import { loadPlugin } from "./plugin-module.js";

/** The backend of every session. */
const INTERPRETER = "cpu";

/**
 * Opens a session with plugins from module paths or installed packages. Warnings go to standard
 * error. The session has the backends of Sconce's packages that are installed, those of the
 * plugins, and those of `backend`, which `loading` is for. Plugins of libraries whose operators the
 * files call are loaded too.
 * @throws SconceError `PLUGIN`, `NAME_CLASH`, `UNKNOWN_BACKEND`
 */
export async function openSession(...options: Parameters<typeof openSessionWithLibraries>): Promise<Sconce> {
  return (await openSessionWithLibraries(...options)).session;
}

/** As {@link openSession}; returns also the plugins of libraries that it loaded. */
export async function openSessionWithLibraries(
  io: Pick<SafeIo, "warn" | "onOpen">,
  modules: readonly string[] = [],
  backend: string | readonly string[] = INTERPRETER,
  files: readonly string[] = [],
  loading: LoadBackendOptions = {},
): Promise<{ readonly session: Sconce; readonly libraries: readonly Plugin[] }> {
  const logger = { warn: (message: string) => io.warn(message) };
  io.onOpen?.();
  const own = await Promise.all(modules.map(loadPlugin));
  const libraries = await librariesFor(files, own);
  const plugins = [...own, ...libraries, ...(await quantizingPasses(own))];
  const wanted = [backend].flat();
  const backends = await backendsFor(wanted, loading);
  let session: Sconce;
  try {
    const { maxBytes } = commandLimits();
    const bound = maxBytes === undefined ? {} : { maxBytes };
    session = createSconce({ plugins, backends, services: { logger }, ...bound });
  } catch (error) {
    throw isSconceError(error) && modules.length > 0 ? error.at(modules.join(", ")) : error;
  }
  for (const name of wanted) session.backend(name);
  return { session, libraries };
}

/** Returns the plugin with the passes of quantization, unless the user gives one of that name. */
async function quantizingPasses(own: readonly Plugin[]): Promise<readonly Plugin[]> {
  const { quantization } = await import("@sconce/quantization");
  const hasItsName = (plugin: Plugin): boolean => {
    try {
      return plugin.name === quantization.name;
    } catch {
      // The session refuses such a plugin, with its error.
      return false;
    }
  };
  return own.some(hasItsName) ? [] : [quantization];
}

/**
 * Returns the backends that Sconce loads by name and that are installed, with those that are asked
 * for: options of passes and errors name them all.
 */
async function backendsFor(wanted: readonly string[], loading: LoadBackendOptions): Promise<Backend[]> {
  const names = new Set([...builtinBackends, ...wanted.filter(isKnownBackend)]);
  names.delete(INTERPRETER);
  // Options are for the backends that take them; if none does, the first rejects them.
  const takes = wanted.some(hasThreads) ? hasThreads : (one: string) => one === wanted[0];
  const optionsOf = (one: string): LoadBackendOptions => (wanted.includes(one) && takes(one) ? loading : {});
  if (wanted.includes(INTERPRETER)) await loadBackend(INTERPRETER, optionsOf(INTERPRETER));
  const loaded = [...names].map((one) =>
    loadBackend(one, optionsOf(one)).catch((error: unknown) => {
      if (wanted.includes(one)) throw error;
      return undefined;
    }),
  );
  return (await Promise.all(loaded)).filter((one) => one !== undefined);
}
