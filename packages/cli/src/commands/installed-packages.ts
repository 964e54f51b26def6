/** @file Which packages are installed, as Node finds them. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A package as it is installed. */
export interface InstalledPackage {
  readonly version: string;
  /** Its folder. */
  readonly path: string;
}

/**
 * Returns the package that an import of a name gets, from this package or from `from`, which may
 * have its own; undefined where there is none. Nothing of it runs.
 */
export function findPackage(name: string, from?: string): InstalledPackage | undefined {
  const start = from === undefined ? undefined : findPackage(from)?.path;
  const base = start === undefined ? fileURLToPath(import.meta.url) : join(start, "package.json");
  // Packages need not export their package.json, so the folders are looked through.
  for (const folder of createRequire(base).resolve.paths(name) ?? []) {
    const found = manifestIn(join(folder, name), name);
    if (found !== undefined) return found;
  }
  return ownPackage(dirname(base), name);
}

/** A package finds itself above its files. */
function ownPackage(folder: string, name: string): InstalledPackage | undefined {
  const found = manifestIn(folder, name);
  const parent = dirname(folder);
  return found ?? (parent === folder ? undefined : ownPackage(parent, name));
}

function manifestIn(path: string, wanted: string): InstalledPackage | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
      name?: unknown;
      version?: unknown;
    };
    return name === wanted && typeof version === "string" ? { version, path } : undefined;
  } catch {
    return undefined;
  }
}
