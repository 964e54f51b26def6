/** @file Where operator cases lie: a folder of safetensors files, or one archive of them. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { OpCaseFile } from "./op-cases.js";

/** One file of a set, read when asked for. */
export interface OpCaseEntry {
  /** `add.Tensor.safetensors`. */
  readonly name: string;
  read(): OpCaseFile;
}

/** The files of a folder or of a zip archive whose names contain `filter`, in order of their names. */
export function openOpCases(path: string, filter = ""): readonly OpCaseEntry[] {
  const wanted = (name: string): boolean => name.endsWith(".safetensors") && name.includes(filter);
  const found = statSync(path).isDirectory() ? folderEntries(path, wanted) : archiveEntries(path, wanted);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

type Wanted = (name: string) => boolean;

const folderEntries = (path: string, wanted: Wanted): OpCaseEntry[] =>
  readdirSync(path)
    .filter(wanted)
    .map((name) => ({ name, read: () => new OpCaseFile(readFileSync(join(path, name))) }));

const archiveEntries = (path: string, wanted: Wanted): OpCaseEntry[] =>
  Object.entries(unzipSync(readFileSync(path), { filter: ({ name }) => wanted(name) })).map(
    ([name, bytes]) => ({ name, read: () => new OpCaseFile(bytes) }),
  );
