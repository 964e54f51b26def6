/** @file `.pt2` archives: `torch.export.load` without running anything that is in them. */

import { checkOptions, isSconceError, optionValue, throwIfAborted, visibleLine } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { otherFormatError, pt2Error } from "../errors.js";
import { toRandomAccess } from "../open-source.js";
import { type ByteSource, type RandomAccess, readExactly } from "../source.js";
import { ZipArchive, type ZipOptions } from "../zip/archive.js";
import { assemble, budgetFor, type CountedOptions, JSON_BYTES_PER_NODE } from "./assemble.js";
import { LIMITS, READ_OPTIONS, type ReadPt2Options } from "./options.js";
import type { ProgramDescription } from "./program.js";
import { readProgramJson } from "./program-json.js";
import type { SavedInputs } from "./sample-inputs.js";
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, FLAT_RECORDS, RECORDS } from "./schema.js";
import { watchEntries } from "./watch.js";
import { type Payload, type RecordReader, readPayload, storagesOf } from "./weights.js";

const decoder = /* @__PURE__ */ new TextDecoder();

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
  return readProgram(source, options);
}

/** @throws SconceError `OPTION_VALUE` */
function checkValues(options: ReadPt2Options): void {
  const { weights, extraFiles } = options;
  if (weights !== undefined && weights !== "eager" && weights !== "lazy")
    throw optionValue("load", "weights", weights, '"eager" or "lazy"');
  if (extraFiles !== undefined && !(extraFiles instanceof Map))
    throw optionValue("load", "extraFiles", typeof extraFiles, "a Map, which receives the files");
}

async function readProgram(source: ByteSource, options: ReadPt2Options): Promise<ExportedProgram> {
  const access = await toRandomAccess(source, options);
  const budget = budgetFor(options, access.size);
  const zip = await openZip(access, { budget });
  if (options.budget === undefined) budget.narrow(textSize(zip), JSON_BYTES_PER_NODE);
  const counted: CountedOptions = { ...options, budget };
  const end = watchEntries(zip, options, budget);
  const program = await readLayout(zip, counted);
  end();
  return program;
}

