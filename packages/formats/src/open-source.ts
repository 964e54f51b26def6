/** @file Any source as one that is read in pieces. */
import { isDetached, type SconceError } from "@sconce/errors";
import { sourceFailed, sourceTransferred } from "./errors.js";
import {
  type ByteSource,
  collect,
  MAX_STREAM_BYTES,
  MemorySource,
  Patience,
  type RandomAccess,
  type Reopened,
  type SourceOptions,
} from "./source.js";

/**
 * Makes any source readable in pieces. A stream is collected first, up to a limit. What the source
 * throws, and pieces that are not bytes, become typed errors; so does a source that sends nothing.
 * @throws SconceError `SOURCE_TOO_LARGE`, `SOURCE_TYPE`, `SOURCE_FAILED`, `SOURCE_STALLED`,
 * `ABORTED`
 */
export async function toRandomAccess(source: ByteSource, options: SourceOptions): Promise<RandomAccess> {
  const patience = new Patience(options);
  try {
    options.signal?.throwIfAborted();
    return await accessTo(source, patience, options);
  } catch (error) {
    throw patience.typed(error);
  }
}

async function accessTo(
  source: ByteSource,
  patience: Patience,
  options: SourceOptions,
): Promise<RandomAccess> {
  const maxStreamBytes = options.limits?.maxStreamBytes ?? MAX_STREAM_BYTES;
  const buffer = ArrayBuffer.isView(source) ? source.buffer : source;
  if (buffer instanceof ArrayBuffer && isDetached(buffer)) throw sourceTransferred();
  // Another thread may write to it after a check, and browsers do not decode text in it.
  if (isShared(buffer)) return new MemorySource(ownCopy(source as ArrayBufferView | SharedArrayBuffer));
  if (source instanceof Uint8Array) return new MemorySource(source);
  if (source instanceof ArrayBuffer) return new MemorySource(new Uint8Array(source));
  if (typeof Blob !== "undefined" && source instanceof Blob)
    return new PatientSource(blobSource(source), source.size, patience);
  if (typeof source !== "object" || source === null) throw await wrongType(source);
  if ("getReader" in source) return new MemorySource(await collect(source, patience, maxStreamBytes));
  if (ArrayBuffer.isView(source)) {
    return new MemorySource(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  }
  if (typeof (source as RandomAccess).read !== "function") {
    const { webSource } = await import("./web-source.js");
    return webSource(source, patience, options);
  }
  const { size } = source as RandomAccess;
  if (typeof size !== "number") throw await wrongType(source);
  if (!Number.isSafeInteger(size) || size < 0)
    throw sourceFailed(`its size is ${size}, not a number of bytes`);
  const { noticesStalls } = source as RandomAccess;
  const patient = noticesStalls === true ? new Patience(options, true) : patience;
  return new PatientSource(source as RandomAccess, size, patient);
}

const wrongType = async (source: unknown): Promise<SconceError> =>
  (await import("./source-errors.js")).sourceType(source);

/** Pages that are not isolated have no such class. */
const isShared = (buffer: unknown): boolean =>
  typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;

const ownCopy = (source: ArrayBufferView | SharedArrayBuffer): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice()
    : new Uint8Array(source).slice();

/** A source that may throw, stall, or give something else than bytes. */
class PatientSource implements RandomAccess, Reopened {
  readonly size: number;
  readonly #source: Pick<RandomAccess, "read" | "noticesStalls">;
  readonly #patience: Patience;

  constructor(source: Pick<RandomAccess, "read" | "noticesStalls">, size: number, patience: Patience) {
    this.#source = source;
    this.size = size;
    this.#patience = patience;
  }

  again(options: SourceOptions): PatientSource {
    const { noticesStalls } = this.#source;
    return new PatientSource(this.#source, this.size, new Patience(options, noticesStalls));
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    try {
      const { signal } = this.#patience;
      const bytes: unknown = await this.#patience.wait(this.#source.read(offset, length, signal));
      // Tensors view these bytes: a Buffer would give them its own methods.
      if (bytes instanceof Uint8Array) return new MemorySource(bytes).bytes;
      throw sourceFailed(`it gave ${kindOf(bytes)} instead of bytes`);
    } catch (error) {
      throw this.#patience.typed(error).at(`byte ${offset}`);
    }
  }
}

function blobSource(blob: Blob): RandomAccess {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}

const kindOf = (value: unknown): string =>
  value === undefined || value === null ? String(value) : `a value of type ${typeof value}`;
