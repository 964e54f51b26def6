/// <reference types="node" />
/** @file Writes files so that either all of them are replaced or none, for Node.js. */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, link, lstat, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isSconceError, systemCode } from "@sconce/errors";
import { noFolder, notAFile, writeFailed } from "./errors.js";
import { onEnd } from "./process-end.js";
import { removeNow, restoreNow } from "./restore-files-node.js";

/** A path, and the content to write there: whole, or in pieces. */
export type FileContent = readonly [
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
];

/** A target with the names beside it that are used while it is written. */
interface Replacement {
  readonly target: string;
  /** Holds the new content until it gets its name. */
  readonly temporary: string;
  /** A second name for the old content. */
  readonly backup: string;
}

/**
 * Writes files that belong together. All are complete under temporary names beside their targets
 * before the first takes its name, so no half-written file is ever seen; where one cannot take its
 * name, the others get back what they held. The names are random and the files are created
 * exclusively: nothing can put a link in their place. A target that is a symbolic link is replaced,
 * not followed. Signals and exits in between leave everything as it was.
 * @throws SconceError `FILE`
 */
export async function writeFiles(files: readonly FileContent[]): Promise<void> {
  for (const [target] of files) await refuseOthers(target);
  const replacements = files.map(([target]) => replacementOf(target));
  const done: Replacement[] = [];
  const stopWatching = onEnd(() => {
    if (done.length < files.length) restoreNow(done);
    for (const { temporary, backup } of replacements) for (const path of [temporary, backup]) removeNow(path);
  });
  let current = "";
  try {
    for (const [i, [target, content]] of files.entries()) {
      current = target;
      await writeNew(replacements[i]!, content);
      await keep(replacements[i]!);
    }
    for (const replacement of replacements) {
      current = replacement.target;
      await rename(replacement.temporary, replacement.target);
      done.push(replacement);
    }
    for (const folder of new Set(files.map(([target]) => dirname(target)))) await syncFolder(folder);
  } catch (error) {
    if (done.length < files.length) restoreNow(done);
    // What the content itself throws, as it is made.
    if (isSconceError(error)) throw error;
    throw systemCode(error) === "ENOENT" ? noFolder(dirname(current), error) : writeFailed(current, error);
  } finally {
    for (const { temporary, backup } of replacements)
      for (const path of [temporary, backup]) await rm(path, { force: true }).catch(() => {});
    stopWatching();
  }
}

/** @throws SconceError `FILE` */
export const writeBytes = (path: string, bytes: Uint8Array): Promise<void> => writeFiles([[path, bytes]]);

/**
 * Checks before long work that a file can be written there. @throws SconceError `FILE` for a
 * missing folder, and for a target that is a folder or a device
 */
export async function requireFolder(target: string): Promise<void> {
  await refuseOthers(target);
  const folder = dirname(target);
  const found = await stat(folder).catch((error: unknown) => {
    throw systemCode(error) === "ENOENT" ? noFolder(folder, error) : writeFailed(folder, error);
  });
  if (!found.isDirectory()) throw writeFailed(folder, Object.assign(new Error(), { code: "EEXIST" }));
}

/** The names do not hold the target's, which may be as long as a name can be. */
function replacementOf(target: string): Replacement {
  const beside = join(dirname(target), `.sconce-${randomUUID()}`);
  return { target, temporary: `${beside}.part`, backup: `${beside}.kept` };
}

/** Writes to a file that was not there, with the permissions of the one that it replaces. */
async function writeNew({ target, temporary }: Replacement, content: FileContent[1]): Promise<void> {
  const file = await open(temporary, "wx");
  try {
    await writeFile(file, content);
    await file.sync();
  } finally {
    await file.close();
  }
  const old = await lstat(target).catch(() => undefined);
  if (old?.isFile()) await chmod(temporary, old.mode & 0o777);
}

/** Folders cannot be replaced by a file, and devices and pipes must not be. */
async function refuseOthers(target: string): Promise<void> {
  const found = await stat(target).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw writeFailed(target, error);
  });
  if (found !== undefined && !found.isFile()) throw notAFile(target, found.isDirectory());
}

/** A second name for what the target holds; a copy where the file system has no hard links. */
async function keep({ target, backup }: Replacement): Promise<void> {
  try {
    await link(target, backup);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") await copyFile(target, backup, constants.COPYFILE_EXCL);
  }
}

/** Makes new names last; not every system can do it for folders. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
