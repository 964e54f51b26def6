/** @file A zip archive over any source: entries are found, checked and unpacked one at a time. */
import type { Budget } from "@sconce/errors";
import { zipError } from "../errors.js";
import { MemorySource, type RandomAccess, readExactly } from "../source.js";
import { crc32 } from "./crc32.js";
import { readDirectory, type ZipEntry } from "./directory.js";
import { type DirectoryLocation, locateDirectory, TAIL_SIZE } from "./end-record.js";
import type { Inflate } from "./inflate.js";
import { checkDescriptor, checkLocalHeader, LOCAL_SIZE, localHeaderSize } from "./local-header.js";

/** The work that a whole file may take. */
export interface ZipOptions {
  readonly budget: Budget;
}

/** Deflate cannot do better than this. */
const LARGEST_RATIO = 1032;
/**
 * Programs deflate 10 to 60 to 1. A parsed value takes many times its text, so text that says
 * nothing is refused early.
 */
const LARGEST_JSON_RATIO = 200;
const MEBI = 2 ** 20;
const CHUNK = 8 * MEBI;
const SMALL = 65536;
/** Names and fields of PyTorch's entries fit into this, with the header before them. */
const LIKELY_HEADER = 1024;

/** Data of an entry begins here; `limit` is where the next entry or the directory begins. */
interface Span {
  readonly entry: ZipEntry;
  readonly limit: number;
}

/**
 * An open archive. The layout is checked when it is opened: entries lie one behind the other from
 * the first byte to the directory, with nothing between, before or after. Each entry's own header
 * and CRC are checked when it is read.
 */
export class ZipArchive {
  readonly source: RandomAccess;
  readonly #spans: ReadonlyMap<string, Span>;
  readonly #budget: Budget;
  /** Loaded with the first compressed entry. */
  #inflate: Inflate | undefined;
  /** Called before an entry is read: reports, pauses, or throws to stop. */
  watch: ((entry: ZipEntry) => Promise<void> | undefined) | undefined;

  private constructor(source: RandomAccess, spans: ReadonlyMap<string, Span>, options: ZipOptions) {
    this.source = source;
    this.#spans = spans;
    this.#budget = options.budget;
  }

  /** @throws SconceError a `ZIP_*` code */
  static async open(source: RandomAccess, options: ZipOptions): Promise<ZipArchive> {
    const tailOffset = Math.max(0, source.size - TAIL_SIZE);
    const tail = await options.budget.waiting(readExactly(source, tailOffset, source.size - tailOffset));
    const location = counted(locateDirectory(tail, tailOffset), options.budget);
    const directory = await options.budget.waiting(readExactly(source, location.offset, location.size));
    return new ZipArchive(source, layOut(readDirectory(directory, location), location), options);
  }

  /**
   * Returns the same for bytes in memory, at once; compressed entries are read with `inflate`.
   * @throws SconceError a `ZIP_*` code
   */
  static openSync(bytes: Uint8Array, inflate: Inflate, options: ZipOptions): ZipArchive {
    const tailOffset = Math.max(0, bytes.length - TAIL_SIZE);
    const location = counted(locateDirectory(bytes.subarray(tailOffset), tailOffset), options.budget);
    const directory = bytes.subarray(location.offset, location.offset + location.size);
    const spans = layOut(readDirectory(directory, location), location);
    const archive = new ZipArchive(new MemorySource(bytes), spans, options);
    archive.#inflate = inflate;
    return archive;
  }

  /** Names in the order of the directory, folders left out. */
  names(): Iterable<string> {
    return this.#spans.keys();
  }

  has(name: string): boolean {
    return this.#spans.has(name);
  }

  entry(name: string): ZipEntry | undefined {
    return this.#spans.get(name)?.entry;
  }

