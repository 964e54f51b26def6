/**
 * @file Where recorded calls lie: the case files of the package, and folders of the oracle's
 * recordings.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isSconceError } from "@sconce/errors";
import type { OpCase } from "./case.js";
import { badCase } from "./errors.js";
import { readLines } from "./lines.js";
import { readRecording } from "./safetensors.js";

/** The folder with one file for each family of operators. */
export const CASES_FOLDER = fileURLToPath(new URL("../../cases/", import.meta.url));

const SUFFIX = ".jsonl";

/** Recorded calls of one file. */
export interface OpCaseFile {
  /** The family, or for a recording its overload: `activation`, `silu.default`. */
  readonly name: string;
  /** The recorded calls of the file. */
  readonly cases: readonly OpCase[];
}

/**
 * Names of the families that have recorded calls, in order: `activation`, `activation-backward`,
 * ...
 */
export const caseFamilies = (): readonly string[] =>
  readdirSync(CASES_FOLDER)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();

/**
 * Reads the recorded calls of a family.
 *
 * @throws SconceError `CASE_FILE`
 */
export function readFamily(name: string): readonly OpCase[] {
  const known = families.get(name);
  if (known !== undefined) return known;
  const cases = readLines(readFileSync(join(CASES_FOLDER, `${name}${SUFFIX}`), "utf8"), `${name}${SUFFIX}`);
  families.set(name, cases);
  return cases;
}

/** What was read, for the suites of a process: 35 MB in all. */
const families = new Map<string, readonly OpCase[]>();

/** Reads all recorded calls, those of one operator together. */
export const readAllCases = (): readonly OpCase[] => caseFamilies().flatMap(readFamily);

/**
 * Opens case files and recordings: those of a folder, in order of their names, or one. A file is
 * read when its `cases` are asked for.
 *
 * @throws SconceError `CASE_FILE` for a file that is neither
 */
export function openCaseFiles(path: string): readonly OpCaseFile[] {
  if (!statSync(path).isDirectory()) return [caseFile(path)];
  return readdirSync(path)
    .filter((name) => /\.(jsonl|safetensors)$/.test(name))
    .sort()
    .map((name) => caseFile(join(path, name)));
}

function caseFile(path: string): OpCaseFile {
  const file = basename(path);
  const name = file.replace(/\.(jsonl|safetensors)$/, "");
  return {
    name,
    get cases() {
      const bytes = readFileSync(path);
      try {
        return path.endsWith(SUFFIX) ? readLines(bytes.toString("utf8"), file) : readRecording(bytes);
      } catch (error) {
        if (isSconceError(error)) throw error.at(file);
        throw badCase(`${file} does not hold operator cases: ${(error as Error).message}`, error);
      }
    },
  };
}
