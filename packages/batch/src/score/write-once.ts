/** @file Writes a file whole or not at all. */
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { outputFailed } from "../errors.js";

/**
 * Writes to a temporary file beside the target, which then takes the target's name. Folders are
 * made where they are missing.
 *
 * @throws SconceError `FILE`; the temporary file is gone then
 */
export async function writeOnce(target: string, temporary: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(target);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw outputFailed(folder, error);
  });
  try {
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw outputFailed(target, error);
  }
}

/** Makes the new name last; not every system can do it for folders. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