  /**
   * Returns an entry's content: a view of the source's bytes when these are in memory and the entry
   * is stored.
   * @throws SconceError `ZIP_HEADER_MISMATCH`, `ZIP_CRC`, `ZIP_BOMB`, `ZIP_DEFLATE`,
   * `SOURCE_CHANGED`
   */
  async read(name: string): Promise<Uint8Array> {
    const span = this.#span(name);
    const { entry, limit } = span;
    await this.watch?.(entry);
    if (entry.method !== 0) this.#inflate ??= (await import("./inflate.js")).inflate;
    if (this.source instanceof MemorySource || limit - entry.offset <= SMALL) {
      return this.#unpack(entry, await this.bytes(entry.offset, limit - entry.offset));
    }
    // The data are fetched by themselves so that they begin where a typed array can.
    const start = await this.#dataStart(span);
    const packed = await this.bytes(start, entry.compressedSize);
    await this.#checkRest(span, start);
    return this.#content(entry, packed);
  }

  /** Returns the same archive for another piece of work: with its own source and budget. */
  reading(source: RandomAccess, budget: Budget): ZipArchive {
    return new ZipArchive(source, this.#spans, { budget });
  }

  /**
   * Checks what an entry declares before it is read, and counts what it unpacks to.
   * @throws SconceError `ZIP_BOMB`, `BUDGET_EXCEEDED`
   */
  reserve(name: string): void {
    const { entry } = this.#span(name);
    if (entry.method !== 0) this.#requireRoom(entry);
  }

  /**
   * Where the data of an entry begin, when what stands around them has been checked.
   * @throws SconceError `ZIP_HEADER_MISMATCH`, `ZIP_HIDDEN_DATA`
   */
  async locate(name: string): Promise<number> {
    const span = this.#span(name);
    const start = await this.#dataStart(span);
    await this.#checkRest(span, start);
    return start;
  }

  /** Bytes of the file; the time of waiting for them is not work. */
  bytes(offset: number, length: number): Promise<Uint8Array> {
    return this.#budget.waiting(readExactly(this.source, offset, length));
  }

  /** {@link read} for an archive that was opened by {@link openSync}. */
  readSync(name: string): Uint8Array {
    const span = this.#span(name);
    const { bytes } = this.source as MemorySource;
    return this.#unpack(span.entry, bytes.subarray(span.entry.offset, span.limit));
  }

  /** Checks an entry without keeping its content, large ones piece by piece. */
  async check(name: string): Promise<void> {
    const span = this.#span(name);
    const { entry } = span;
    if (this.source instanceof MemorySource || entry.method !== 0 || entry.size <= CHUNK) {
      await this.read(name);
      return;
    }
    await this.watch?.(entry);
    const start = await this.#dataStart(span);
    let crc = 0;
    for (let position = 0; position < entry.size; position += CHUNK) {
      const length = Math.min(CHUNK, entry.size - position);
      crc = crc32(await this.bytes(start + position, length), crc);
    }
    compareCrc(entry, crc);
    await this.#checkRest(span, start);
  }

  async #dataStart({ entry, limit }: Span): Promise<number> {
    const length = limit - entry.offset;
    let head = await this.bytes(entry.offset, Math.min(length, LIKELY_HEADER));
    const size = localHeaderSize(head);
    if (size > head.length) head = await this.bytes(entry.offset, Math.min(length, size));
    return entry.offset + checkLocalHeader(entry, head, length);
  }

