/** @file Where the bytes of a file come from. */
import { isSconceError, type SconceError, throwIfAborted, thrownText } from "@sconce/errors";
import { sourceChanged, sourceFailed, sourceStalled, sourceTooLarge } from "./errors.js";

/** A file that can be read in pieces: how archives larger than memory are opened. */
export interface RandomAccess {
  /** Length of the content in bytes. */
  readonly size: number;
  /**
   * Whether the source itself rejects when nothing comes for long. Its reads may then take as long
   * as they need; those of other sources are bounded by `limits.stallMilliseconds`.
   */
  readonly noticesStalls?: boolean;
  /**
   * Resolves to exactly `length` bytes; the reader may keep them, so they are not written to again.
   * The signal is raised when the bytes are not needed any more.
   */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/**
 * Anything an archive can be read from. Memory that threads share is copied first. A `Response` is
 * read to its end, and a `URL` of a server by ranges, as `openUrl` does.
 */
export type ByteSource =
  | ArrayBufferView
  | ArrayBuffer
  | SharedArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | Response
  | URL
  | RandomAccess;

/** A source whose bytes are all in memory. */
export class MemorySource implements RandomAccess {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    // A subclass such as Node's Buffer has a `slice` that does not copy; tensors must not inherit
    // that.
    this.bytes =
      bytes.constructor === Uint8Array
        ? bytes
        : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get size(): number {
    return this.bytes.byteLength;
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return Promise.resolve(this.bytes.subarray(offset, offset + length));
  }
}

/** Bounds on what a source may send. */
export interface SourceLimits {
  /** Most bytes to take from a stream. Default 4 GiB less one. */
  readonly maxStreamBytes?: number | undefined;
  /** Longest time in milliseconds that a source may send nothing. Default 60,000. */
  readonly stallMilliseconds?: number | undefined;
}

/** What bounds the reading of a source. */
export interface SourceOptions {
  readonly limits?: SourceLimits | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What `ABORTED` calls the work. @defaultValue `load` */
  readonly work?: string | undefined;
}

/** Most bytes that are taken from a stream, unless a limit says otherwise. */
export const MAX_STREAM_BYTES = 2 ** 32 - 1;

/**
 * Returns the same source for another piece of work: with another signal and other limits.
 */
export const again = (source: RandomAccess & Partial<Reopened>, options: SourceOptions): RandomAccess =>
  source.again?.(options) ?? source;

/** A source that can be read for several pieces of work, each with its own signal. */
export interface Reopened {
  again(options: SourceOptions): RandomAccess;
}

/** Waits for a source as long as it is allowed to take. */
export class Patience {
  readonly #signal: AbortSignal | undefined;
  readonly #work: string;
  readonly #longest: number;

  constructor({ limits, signal, work = "load" }: SourceOptions, noticesStalls = false) {
    this.#signal = signal;
    this.#work = work;
    this.#longest = noticesStalls ? Infinity : (limits?.stallMilliseconds ?? LONGEST_STALL);
  }

  get signal(): AbortSignal | undefined {
    return this.#signal;
  }

  /** Rejects when the promise does, when the signal is given, and when it takes too long. */
  async wait<T>(promise: PromiseLike<T> | T): Promise<T> {
    const signal = this.#signal;
    signal?.throwIfAborted();
    let stop = (): void => {};
    const given = new Promise<never>((_, reject) => {
      const abort = (): void => reject(signal!.reason as Error);
      const late = (): void => reject(sourceStalled(this.#longest));
      const timer = this.#longest <= MOST_TIMER ? setTimeout(late, this.#longest) : undefined;
      signal?.addEventListener("abort", abort);
      stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
    });
    try {
      return await Promise.race([promise, given]);
    } finally {
      stop();
    }
  }

  /**
   * Returns an error of ours as it is, others as those of the source.
   * @throws SconceError `ABORTED`: a source that the signal stopped may reject with any error
   */
  typed(error: unknown): SconceError {
    if (!isSconceError(error) || error === this.#signal?.reason) throwIfAborted(this.#signal, this.#work);
    return isSconceError(error) ? error : sourceFailed(thrownText(error), error);
  }
}

/** Milliseconds. */
const LONGEST_STALL = 60_000;
/** Longer times cannot be given to a timer. */
const MOST_TIMER = 2 ** 31 - 1;

/**
 * Reads all bytes of a stream.
 * @throws SconceError `SOURCE_TYPE`, `SOURCE_STALLED`; `tooMuch` for more than `maxBytes`
 */
export async function collect(
  stream: ReadableStream<Uint8Array>,
  patience: Patience,
  maxBytes: number,
  tooMuch: (size: number) => Error = (size) => sourceTooLarge(size, maxBytes),
): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: (Uint8Array | undefined)[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await patience.wait(nextBytes(reader));
      if (done) break;
      if (!(value instanceof Uint8Array)) throw (await import("./source-errors.js")).sourceType(value);
      size += value.byteLength;
      if (size > maxBytes) throw tooMuch(size);
      chunks.push(value);
    }
  } catch (error) {
    // The error that ends the reading is reported; one of the cancellation adds nothing.
    void reader.cancel(error).catch(() => {});
    throw error;
  }
  return joined(chunks, size);
}

/** Node's types have this name but not that of what it reads. */
type BytesReader = ReadableStreamDefaultReader<Uint8Array>;

/** Reads on over empty chunks, which hold nothing. A timer can fire between them. */
async function nextBytes(reader: BytesReader): ReturnType<BytesReader["read"]> {
  for (;;) {
    const chunk = await reader.read();
    if (chunk.done || chunk.value?.byteLength !== 0) return chunk;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** One buffer of all chunks, each released once it is copied. */
function joined(chunks: (Uint8Array | undefined)[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let i = 0, position = 0; i < chunks.length; i++) {
    bytes.set(chunks[i]!, position);
    position += chunks[i]!.byteLength;
    chunks[i] = undefined;
  }
  return bytes;
}

/** Reads a piece and checks that all of it came. @throws SconceError `SOURCE_CHANGED` */
export async function readExactly(source: RandomAccess, offset: number, length: number): Promise<Uint8Array> {
  const bytes = await source.read(offset, length);
  if (bytes.byteLength !== length) throw sourceChanged(offset, length, bytes.byteLength);
  return bytes;
}
