/** @file Files that commands read; the name `-` is standard input. */
import { AsyncLocalStorage } from "node:async_hooks";
import { open, readFile } from "node:fs/promises";
import { fileError } from "./errors.js";

/** The name that stands for standard input, and for standard output behind `-o`. */
export const STANDARD = "-";

type Read = () => Promise<Uint8Array>;
const standardInput = new AsyncLocalStorage<Read>();

/** Runs a command that reads `-` from here. It is read once, however often it is asked for. */
export function withStandardInput<T>(read: Read | undefined, action: () => Promise<T>): Promise<T> {
  let bytes: Promise<Uint8Array> | undefined;
  const once: Read = () => {
    bytes ??= read?.() ?? Promise.resolve(new Uint8Array());
    return bytes;
  };
  return standardInput.run(once, action);
}

/** The bytes of a file. @throws SconceError `FILE` */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return path === STANDARD ? await readStandardInput() : await readFile(path);
  } catch (error) {
    throw fileError(path, error);
  }
}

/** The first bytes of a file, at most `count`. @throws the file system's own errors */
export async function readStart(path: string, count: number): Promise<Uint8Array> {
  if (path === STANDARD) return (await readStandardInput()).subarray(0, count);
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Standard input as bytes. */
export const readStandardInput = (): Promise<Uint8Array> =>
  standardInput.getStore()?.() ?? Promise.resolve(new Uint8Array());

/** How messages call a file. */
export const fileName = (path: string): string => (path === STANDARD ? "standard input" : path);
