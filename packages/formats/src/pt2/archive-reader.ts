/** @file The records of a `.pt2` archive of torch 2.8 and later, and the programs that they are. */
import { throwIfAborted } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { Storage } from "@sconce/tensor";
import { pt2Error } from "../errors.js";
import type { ZipArchive } from "../zip/archive.js";
import { assemble, type CountedOptions } from "./assemble.js";
import type { ProgramDescription } from "./program.js";
import { readProgramJson } from "./program-json.js";
import type { SavedInputs } from "./sample-inputs.js";
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, RECORDS } from "./schema.js";
import { type Payload, type RecordReader, readPayload, storagesOf } from "./weights.js";

const decoder = /* @__PURE__ */ new TextDecoder();

/**
 * Reads the programs of an archive. Programs whose weights name the same record get one storage.
 */
export class ArchiveReader {
  readonly #zip: ZipArchive;
  readonly #root: string;
  readonly #options: CountedOptions;
  readonly #read = new Set<string>();
  readonly #storages = new Map<string, Storage>();

  constructor(zip: ZipArchive, options: CountedOptions) {
    this.#zip = zip;
    this.#root = rootOf(zip);
    this.#options = options;
  }

  /** The folder of the programs. */
  get models(): string {
    return this.#root + RECORDS.models;
  }

  /**
   * Returns the names of the programs, in the order of the archive.
   * @throws SconceError `PT2_FORMAT`, `PT2_VERSION`, `PT2_BYTE_ORDER`
   */
  async names(): Promise<string[]> {
    await this.#checkFormat();
    const prefix = this.models;
    return [...this.#zip.names()]
      .filter((name) => name.startsWith(prefix) && name.endsWith(".json"))
      .map((name) => name.slice(prefix.length, -".json".length));
  }

  /** Reads one program. */
  async program(model: string): Promise<ExportedProgram> {
    const file = `${RECORDS.models}${model}.json`;
    const json = await this.#need(file);
    const description = await readProgramJson(json, file, this.#options);
    const weights = await this.#payload(RECORDS.weights, `${model}_weights_config.json`, `${model}.pt`);
    const constants = await this.#payload(RECORDS.constants, `${model}_constants_config.json`, `${model}.pt`);
    const exampleInputs = await this.#sampleInputs(`${RECORDS.sampleInputs}${model}.pt`, description);
    return assemble(file, description, weights, constants, exampleInputs);
  }

  /** Returns the files that were saved beside the programs. */
  async extraFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
    const { readExtraFiles } = await import("./later.js");
    return readExtraFiles(this.#zip, this.#root + RECORDS.extra, this.#read);
  }

  /** Returns whether there are entries in a folder of the archive. */
  has(folder: string): boolean {
    return [...this.#zip.names()].some((name) => name.startsWith(this.#root + folder));
  }

  /**
   * Checks the entries that nothing has read, unless weights are read later: damage shows that the
   * file is not what was written.
   */
  async checkOthers(): Promise<void> {
    if (this.#isLazy) return;
    for (const name of this.#zip.names()) {
      if (!this.#read.has(name)) await this.#zip.check(name);
    }
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

  async #payload(folder: string, config: string, pickled: string): Promise<Payload> {
    if (this.#zip.has(this.#root + folder + pickled)) return this.#pickled(folder + pickled);
    const configBytes = await this.#need(folder + config);
    const record = this.#isLazy
      ? await this.#lazyRecords(folder)
      : storagesOf((name) => this.#find(folder + name));
    return readPayload(configBytes, folder + config, this.#options.budget, this.#once(folder, record));
  }

  /** Returns all weights in one pickle, as torch 2.8 wrote them. */
  async #pickled(record: string): Promise<Payload> {
    const saved = await import("./later.js");
    const entry = this.#root + record;
    const value =
      this.#isLazy && saved.isReadByRanges(this.#zip, entry)
        ? await saved.readLazySavedFile(this.#zip, entry, this.#options)
        : saved.readSavedFile(await this.#need(record), record, this.#options);
    return saved.payloadFromPickle(value, record);
  }

  /** Returns each record as one storage, whichever programs name it; one for each alignment. */
  #once(folder: string, record: RecordReader): RecordReader {
    return async (name, alignment) => {
      const key = `${alignment} ${folder}${name}`;
      const known = this.#storages.get(key);
      if (known !== undefined) return known;
      const storage = await record(name, alignment);
      // All tensors without values name one record of no bytes, and each is a separate tensor.
      if (storage !== undefined && storage.byteLength > 0) this.#storages.set(key, storage);
      return storage;
    };
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
}

/**
 * Returns the one folder that all entries lie in, with its slash. @throws SconceError `PT2_ROOT`
 */
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
