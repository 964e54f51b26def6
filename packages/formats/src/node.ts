/// <reference types="node" />
/** @file Opening program files by path, for Node.js. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { ExportedProgram } from "@sconce/ir";
import { fileFailed } from "./errors.js";
import type { ReadPt2Options } from "./pt2/assemble.js";
import { calledNamespaces, type NamespacesOptions } from "./pt2/called-namespaces.js";
import { readPt2 } from "./pt2/read.js";
import type { RandomAccess } from "./source.js";

/** Larger files are read record by record: one buffer could not hold them everywhere. */
const ONE_BUFFER = 2 ** 31;
const LARGEST_READ = 2 ** 30;

/** As many bytes as the file has of a range. */
function readRange(file: number, offset: number, length: number): Uint8Array {
  // Every byte that is handed out is overwritten, so the memory need not be cleared first.
  const { buffer } = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const count = readSync(
      file,
      new Uint8Array(buffer, done, Math.min(length - done, LARGEST_READ)),
      0,
      Math.min(length - done, LARGEST_READ),
      offset + done,
    );
    if (count === 0) break;
    done += count;
  }
  return new Uint8Array(buffer, 0, done);
}

/** An open file, each piece read into its own memory. */
export function fileSource(file: number, size: number): RandomAccess {
  return { size, read: async (offset, length) => readRange(file, offset, length) };
}

/**
 * Reads a `.pt2` file. Files below 2 GiB are read at once, and their weights are views of that one
 * buffer; of larger files each record is read by itself.
 * @throws SconceError `FILE` where the file cannot be read, and as {@link readPt2}
 */
export async function openPt2File(
  path: string | URL,
  options: ReadPt2Options = {},
): Promise<ExportedProgram> {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const { size } = fstatSync(file);
    return await readPt2(size < ONE_BUFFER ? readRange(file, 0, size) : fileSource(file, size), options);
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? fileFailed(String(path), error) : error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Namespaces of the operators that a `.pt2` file calls, found without reading its weights: to load
 * plugins before the program.
 * @throws SconceError `ZIP_*` for what is not an archive; the file system's own errors
 */
export async function namespacesInPt2File(
  path: string | URL,
  options: NamespacesOptions = {},
): Promise<ReadonlySet<string>> {
  const file = openSync(path, "r");
  try {
    return await calledNamespaces(fileSource(file, fstatSync(file).size), options);
  } finally {
    closeSync(file);
  }
}
