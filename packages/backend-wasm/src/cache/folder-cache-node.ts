/// <reference types="node" />
/** @file A cache of kernels in a folder. */
import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KernelCache } from "./kernel-cache.js";

/**
 * Keeps modules of kernels in a folder, which is made when it is first needed. Several processes
 * may use one folder at once. Files may be deleted at any time. Damaged ones are replaced.
 */
export function folderCache(path: string): KernelCache {
  const fileOf = (name: string): string => join(path, `${name}-${compiler()}.kernels`);
  return {
    get: async (name) => {
      try {
        return new Uint8Array(await readFile(fileOf(name)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    set: async (name, stored) => {
      await mkdir(path, { recursive: true });
      const file = fileOf(name);
      // A reader meanwhile sees the whole old file or the whole new one.
      const temporary = `${file}.${process.pid}.${randomUUID()}`;
      try {
        await writeFile(temporary, stored);
        await rename(temporary, file);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}

let known: string | undefined;
/** Changes with the files of the compiler: builds of it may have the same version. */
function compiler(): string {
  known ??= fingerprint();
  return known;
}

function fingerprint(): string {
  const hash = createHash("sha256");
  const here = fileURLToPath(import.meta.url);
  const built = basename(join(here, "..", ".."));
  const packages = join(here, "..", "..", "..", "..");
  const folders = ["backend-wasm", "codegen", "wasm"].map((name) => join(packages, name));
  // A bundle is one file.
  if (!folders.every(isOwn)) return hash.update(stamp(here)).digest("hex").slice(0, LETTERS);
  for (const folder of folders)
    for (const file of filesIn(join(folder, built))) hash.update(`${file} ${stamp(file)}\n`);
  return hash.digest("hex").slice(0, LETTERS);
}
const LETTERS = 16;

/** Returns whether a folder is a package of Sconce. */
function isOwn(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name?: unknown };
    return typeof name === "string" && name.startsWith("@sconce/");
  } catch {
    return false;
  }
}
const filesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => join(folder, file))
    .sort();
function stamp(file: string): string {
  const { size, mtimeMs } = statSync(file);
  return `${size} ${mtimeMs}`;
}
