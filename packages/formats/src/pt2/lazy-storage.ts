/** @file Storages whose bytes are read when they are asked for. */
import { Storage } from "@sconce/tensor";
import { storageNotLoaded } from "../lazy-errors.js";
import { SharedWork } from "../shared-work.js";

/** Where the bytes of a storage come from. */
export interface StorageSource {
  /** What the bytes are, for errors: the entry of a file. */
  readonly name: string;
  /** How many bytes there are. */
  readonly byteLength: number;
  /** Returns all bytes, checked; the storage keeps them. */
  read(signal: AbortSignal): Promise<Uint8Array>;
  /** Returns all bytes in order; the last piece comes only when the whole has been checked. */
  pieces(signal: AbortSignal | undefined): AsyncIterable<Uint8Array>;
  /** Some of the bytes: what only the whole can show is not checked. */
  range(offset: number, length: number, signal: AbortSignal | undefined): Promise<Uint8Array>;
}

/**
 * A storage that reads its bytes from a source when {@link load} asks for them. Until then every
 * access to them throws `VALUES_NOT_LOADED`: no reader takes missing bytes for zeros.
 */
export class LazyStorage extends Storage {
  readonly #source: StorageSource;
  #loaded: Uint8Array | undefined;
  #loading: SharedWork<void> | undefined;

  constructor(source: StorageSource) {
    super(NO_BYTES);
    this.#source = source;
    const get = (): Uint8Array => {
      if (this.#loaded === undefined) throw storageNotLoaded(source.name, source.byteLength);
      return this.#loaded;
    };
    // Not enumerable: comparing or printing the storage does not read its bytes.
    Object.defineProperty(this, "bytes", { get, enumerable: false });
  }

  override get byteLength(): number {
    return this.#source.byteLength;
  }

  override get isLoaded(): boolean {
    return this.#loaded !== undefined;
  }

  override async load(signal?: AbortSignal): Promise<void> {
    if (this.#loaded !== undefined) return;
    if (this.#loading === undefined || this.#loading.isStopped) {
      const started = new SharedWork((stop) =>
        this.#read(stop).finally(() => {
          // The next caller tries a failed one again.
          if (this.#loading === started) this.#loading = undefined;
        }),
      );
      this.#loading = started;
    }
    await this.#loading.wait(signal, "load");
  }

  async #read(signal: AbortSignal): Promise<void> {
    this.#loaded = await this.#source.read(signal);
  }

  override pieces(signal?: AbortSignal): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
    return this.#loaded === undefined ? this.#source.pieces(signal) : super.pieces();
  }

  override async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    if (this.#loaded !== undefined) return super.read(offset, length);
    const start = Math.max(0, Math.min(offset, this.byteLength));
    const end = Math.max(start, Math.min(offset + length, this.byteLength));
    return this.#source.range(start, end - start, signal);
  }
}

const NO_BYTES = new Uint8Array(0);
