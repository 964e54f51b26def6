/** @file Where operator cases lie: a folder of safetensors files, one such file, or an archive of them. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isSconceError } from "@sconce/errors";
import { unzipSync } from "fflate";
import { noCases } from "./errors.js";
import { OpCaseFile } from "./op-cases.js";

/** One file of a set, read when asked for. */
export interface OpCaseEntry {
  /** `add.Tensor.safetensors`. */
  readonly name: string;
  /** @throws SconceError `CASE_FILE` */
  read(): OpCaseFile;
}

/**
 * The files of a folder or of a zip archive whose names contain `filter`, in order of their names; or the one file.
 *
 * @throws SconceError `CASE_FILE` for a file that is neither
 */
export function openOpCases(path: string, filter = ""): readonly OpCaseEntry[] {
  const wanted = (name: string): boolean => name.endsWith(".safetensors") && name.includes(filter);
  if (statSync(path).isDirectory()) {
    const names = readdirSync(path).filter(wanted).sort();
    return names.map((name) => entry(name, () => readFileSync(join(path, name))));
  }
  if (path.endsWith(".safetensors")) return [entry(basename(path), () => readFileSync(path))];
  const files = Object.entries(
    guarded(path, () => unzipSync(readFileSync(path), { filter: ({ name }) => wanted(name) })),
  );
  return files.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, bytes]) => entry(name, () => bytes));
}

const entry = (name: string, bytes: () => Uint8Array): OpCaseEntry => ({
  name,
  read: () => guarded(name, () => new OpCaseFile(bytes())),
});

function guarded<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isSconceError(error)) throw error.at(name);
    throw noCases(name, error);
  }
}
