/** @file Where the bytes of a file come from. */
import { sourceChanged, sourceTooLarge, sourceType } from "./errors.js";

/** A file that can be read in pieces: how archives larger than memory are opened. */
export interface RandomAccess {
  /** Length of the content in bytes. */
  readonly size: number;
  /**
   * Resolves to exactly `length` bytes; the reader may keep them, so they are not written to again.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Anything an archive can be read from. */
export type ByteSource = Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> | RandomAccess;

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

export interface SourceLimits {
  /** Most bytes to take from a stream. */
  readonly maxStreamBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes any source readable in pieces. A stream is collected first, up to a limit.
 * @throws SconceError `SOURCE_TOO_LARGE`, `SOURCE_TYPE`; whatever the stream or the signal throws
 */
export async function toRandomAccess(source: ByteSource, limits: SourceLimits): Promise<RandomAccess> {
  limits.signal?.throwIfAborted();
  if (source instanceof Uint8Array) return new MemorySource(source);
  if (source instanceof ArrayBuffer) return new MemorySource(new Uint8Array(source));
  if (typeof Blob !== "undefined" && source instanceof Blob) return blobSource(source);
  if (typeof source !== "object" || source === null) throw sourceType(source);
  if ("getReader" in source) return new MemorySource(await collect(source, limits));
  if (ArrayBuffer.isView(source)) {
    return new MemorySource(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  }
  if (
    typeof (source as RandomAccess).read === "function" &&
    typeof (source as RandomAccess).size === "number"
  ) {
    return source as RandomAccess;
  }
  throw sourceType(source);
}

function blobSource(blob: Blob): RandomAccess {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}

async function collect(stream: ReadableStream<Uint8Array>, limits: SourceLimits): Promise<Uint8Array> {
  const reader = stream.getReader();
  const abort = (): void => void reader.cancel(limits.signal?.reason);
  limits.signal?.addEventListener("abort", abort);
  const chunks: (Uint8Array | undefined)[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      limits.signal?.throwIfAborted();
      if (done) break;
      if (!(value instanceof Uint8Array)) throw sourceType(value);
      size += value.byteLength;
      if (size > limits.maxStreamBytes) {
        await reader.cancel();
        throw sourceTooLarge(size, limits.maxStreamBytes);
      }
      chunks.push(value);
    }
  } finally {
    limits.signal?.removeEventListener("abort", abort);
  }
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
