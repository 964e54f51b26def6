/** @file Files that were saved beside a program. */
import type { ZipArchive } from "../zip/archive.js";

/** Returns the files below a folder, by name; their entries are added to those that were read. */
export async function readExtraFiles(
  zip: ZipArchive,
  folder: string,
  read: Set<string>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const name of zip.names()) {
    if (!name.startsWith(folder)) continue;
    read.add(name);
    // The file's own bytes stay as they are, whatever is done with these.
    files.set(name.slice(folder.length), (await zip.read(name)).slice());
  }
  return files;
}
