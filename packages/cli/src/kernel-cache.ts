import { isKnownBackend, type LoadBackendOptions } from "@sconce/session/backends";
import { usage } from "./errors.js";

/**
 * Returns the folder of `--cache`, as backends take it.
 *
 * @param backends names of the backends that run
 * @throws SconceError `USAGE` for a backend of a plugin, which takes no options
 */
export async function kernelCache(
  folder: string | undefined,
  backends: readonly string[],
): Promise<Pick<LoadBackendOptions, "cache">> {
  if (folder === undefined) return {};
  const other = backends.find((name) => !isKnownBackend(name));
  if (other !== undefined)
    throw usage(
      `--cache has no effect on the backend ${JSON.stringify(other)} of a plugin`,
      "leave --cache out, or leave the backend out",
    );
  const { folderCache } = await import("@sconce/backend-wasm/node");
  return { cache: folderCache(folder) };
}
