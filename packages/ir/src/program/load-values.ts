/** @file Reads state that is still in its file. */
import {
  checkOptions,
  LONG_WORK,
  type LongWorkOptions,
  type OptionNames,
  optionValue,
  ProgressReport,
  throwIfAborted,
  userCallback,
} from "@sconce/errors";
import type { Storage } from "@sconce/tensor";
import { unknownState } from "./errors.js";
import type { ExportedProgram } from "./program.js";
import { requireProgram } from "./require-program.js";

/** Which values are read, and how to stop. Progress counts bytes. */
export interface LoadValuesOptions extends LongWorkOptions {
  /** Names in `stateDict` and `constants`. @defaultValue all */
  readonly names?: Iterable<string> | undefined;
  /** Most tensors that are read at once. @defaultValue 4 */
  readonly parallel?: number | undefined;
}

const OPTIONS: OptionNames<LoadValuesOptions> = { names: true, parallel: true, ...LONG_WORK };
const PARALLEL = 4;

/**
 * Reads the values of a program that was loaded with `weights: "lazy"` into memory: all that are
 * not there yet, or those of some tensors. Checksums are compared. Tensors that share memory are
 * read once, also by several calls at the same time. What was read stays when a later one fails.
 * @throws SconceError `ABORTED`, `UNKNOWN_STATE`, and what reading the file throws: `ZIP_CRC`,
 * `SOURCE_*`, `HTTP_*`
 */
export async function loadValues(program: ExportedProgram, options: LoadValuesOptions = {}): Promise<void> {
  requireProgram(program, "loadValues");
  checkOptions("loadValues", options, OPTIONS);
  const { signal, parallel = PARALLEL } = options;
  if (!Number.isSafeInteger(parallel) || parallel < 1)
    throw optionValue("loadValues", "parallel", parallel, "a whole number from 1 on");
  throwIfAborted(signal, "load");
  const waiting = [...missingStorages(program, options.names)];
  if (waiting.length === 0) return;
  const total = waiting.reduce((bytes, [{ byteLength }]) => bytes + byteLength, 0);
  const progress = new ProgressReport("load", userCallback("loadValues", options.onProgress), total);
  const failed = new AbortController();
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  let [done, next] = [0, 0];
  async function readNext(): Promise<void> {
    while (next < waiting.length) {
      const [storage, name] = waiting[next++]!;
      progress.at(done, name);
      await storage.load(either);
      done += storage.byteLength;
    }
  }
  const readers = Array.from({ length: Math.min(parallel, waiting.length) }, readNext);
  try {
    await Promise.all(readers);
  } catch (error) {
    failed.abort(error);
    await Promise.all(readers.map((reader) => reader.catch(() => {})));
    throw error;
  }
  progress.end();
}

/** Storages that are not in memory, each once, with the first name of it. */
function missingStorages(
  program: ExportedProgram,
  names: Iterable<string> | undefined,
): Map<Storage, string> {
  const { stateDict, constants } = program;
  const missing = new Map<Storage, string>();
  for (const name of names ?? [...stateDict.keys(), ...constants.keys()]) {
    const storage = program.tensor(name)?.storage;
    if (storage === undefined) throw unknownState([name], [...stateDict.keys(), ...constants.keys()]);
    if (!storage.isLoaded && !missing.has(storage)) missing.set(storage, name);
  }
  return missing;
}
