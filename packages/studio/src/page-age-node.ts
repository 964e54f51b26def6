/// <reference types="node" />
/** @file In a clone of the repository: whether the built page is older than its sources. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** Sources of pages; tests are not a part of them. */
const SOURCE = /(?<!\.test|\.fixture|\.d)\.(?:tsx?|css)$/;

/**
 * Returns the newest source that is newer than a built file, by its path from the folder of
 * packages; undefined where the page is up to date, and where the package is installed without its
 * build.
 *
 * @param built a file of the bundle, from the folder of the bundle
 * @param own the folder of the package
 */
export async function newerSource(built: string, own: string = PACKAGE): Promise<string | undefined> {
  const isClone = await timeOf(join(own, "vite.config.ts"));
  const made = await timeOf(join(own, "dist/bundle", built));
  if (isClone === undefined || made === undefined) return undefined;
  const packages = join(own, "..");
  const names = await withDependencies(own, packages);
  const files = await Promise.all(names.map((name) => sourcesOf(join(packages, name, "src"))));
  let newest: { readonly path: string; readonly time: number } | undefined;
  for (const path of [...files.flat(), join(own, "index.html")]) {
    const time = await timeOf(path);
    if (time !== undefined && time > (newest?.time ?? made)) newest = { path, time };
  }
  return newest === undefined ? undefined : relative(packages, newest.path);
}

/** Folders of a package and of those that it imports, beside it. */
async function withDependencies(own: string, packages: string): Promise<string[]> {
  const found = new Set([relative(packages, join(own, "."))]);
  for (const name of found) {
    const text = await readFile(join(packages, name, "package.json"), "utf8").catch(() => "{}");
    const { dependencies = {} } = JSON.parse(text) as { dependencies?: Readonly<Record<string, string>> };
    for (const other of Object.keys(dependencies))
      if (other.startsWith("@sconce/")) found.add(other.slice("@sconce/".length));
  }
  return [...found];
}

async function sourcesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

const timeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
