/// <reference types="node" />
/** @file Opening program files by path, for Node.js. */
import type { ExportedProgram } from "@sconce/ir";
import { closeFile, fileSize, openFile, PiecewiseFile, StreamedFile } from "./node-file.js";
import { type ReadPt2Options, readPt2 } from "./pt2/read.js";

/** Larger files are read record by record: one buffer could not hold them everywhere. */
const ONE_BUFFER = 2 ** 31;

/**
 * Reads a `.pt2` file. Files below 2 GiB go into one buffer, of which the weights are views, and are checked while the
 * rest is still being read; of larger files each record is read by itself.
 * @throws SconceError as {@link readPt2}; the file system's own errors
 */
export async function openPt2File(path: string | URL, options: ReadPt2Options = {}): Promise<ExportedProgram> {
  const file = await openFile(path);
  let pending: StreamedFile | undefined;
  try {
    const size = await fileSize(file);
    if (size >= ONE_BUFFER) return await readPt2(new PiecewiseFile(file, size), options);
    pending = new StreamedFile(file, size);
    return await readPt2(pending, options);
  } finally {
    // The descriptor must not be closed, and given to another file, under a read that is still going on.
    await pending?.settled();
    await closeFile(file);
  }
}
