/**
 * @file The reader for those that import it with the package. Sessions import it when they first
 * read a file. Bundlers split it off only where no module in use imports its file, so the index
 * has these functions in place of it.
 */
import type { ExportedProgram } from "@sconce/ir";
import type { ByteSource } from "../source.js";
import type { LoadPt2Options, NamesOptions, PT2ArchiveContents, ReadPt2Options } from "./options.js";
import { loadPt2 as load, pt2ProgramNames as names, readPt2 as read } from "./read.js";

/**
 * Reads a program from a `.pt2` archive of torch 2.9 and later, of torch 2.8, or in the flat layout
 * of 2.1 to 2.7. Weights are views of the given bytes where these are in memory. Every entry's
 * checksum is verified; sample inputs are unpacked only when asked for.
 * @throws SconceError with a code and a place for every kind of damage: `ZIP_*`, `JSON_*`, `PT2_*`,
 * `SYM_*`, `PICKLE_*`, `UNKNOWN_OPERATOR`, `SOURCE_*`, `BUDGET_EXCEEDED`
 */
export const readPt2 = (source: ByteSource, options?: ReadPt2Options): Promise<ExportedProgram> =>
  read(source, options);

/**
 * Reads all programs of a `.pt2` archive by name, and the files beside them (`load_pt2` of
 * `torch.export.pt2_archive`). Programs whose weights are one record of the file share its memory.
 * A file of `torch.export.save` has one program, `model`.
 * @throws SconceError as {@link readPt2}
 */
export const loadPt2 = (source: ByteSource, options?: LoadPt2Options): Promise<PT2ArchiveContents> =>
  load(source, options);

/**
 * Returns the names of the programs in a `.pt2` archive, in its order; the programs are not read.
 * @throws SconceError `ZIP_*`, `PT2_FORMAT`, `PT2_VERSION`, `OTHER_FORMAT`, `SOURCE_*`, `ABORTED`
 */
export const pt2ProgramNames = (source: ByteSource, options?: NamesOptions): Promise<readonly string[]> =>
  names(source, options);
