/** @file Files that are written all or none. */
import { copyFile, link, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileError, noFolder, notAFile, systemCode } from "./errors.js";

/** A path and what comes to stand there. */
export type FileContent = readonly [path: string, content: string | Uint8Array];

/**
 * Writes files that belong together. All are complete under temporary names beside their targets
 * before the first takes its name, so no half-written file is ever seen; where one cannot take its
 * name, the others get back what they held.
 * @throws SconceError `FILE`
 */
export async function writeFiles(files: readonly FileContent[]): Promise<void> {
  for (const [target] of files) await refuseOthers(target);
  const done: string[] = [];
  let current = "";
  try {
    for (const [target, content] of files) {
      current = target;
      await writeFile(temporary(target), content);
      await keep(target);
    }
    for (const [target] of files) {
      current = target;
      await rename(temporary(target), target);
      done.push(target);
    }
  } catch (error) {
    for (const target of done) await restore(target);
    throw systemCode(error) === "ENOENT" ? noFolder(dirname(current), error) : fileError(current, error);
  } finally {
    for (const [target] of files) {
      await rm(temporary(target), { force: true });
      await rm(backup(target), { force: true });
    }
  }
}

/** @throws SconceError `FILE` */
export const writeBytes = (path: string, bytes: Uint8Array): Promise<void> => writeFiles([[path, bytes]]);

const temporary = (target: string): string => `${target}.${process.pid}.part`;
const backup = (target: string): string => `${target}.${process.pid}.kept`;

/** Folders cannot be replaced by a file, and devices and pipes must not be. */
async function refuseOthers(target: string): Promise<void> {
  const found = await stat(target).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fileError(target, error);
  });
  if (found !== undefined && !found.isFile()) throw notAFile(target, found.isDirectory());
}

/** A second name for what the target holds; a copy where the file system has no hard links. */
async function keep(target: string): Promise<void> {
  try {
    await link(target, backup(target));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") await copyFile(target, backup(target));
  }
}

async function restore(target: string): Promise<void> {
  await rename(backup(target), target).catch((error: unknown) => {
    if (systemCode(error) !== "ENOENT") throw fileError(target, error);
    return rm(target, { force: true });
  });
}
