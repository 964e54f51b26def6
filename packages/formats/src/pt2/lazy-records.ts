/** @file Records whose bytes are read when a storage asks for them. */
import { Budget, throwIfAborted } from "@sconce/errors";
import { Storage } from "@sconce/tensor";
import { again, type RandomAccess, type Reopened, type SourceOptions } from "../source.js";
import type { ZipArchive } from "../zip/archive.js";
import { aligned } from "../zip/bytes.js";
import { entryPieces, entryRange } from "../zip/parts.js";
import { LazyStorage, type StorageSource } from "./lazy-storage.js";
import type { ReadLimits } from "./options.js";

const PIECE_BYTES = 2 ** 22;

/** An entry of an archive as the source of a storage. */
class RecordSource implements StorageSource {
  readonly name: string;
  readonly byteLength: number;
  readonly #zip: ZipArchive;
  readonly #entry: string;
  readonly #alignment: number;
  readonly #limits: ReadLimits | undefined;

  constructor(zip: ZipArchive, entry: string, { alignment, limits, name = entry }: RecordOptions) {
    this.name = name;
    this.byteLength = zip.entry(entry)!.size;
    this.#zip = zip;
    this.#entry = entry;
    this.#alignment = alignment;
    this.#limits = limits;
  }

  async read(signal: AbortSignal): Promise<Uint8Array> {
    return aligned(await this.#guarded(signal, (zip) => zip.read(this.#entry)), this.#alignment);
  }

  async *pieces(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
    const pieces = entryPieces(this.#open(signal), this.#entry, PIECE_BYTES);
    for (;;) {
      const piece = await this.#guarded(signal, () => pieces.next());
      if (piece.done) return;
      yield piece.value;
    }
  }

  range(offset: number, length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    return this.#guarded(signal, (zip) => entryRange(zip, this.#entry, offset, length));
  }

  /**
   * Returns the archive with a clock that starts now; what the entry unpacks to was counted before.
   */
  #open(signal: AbortSignal | undefined): ZipArchive {
    const { stallMilliseconds, milliseconds } = this.#limits ?? {};
    const budget = new Budget(this.byteLength, { bytes: this.byteLength, milliseconds });
    return this.#zip.reading(again(this.#zip.source, { signal, limits: { stallMilliseconds } }), budget);
  }

  /** Runs a piece of reading; the reason of the signal becomes `ABORTED`. */
  async #guarded<T>(signal: AbortSignal | undefined, read: (zip: ZipArchive) => Promise<T>): Promise<T> {
    throwIfAborted(signal, "load");
    try {
      return await read(this.#open(signal));
    } catch (error) {
      throwIfAborted(signal, "load");
      throw error;
    }
  }
}

/** How a record becomes a storage. */
export interface RecordOptions {
  /** Where the bytes begin in memory. */
  readonly alignment: number;
  readonly limits: ReadLimits | undefined;
  /** What errors call the record. @defaultValue the name of the entry */
  readonly name?: string;
}

/**
 * Returns the storage of an entry, which is not read yet. What the entry declares is checked: it
 * counts on the budget of the archive.
 * @throws SconceError `ZIP_BOMB`, `BUDGET_EXCEEDED`
 */
export function lazyRecord(zip: ZipArchive, entry: string, options: RecordOptions): Storage {
  zip.reserve(entry);
  // There is nothing to wait for.
  if (zip.entry(entry)!.size === 0) return Storage.allocate(0);
  return new LazyStorage(new RecordSource(zip, entry, options));
}

/** A stored entry of an archive as a source: an archive in an archive is read by ranges. */
export class EntryAccess implements RandomAccess, Reopened {
  readonly size: number;
  readonly #zip: ZipArchive;
  readonly #entry: string;

  constructor(zip: ZipArchive, entry: string) {
    this.size = zip.entry(entry)!.size;
    this.#zip = zip;
    this.#entry = entry;
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return entryRange(this.#zip, this.#entry, offset, length);
  }

  /** Returns the same entry for another piece of work. */
  again(options: SourceOptions): EntryAccess {
    const source = again(this.#zip.source, options);
    return new EntryAccess(this.#zip.reading(source, new Budget(this.size)), this.#entry);
  }
}
