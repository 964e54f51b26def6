/** @file Program files of addresses and of other machines, kept by their content. */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { openUrl } from "@sconce/formats/http";
import { openPath } from "@sconce/formats/node";
import { inputFailed, notArchive, otherProgram, outputFailed } from "../errors.js";
import { isFile } from "../files.js";

/** A program file on this machine. */
export interface LocalProgram {
  readonly path: string;
  /** SHA-256, in hexadecimal digits. */
  readonly sha256: string;
}

/** Returns whether a program is named by an address. */
export const isUrl = (source: string): boolean => /^https?:\/\//i.test(source);

/** Returns the folder of the user that keeps programs. */
const defaultCache = (): string =>
  join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "sconce", "programs");

/** Returns a program of a path where it lies, one of an address from the cache. */
export async function localProgram(source: string, cache: string | undefined): Promise<LocalProgram> {
  if (isUrl(source)) return fetched(source, cache ?? defaultCache());
  await requireArchive(source);
  const sha256 = await fileHash(source).catch((error: unknown) => {
    throw inputFailed(source, error);
  });
  return { path: source, sha256 };
}

/**
 * Returns the program of a hash from the cache; it is fetched when it is not there.
 * @throws SconceError `BATCH_PROGRAM_CHANGED`, `FILE`, those of `openUrl`
 */
export async function cachedProgram(
  source: string,
  sha256: string,
  cache: string | undefined,
): Promise<LocalProgram> {
  const path = cachePath(cache ?? defaultCache(), sha256);
  if (await isFile(path)) return { path, sha256 };
  const program = await fetched(source, cache ?? defaultCache());
  if (program.sha256 !== sha256) throw otherProgram(source, sha256, program.sha256);
  return program;
}

/** Other files of programs have their weights beside them, so one hash does not name them. */
async function requireArchive(path: string): Promise<void> {
  const start = await openPath(path).then((from) => from.read(0, Math.min(from.size, 2)));
  if (Buffer.from(start).toString("latin1") !== "PK") throw notArchive(path);
}

const cachePath = (folder: string, sha256: string): string => join(folder, `${sha256}.pt2`);

async function fileHash(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}

/** Bytes of one range. */
const PIECE = 8 * 2 ** 20;

/** Copies a program into the cache by ranges, under the name of its hash. */
async function fetched(source: string, cache: string): Promise<LocalProgram> {
  const from = isUrl(source) ? await openUrl(source) : await openPath(source);
  const temporary = join(cache, `.${randomUUID()}.part`);
  const hash = createHash("sha256");
  let file: FileHandle | undefined;
  try {
    await mkdir(cache, { recursive: true });
    file = await open(temporary, "wx");
    for (let at = 0; at < from.size; at += PIECE) {
      const piece = await from.read(at, Math.min(PIECE, from.size - at));
      hash.update(piece);
      await file.write(piece);
    }
    await file.sync();
    await file.close();
    const sha256 = hash.digest("hex");
    await rename(temporary, cachePath(cache, sha256));
    return { path: cachePath(cache, sha256), sha256 };
  } catch (error) {
    await file?.close().catch(() => {});
    await rm(temporary, { force: true }).catch(() => {});
    throw error instanceof Error && "syscall" in error ? outputFailed(cache, error) : error;
  }
}