async function readLayout(zip: ZipArchive, options: CountedOptions): Promise<ExportedProgram> {
  if (zip.has(FLAT_RECORDS.program)) {
    const { readFlatArchive } = await import("./flat-layout.js");
    return readFlatArchive(zip, options);
  }
  await refuseOtherZip(zip);
  return new ArchiveReader(zip, options).read();
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

class ArchiveReader {
  readonly #zip: ZipArchive;
  readonly #root: string;
  readonly #options: CountedOptions;
  readonly #read = new Set<string>();

  constructor(zip: ZipArchive, options: CountedOptions) {
    this.#zip = zip;
    this.#root = rootOf(zip);
    this.#options = options;
  }

  async read(): Promise<ExportedProgram> {
    await this.#checkFormat();
    const model = this.#modelName();
    const file = `${RECORDS.models}${model}.json`;
    const json = await this.#need(file);
    const description = await readProgramJson(json, file, this.#options);
    const weights = await this.#payload(RECORDS.weights, `${model}_weights_config.json`, `${model}.pt`);
    const constants = await this.#payload(RECORDS.constants, `${model}_constants_config.json`, `${model}.pt`);
    const exampleInputs = await this.#sampleInputs(`${RECORDS.sampleInputs}${model}.pt`, description);
    const extra = await this.#extraFiles();
    if (!this.#isLazy) await this.#checkOthers();
    const program = assemble(file, description, weights, constants, exampleInputs);
    // A load that fails gives nothing.
    for (const [name, bytes] of extra) this.#options.extraFiles!.set(name, bytes);
    return program;
  }

  async #extraFiles(): Promise<Iterable<[string, Uint8Array]>> {
    if (this.#options.extraFiles === undefined) return [];
    const { readExtraFiles } = await import("./later.js");
    return readExtraFiles(this.#zip, this.#root + RECORDS.extra, this.#read);
  }

  get #isLazy(): boolean {
    return this.#options.weights === "lazy";
  }

  async #text(record: string): Promise<string | undefined> {
    const bytes = await this.#find(record);
    return bytes === undefined ? undefined : decoder.decode(bytes);
  }

  async #find(record: string): Promise<Uint8Array | undefined> {
    const name = this.#root + record;
    if (!this.#zip.has(name)) return undefined;
    throwIfAborted(this.#options.signal, "load");
    this.#read.add(name);
    return this.#zip.read(name);
  }

  async #need(record: string): Promise<Uint8Array> {
    const bytes = await this.#find(record);
    if (bytes === undefined)
      throw pt2Error("PT2_MISSING_RECORD", `the archive has no entry ${record}`, this.#root + record);
    return bytes;
  }

  async #checkFormat(): Promise<void> {
    const format = await this.#text(RECORDS.format);
    if (format !== ARCHIVE_FORMAT) {
      throw pt2Error(
        "PT2_FORMAT",
        format === undefined
          ? "a zip archive, but not a .pt2 archive (no archive_format)"
          : `archive format ${JSON.stringify(format.slice(0, 50))} instead of "pt2"`,
        this.#root + RECORDS.format,
      );
    }
    const version = await this.#text(RECORDS.version);
    if (version !== ARCHIVE_VERSION) {
      throw pt2Error(
        "PT2_VERSION",
        `archive version ${JSON.stringify(version?.slice(0, 50) ?? null)} instead of "0"`,
        this.#root + RECORDS.version,
      );
    }
    const zipVersion = (await this.#text(RECORDS.zipVersion)) ?? (await this.#text(RECORDS.zipVersionAlias));
    if (zipVersion === undefined || !/^([1-9]|10)\s*$/.test(zipVersion)) {
      throw pt2Error(
        "PT2_VERSION",
        `file format version ${JSON.stringify(zipVersion?.slice(0, 50) ?? null)} is not 1 to 10`,
        this.#root + RECORDS.zipVersion,
      );
    }
    const byteOrder = await this.#text(RECORDS.byteOrder);
    if (byteOrder !== undefined && byteOrder !== "little") {
      throw pt2Error(
        "PT2_BYTE_ORDER",
        `byte order ${JSON.stringify(byteOrder.slice(0, 50))}`,
        this.#root + RECORDS.byteOrder,
        "save the program on a little-endian machine",
      );
    }
  }

  #modelName(): string {
    const prefix = this.#root + RECORDS.models;
    const names = [...this.#zip.names()]
      .filter((name) => name.startsWith(prefix) && name.endsWith(".json"))
      .map((name) => name.slice(prefix.length, -".json".length));
    const wanted = this.#options.model ?? "model";
    if (names.includes(wanted)) return wanted;
    if (names.length === 0) throw pt2Error("PT2_NO_MODEL", "the archive holds no exported program", prefix);
    throw pt2Error(
      "PT2_NO_MODEL",
      `the archive holds no program named "${visibleLine(wanted)}"`,
      prefix,
      `give one of these as the option "model": ${names.slice(0, 10).map(visibleLine).join(", ")}`,
    );
  }

  async #payload(folder: string, config: string, pickled: string): Promise<Payload> {
    if (this.#zip.has(this.#root + folder + pickled)) return this.#pickled(folder + pickled);
    const configBytes = await this.#need(folder + config);
    const record = this.#isLazy
      ? await this.#lazyRecords(folder)
      : storagesOf((name) => this.#find(folder + name));
    return readPayload(configBytes, folder + config, this.#options.budget, record);
  }

  /** All weights in one pickle, as torch 2.8 wrote them. */
  async #pickled(record: string): Promise<Payload> {
    const saved = await import("./later.js");
    const entry = this.#root + record;
    const value =
      this.#isLazy && saved.isReadByRanges(this.#zip, entry)
        ? await saved.readLazySavedFile(this.#zip, entry, this.#options)
        : saved.readSavedFile(await this.#need(record), record, this.#options);
    return saved.payloadFromPickle(value, record);
  }

  async #lazyRecords(folder: string): Promise<RecordReader> {
    const { lazyRecord } = await import("./later.js");
    const { limits } = this.#options;
    return async (name, alignment) => {
      const entry = this.#root + folder + name;
      return this.#zip.has(entry) ? lazyRecord(this.#zip, entry, { alignment, limits }) : undefined;
    };
  }

  async #sampleInputs(record: string, description: ProgramDescription): Promise<SavedInputs | null> {
    const bytes = await this.#need(record);
    if (bytes.length === 0) return null;
    const { savedInputs } = await import("./later.js");
    return savedInputs(bytes, record, description, this.#options);
  }

  /**
   * Entries that nothing reads must be sound too: damage shows that the file is not what was
   * written.
   */
  async #checkOthers(): Promise<void> {
    for (const name of this.#zip.names()) {
      if (!this.#read.has(name)) await this.#zip.check(name);
    }
  }
}

/** The one folder that all entries lie in, with its slash. @throws SconceError `PT2_ROOT` */
function rootOf(zip: ZipArchive): string {
  let root: string | undefined;
  for (const name of zip.names()) {
    const slash = name.indexOf("/");
    if (slash < 0)
      throw pt2Error("PT2_ROOT", "the entry is not in a folder, so this is not a .pt2 archive", name);
    const folder = name.slice(0, slash + 1);
    root ??= folder;
    if (folder !== root)
      throw pt2Error("PT2_ROOT", `the archive has two root folders, ${root} and ${folder}`, name);
  }
  if (root === undefined) throw pt2Error("PT2_ROOT", "the archive is empty");
  return root;
}
