/** @file Files that commands read; the name `-` is standard input. */
import { AsyncLocalStorage } from "node:async_hooks";
import { open, readFile } from "node:fs/promises";
import { fileError } from "./errors.js";

/** The name that represents standard input, and for standard output behind `-o`. */
export const STANDARD = "-";

type Read = () => Promise<Uint8Array>;

/** What a command has read so far. */
interface Inputs {
  readonly standard: Read;
  /** The bytes of small files by their paths. */
  readonly files: Map<string, Uint8Array>;
}
const inputs = new AsyncLocalStorage<Inputs>();

/** Files up to here are read whole when their format is asked for. */
const SMALL = 16 * 2 ** 20;

/** Runs a command that reads `-` from here. It is read once, however often it is asked for. */
export function withStandardInput<T>(read: Read | undefined, action: () => Promise<T>): Promise<T> {
  let bytes: Promise<Uint8Array> | undefined;
  const once: Read = () => {
    bytes ??= read?.() ?? Promise.resolve(new Uint8Array());
    return bytes;
  };
  return inputs.run({ standard: once, files: new Map() }, action);
}

/** Returns the bytes of a file. @throws SconceError `FILE` */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return path === STANDARD ? await readStandardInput() : await readFile(path);
  } catch (error) {
    throw fileError(path, error);
  }
}

/**
 * Returns the first bytes of a file, at most `count`. A small file is opened this once:
 * {@link inputBytes} has its bytes from then on.
 * @throws the file system's own errors
 */
export async function readStart(path: string, count: number): Promise<Uint8Array> {
  const known = await inputBytes(path);
  if (known !== undefined) return known.subarray(0, count);
  const file = await open(path, "r");
  try {
    const files = inputs.getStore()?.files;
    const { size } = await file.stat();
    if (files !== undefined && size <= SMALL) {
      const { buffer, byteOffset, length } = await file.readFile();
      const bytes = new Uint8Array(buffer, byteOffset, length);
      files.set(path, bytes);
      return bytes.subarray(0, count);
    }
    const { buffer, bytesRead } = await file.read(new Uint8Array(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Returns the bytes of standard input, or of a small file that the command has opened already. */
export async function inputBytes(path: string): Promise<Uint8Array | undefined> {
  return path === STANDARD ? readStandardInput() : inputs.getStore()?.files.get(path);
}

/** Standard input as bytes. */
export const readStandardInput = (): Promise<Uint8Array> =>
  inputs.getStore()?.standard() ?? Promise.resolve(new Uint8Array());

/** Returns how messages call a file. */
export const fileName = (path: string): string => (path === STANDARD ? "standard input" : path);
