/** @file All parsers that the fuzzer knows. */
import type { FuzzTarget } from "./support/driver.js";
import { ARCHIVE_TARGETS } from "./targets/archives.js";
import { LANGUAGE_TARGETS } from "./targets/languages.js";
import { PROGRAM_TARGETS } from "./targets/programs.js";

/** The parsers by kind: small languages, files of programs, archives. */
export const TARGETS = [
  ...LANGUAGE_TARGETS,
  ...PROGRAM_TARGETS,
  ...ARCHIVE_TARGETS,
] as unknown as readonly FuzzTarget[];