  async #checkRest({ entry, limit }: Span, start: number): Promise<void> {
    const end = start + entry.compressedSize;
    checkDescriptor(entry, await this.bytes(end, limit - end));
  }

  #span(name: string): Span {
    const span = this.#spans.get(name);
    if (span === undefined) throw zipError("ZIP_DIRECTORY", "the archive has no such entry", name);
    return span;
  }

  #unpack(entry: ZipEntry, bytes: Uint8Array): Uint8Array {
    const start = checkLocalHeader(entry, bytes, bytes.length);
    const end = start + entry.compressedSize;
    checkDescriptor(entry, bytes.subarray(end));
    return this.#content(entry, bytes.subarray(start, end));
  }

  #content(entry: ZipEntry, packed: Uint8Array): Uint8Array {
    const content = entry.method === 0 ? packed : this.#unpacked(entry, packed);
    compareCrc(entry, crc32(content));
    return content;
  }

  /** Refuses what an entry cannot unpack to, or must not. @throws SconceError `ZIP_BOMB` */
  #requireRoom({ name, size, compressedSize }: ZipEntry): void {
    if (size > compressedSize * LARGEST_RATIO + 64) {
      throw zipError("ZIP_BOMB", `${compressedSize} bytes cannot unpack to ${size}`, name);
    }
    if (name.endsWith(".json") && size > MEBI && size > compressedSize * LARGEST_JSON_RATIO) {
      throw zipError(
        "ZIP_BOMB",
        `${compressedSize} bytes of JSON that unpack to ${size} are not a program`,
        name,
      );
    }
    if (size > this.#budget.left("bytes")) {
      throw zipError(
        "ZIP_BOMB",
        `unpacking to ${size} bytes goes over the limit of ${this.#budget.left("bytes")} that are left`,
        name,
        `raise \`limits.bytes\` (now ${this.#budget.limits.bytes}) if you trust the file, or store the entry`,
      );
    }
    this.#budget.spend("bytes", size, () => name);
  }

  #unpacked(entry: ZipEntry, packed: Uint8Array): Uint8Array {
    const { name, size } = entry;
    this.#requireRoom(entry);
    let content: Uint8Array;
    try {
      content = this.#inflate!(packed, size);
    } catch (cause) {
      throw zipError("ZIP_DEFLATE", `the compressed data are damaged (${(cause as Error).message})`, name);
    }
    if (content.length !== size) {
      throw zipError(
        "ZIP_DEFLATE",
        `unpacks to ${content.length > size ? "more" : "fewer"} than the declared ${size} bytes`,
        name,
      );
    }
    return content;
  }
}

/** @throws SconceError `ZIP_CRC` */
export function compareCrc(entry: ZipEntry, crc: number): void {
  if (crc === entry.crc) return;
  const hex = (value: number): string => value.toString(16).padStart(8, "0");
  throw zipError(
    "ZIP_CRC",
    `checksum ${hex(crc)} where the archive says ${hex(entry.crc)}: the data are damaged`,
    entry.name,
  );
}

/**
 * What an entry takes, in values of JSON; with its headers and names it has more than 150 bytes.
 */
const NODES_PER_ENTRY = 16;

/** Counts the entries that the end record declares, before any is read. @throws SconceError */
function counted(location: DirectoryLocation, budget: Budget): DirectoryLocation {
  const where = (): string => "the directory of the archive";
  budget.spend("entries", location.count, where);
  budget.spend("nodes", location.count * NODES_PER_ENTRY, where);
  return location;
}

/** Orders entries by offset and checks that they tile the file. */
function layOut(entries: readonly ZipEntry[], location: DirectoryLocation): ReadonlyMap<string, Span> {
  const sorted = [...entries].sort((a, b) => a.offset - b.offset);
  const spans = new Map<ZipEntry, Span>();
  if (sorted.length > 0 && sorted[0]!.offset !== 0) {
    throw zipError("ZIP_HIDDEN_DATA", `${sorted[0]!.offset} bytes lie before the first entry`, "byte 0");
  }
  if (sorted.length === 0 && location.offset !== 0)
    throw zipError("ZIP_HIDDEN_DATA", "data without entries", "byte 0");
  sorted.forEach((entry, i) => {
    const limit = sorted[i + 1]?.offset ?? location.offset;
    if (entry.offset + LOCAL_SIZE + entry.compressedSize > limit) {
      throw zipError(
        "ZIP_OVERLAP",
        `${entry.compressedSize} bytes at ${entry.offset} reach into what begins at ${limit}`,
        entry.name,
      );
    }
    spans.set(entry, { entry, limit });
  });
  return new Map(
    entries.filter(({ name }) => !name.endsWith("/")).map((entry) => [entry.name, spans.get(entry)!]),
  );
}
