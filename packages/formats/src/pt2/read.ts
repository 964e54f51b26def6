/** @file `.pt2` archives: `torch.export.load` without running anything that is in them. */

import { checkOptions, isSconceError, optionValue } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { otherFormatError } from "../errors.js";
import { toRandomAccess } from "../open-source.js";
import { type ByteSource, type RandomAccess, readExactly } from "../source.js";
import { ZipArchive, type ZipOptions } from "../zip/archive.js";
import { ArchiveReader } from "./archive-reader.js";
import { budgetFor, type CountedOptions, JSON_BYTES_PER_NODE } from "./assemble.js";
import {
  LIMITS,
  LOAD_PT2_OPTIONS,
  type LoadPt2Options,
  NAMES_OPTIONS,
  type NamesOptions,
  type PT2ArchiveContents,
  READ_OPTIONS,
  type ReadPt2Options,
} from "./options.js";
import { FLAT_RECORDS, MODEL } from "./schema.js";
import { watchEntries } from "./watch.js";

/**
 * Reads a program from a `.pt2` archive of torch 2.9 and later, of torch 2.8, or in the flat layout
 * of 2.1 to 2.7. Weights are views of the given bytes where these are in memory. Every entry's
 * checksum is verified; sample inputs are unpacked only when asked for.
 * @throws SconceError with a code and a place for every kind of damage: `ZIP_*`, `JSON_*`, `PT2_*`,
 * `SYM_*`, `PICKLE_*`, `UNKNOWN_OPERATOR`, `SOURCE_*`, `BUDGET_EXCEEDED`
 */
export async function readPt2(source: ByteSource, options: ReadPt2Options = {}): Promise<ExportedProgram> {
  checkOptions("readPt2", options, READ_OPTIONS);
  checkOptions("readPt2 (limits)", options.limits, LIMITS);
  checkValues(options);
  return opened(source, options, readOne);
}

/**
 * Reads all programs of an archive, and the files beside them (`load_pt2` of
 * `torch.export.pt2_archive`). Programs whose weights are one record of the file share its memory.
 * An archive of one program has the name `model`, which `torch.export.save` gives.
 * @param own what a session gives where the options leave it out
 * @throws SconceError as `readPt2`; an error in a program names its file in the archive
 */
export async function loadPt2(
  source: ByteSource,
  options: LoadPt2Options = {},
  own: LoadPt2Options = {},
): Promise<PT2ArchiveContents> {
  checkOptions("loadPt2", options, LOAD_PT2_OPTIONS);
  checkOptions("loadPt2 (limits)", options.limits, LIMITS);
  checkValues(options);
  return opened(source, { ...own, ...options }, readAll);
}

/**
 * Returns the names of the programs of an archive, in its order; nothing of the programs is read.
 * @throws SconceError `ZIP_*`, `PT2_FORMAT`, `PT2_VERSION`, `OTHER_FORMAT`, `SOURCE_*`, `ABORTED`
 */
export async function pt2ProgramNames(
  source: ByteSource,
  options: NamesOptions = {},
): Promise<readonly string[]> {
  checkOptions("pt2ProgramNames", options, NAMES_OPTIONS);
  checkOptions("pt2ProgramNames (limits)", options.limits, LIMITS);
  return opened(source, { ...options, weights: "lazy" }, async (zip, counted) => {
    if (zip.has(FLAT_RECORDS.program)) return [MODEL];
    await refuseOtherZip(zip);
    return new ArchiveReader(zip, counted).names();
  });
}

/** @throws SconceError `OPTION_VALUE` */
function checkValues(options: ReadPt2Options): void {
  const { weights, extraFiles } = options;
  if (weights !== undefined && weights !== "eager" && weights !== "lazy")
    throw optionValue("load", "weights", weights, '"eager" or "lazy"');
  if (extraFiles !== undefined && !(extraFiles instanceof Map))
    throw optionValue("load", "extraFiles", typeof extraFiles, "a Map, which receives the files");
}

/** Opens an archive, reads from it, and reports the end. */
async function opened<T>(
  source: ByteSource,
  options: ReadPt2Options,
  read: (zip: ZipArchive, options: CountedOptions) => Promise<T>,
): Promise<T> {
  const access = await toRandomAccess(source, options);
  const budget = budgetFor(options, access.size);
  const zip = await openZip(access, { budget });
  if (options.budget === undefined) budget.narrow(textSize(zip), JSON_BYTES_PER_NODE);
  const end = watchEntries(zip, options, budget);
  const result = await read(zip, { ...options, budget });
  end();
  return result;
}

async function readOne(zip: ZipArchive, options: CountedOptions): Promise<ExportedProgram> {
  if (zip.has(FLAT_RECORDS.program)) return readFlat(zip, options);
  await refuseOtherZip(zip);
  const reader = new ArchiveReader(zip, options);
  const [model, names] = [options.model ?? MODEL, await reader.names()];
  if (!names.includes(model)) throw (await import("./later.js")).noModel(model, names, reader.models);
  const program = await reader.program(model);
  const extra = options.extraFiles === undefined ? [] : await reader.extraFiles();
  await reader.checkOthers();
  // A load that fails gives nothing.
  for (const [name, bytes] of extra) options.extraFiles!.set(name, bytes);
  return program;
}

async function readFlat(zip: ZipArchive, options: CountedOptions): Promise<ExportedProgram> {
  const { readFlatArchive } = await import("./flat-layout.js");
  return readFlatArchive(zip, options);
}

async function readAll(zip: ZipArchive, options: CountedOptions): Promise<PT2ArchiveContents> {
  const extraFiles = new Map<string, Uint8Array>();
  if (zip.has(FLAT_RECORDS.program))
    return {
      exportedPrograms: new Map([[MODEL, await readFlat(zip, { ...options, extraFiles })]]),
      extraFiles,
    };
  await refuseOtherZip(zip);
  const { allPrograms } = await import("./later.js");
  return allPrograms(new ArchiveReader(zip, options), options);
}

/** Bytes of the JSON in an archive: weights are not work. */
function textSize(zip: ZipArchive): number {
  let size = 0;
  for (const name of zip.names()) if (name.endsWith(".json")) size += zip.entry(name)!.size;
  return size;
}

/** @throws SconceError `OTHER_FORMAT` for what is not a zip archive, and is known; `ZIP_*` */
async function openZip(source: RandomAccess, options: ZipOptions): Promise<ZipArchive> {
  try {
    return await ZipArchive.open(source, options);
  } catch (error) {
    // A source that failed or stalled is not read again.
    if (!isSconceError(error) || !error.code.startsWith("ZIP_")) throw error;
    const { otherFormat, START_BYTES } = await import("../other-format.js");
    const start = await readExactly(source, 0, Math.min(source.size, START_BYTES));
    const other = otherFormat(start, source.size);
    throw other === undefined ? error : otherFormatError(other, error);
  }
}

/**
 * Loads the table of formats only for archives that are not `.pt2` ones: pages that read programs
 * need not have it.
 * @throws SconceError `OTHER_FORMAT`
 */
async function refuseOtherZip(zip: ZipArchive): Promise<void> {
  const names = [...zip.names()];
  if (names.some((name) => name.endsWith("/archive_format"))) return;
  const { otherZip } = await import("../other-format.js");
  const other = otherZip(names);
  if (other !== undefined) throw otherFormatError(other);
}
