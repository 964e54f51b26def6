/// <reference types="node" />
/** @file Opening program files by path, for Node.js. */
import { closeSync, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { fileChanged, fileFailed } from "./errors.js";
import { calledNamespaces, type NamespacesOptions } from "./pt2/called-namespaces.js";
import type { LoadPt2Options, NamesOptions, PT2ArchiveContents, ReadPt2Options } from "./pt2/options.js";
import { loadPt2, pt2ProgramNames, readPt2 } from "./pt2/read.js";
import type { SecurityReport } from "./security/finding.js";
import { type SecurityOptions, securityReport } from "./security/security.js";
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

/** Returns an open file, each piece read into its own memory. */
export function fileSource(file: number, size: number): RandomAccess {
  return { size, read: async (offset, length) => readRange(file, offset, length) };
}

/** Returns whether a file is still the one that was opened. */
const isSame = (a: Stats, b: Stats): boolean =>
  a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;

/**
 * Returns a file that is opened for each read, so that nothing has to be closed: for weights that
 * are read when they are needed. A file that was replaced or changed meanwhile is refused.
 * @throws SconceError `FILE`; when it is read, also `SOURCE_CHANGED`
 */
export async function openPath(path: string | URL): Promise<RandomAccess> {
  const shown = String(path);
  const typed = (error: unknown): unknown =>
    error instanceof Error && "syscall" in error ? fileFailed(shown, error) : error;
  const opened = await stat(path).catch((error: unknown) => {
    throw typed(error);
  });
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const file = await open(path, "r");
    try {
      if (!isSame(await file.stat(), opened)) throw fileChanged(shown);
      return await readPart(file, offset, length);
    } finally {
      await file.close();
    }
  };
  return {
    size: opened.size,
    read: (offset, length) =>
      read(offset, length).catch((error: unknown) => {
        throw typed(error);
      }),
  };
}

/** As many bytes as the file has of a range, without holding the event loop. */
async function readPart(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const { buffer } = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const part = new Uint8Array(buffer, done, Math.min(length - done, LARGEST_READ));
    const { bytesRead } = await file.read(part, 0, part.length, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return new Uint8Array(buffer, 0, done);
}

/**
 * Reads a `.pt2` file. Files below 2 GiB are read at once, and their weights are views of that one
 * buffer; of larger files each record is read by itself. With `weights: "lazy"`, weights are read
 * from the path when they are needed, and the file must stay as it is.
 * @throws SconceError `FILE` where the file cannot be read, and as {@link readPt2}
 */
export async function openPt2File(
  path: string | URL,
  options: ReadPt2Options = {},
): Promise<ExportedProgram> {
  return readPath(path, options, readPt2);
}

/**
 * Reads all programs of a `.pt2` file by name, and the files beside them (`load_pt2` of
 * `torch.export.pt2_archive`). Large files and `weights: "lazy"` are as in {@link openPt2File}.
 * @throws SconceError `FILE` where the file cannot be read, and as {@link readPt2}
 */
export async function loadPt2File(
  path: string | URL,
  options: LoadPt2Options = {},
): Promise<PT2ArchiveContents> {
  return readPath(path, options, loadPt2);
}

/** Reads a file from its path, from one buffer or record by record. */
async function readPath<O extends Pick<ReadPt2Options, "weights">, T>(
  path: string | URL,
  options: O,
  read: (source: Uint8Array | RandomAccess, options: O) => Promise<T>,
): Promise<T> {
  if (options.weights === "lazy") return read(await openPath(path), options);
  return withFile(path, (file, size) =>
    read(size < ONE_BUFFER ? readRange(file, 0, size) : fileSource(file, size), options),
  );
}

/**
 * Returns the names of the programs in a `.pt2` file, in its order; the programs are not read.
 * @throws SconceError `ZIP_*` for what is not an archive, `FILE` where the file cannot be read
 */
export async function programNamesInPt2File(
  path: string | URL,
  options: NamesOptions = {},
): Promise<readonly string[]> {
  return withFile(path, (file, size) => pt2ProgramNames(fileSource(file, size), options));
}

/**
 * Opens a file for the time of `use`.
 * @throws SconceError `FILE` for what the operating system refuses
 */
async function withFile<T>(path: string | URL, use: (file: number, size: number) => Promise<T>): Promise<T> {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    return await use(file, fstatSync(file).size);
  } catch (error) {
    const cause = isSconceError(error, "SOURCE_FAILED") ? error.cause : error;
    throw cause instanceof Error && "syscall" in cause ? fileFailed(String(path), cause) : error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Namespaces of the operators that a `.pt2` file calls, found without reading its weights: to load
 * plugins before the program.
 * @throws SconceError `ZIP_*` for what is not an archive, `FILE` where the file cannot be read
 */
export async function namespacesInPt2File(
  path: string | URL,
  options: NamespacesOptions = {},
): Promise<ReadonlySet<string>> {
  return withFile(path, (file, size) => calledNamespaces(fileSource(file, size), options));
}

/**
 * Reports what PyTorch would execute or evaluate in a `.pt2` file, as `securityReport` does.
 * @throws SconceError `ZIP_*` for what is not an archive, `FILE` where the file cannot be read
 */
export async function securityReportOfFile(
  path: string | URL,
  options: SecurityOptions = {},
): Promise<SecurityReport> {
  return withFile(path, (file, size) => securityReport(fileSource(file, size), options));
}
