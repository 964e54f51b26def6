/// <reference types="node" />
/** @file Opening program files by path, for Node.js. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import * as zlib from "node:zlib";
import type { ExportedProgram } from "@sconce/ir";
import { type ReadPt2Options, readPt2 } from "./pt2/read.js";
import type { RandomAccess } from "./source.js";
import type { Crc32 } from "./zip/archive.js";

/** Larger files are read piece by piece: one buffer could not hold them everywhere. */
const ONE_BUFFER = 2 ** 31;
const LARGEST_READ = 2 ** 30;

/** Present from Node 20.15 on. */
const nativeCrc32 = (zlib as { crc32?: (bytes: Uint8Array, previous?: number) => number }).crc32 as Crc32 | undefined;

function readRange(file: number, offset: number, length: number): Uint8Array {
  // Every byte is overwritten below, so the memory need not be cleared first.
  const bytes = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, Math.min(length - done, LARGEST_READ), offset + done);
    if (count === 0) break;
    done += count;
  }
  return new Uint8Array(bytes.buffer, 0, done);
}

/**
 * Reads a `.pt2` file. Files below 2 GiB are read at once and their weights are views of that one buffer; of larger
 * files each record is read by itself.
 * @throws SconceError as {@link readPt2}; the file system's own errors
 */
export async function openPt2File(path: string | URL, options: ReadPt2Options = {}): Promise<ExportedProgram> {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const source: Uint8Array | RandomAccess = size < ONE_BUFFER ? readRange(file, 0, size)
      : { size, read: (offset, length) => Promise.resolve(readRange(file, offset, length)) };
    return await readPt2(source, { crc32: nativeCrc32, ...options });
  } finally {
    closeSync(file);
  }
}
