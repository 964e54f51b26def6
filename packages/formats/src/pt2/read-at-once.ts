/**
 * @file The reader for those that import it with the package. Sessions import it when they first
 * read a file. Bundlers split it off only where no module in use imports its file, so the index
 * has this function in place of it.
 */
import type { ExportedProgram } from "@sconce/ir";
import type { ByteSource } from "../source.js";
import type { ReadPt2Options } from "./options.js";
import { readPt2 as read } from "./read.js";

/**
 * Reads a program from a `.pt2` archive of torch 2.9 and later, of torch 2.8, or in the flat layout
 * of 2.1 to 2.7. Weights are views of the given bytes where these are in memory. Every entry's
 * checksum is verified; sample inputs are unpacked only when asked for.
 * @throws SconceError with a code and a place for every kind of damage: `ZIP_*`, `JSON_*`, `PT2_*`,
 * `SYM_*`, `PICKLE_*`, `UNKNOWN_OPERATOR`, `SOURCE_*`, `BUDGET_EXCEEDED`
 */
export const readPt2 = (source: ByteSource, options?: ReadPt2Options): Promise<ExportedProgram> =>
  read(source, options);
