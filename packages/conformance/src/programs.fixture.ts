/** @file The programs that PyTorch exported, and what is checked of each. */
import { readdirSync } from "node:fs";
import { createSconce } from "@sconce/session";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { type Check, checkProgramFolder } from "./conformance/programs.js";
import { PROGRAMS } from "./fixtures.js";

const sconce = createSconce({ plugins: [corpusPlugin] });

/** The names of all programs. */
export const NAMES: readonly string[] = readdirSync(PROGRAMS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/**
 * Returns whether every run of the tests checks a program, by its place; the full suite has the
 * others.
 */
export const isSample = (_: string, at: number): boolean => at % 6 === 0;

/** Returns the checks of a program. */
export const checksOf = (name: string): Promise<Check[]> => checkProgramFolder(`${PROGRAMS}${name}`, sconce);
