/** @file What several parts ask of files. */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";

/** Returns whether a path is that of a file. */
export const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() ?? false;

/** Returns the SHA-256 of a content, in hexadecimal digits. */
export const sha256Of = (content: Uint8Array | string): string =>
  createHash("sha256").update(content).digest("hex");
