/** @file The programs that PyTorch exported, and what is checked of each. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createSconce } from "@sconce/session";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { type Check, checkProgramFolder } from "./conformance/programs.js";

const FOLDER = fileURLToPath(new URL("../../testing/fixtures/programs/", import.meta.url));
const sconce = createSconce({ plugins: [corpusPlugin] });

/** The names of all programs. */
export const NAMES: readonly string[] = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** Whether every run of the tests checks a program, by its place; the full suite has the others. */
export const isSample = (_: string, at: number): boolean => at % 6 === 0;

/** The checks of a program. */
export const checksOf = (name: string): Promise<Check[]> => checkProgramFolder(`${FOLDER}${name}`, sconce);
