/// <reference types="node" />
/** @file Files of the file system as byte sources. */
import { close, fstat, open, read as readCallback } from "node:fs";
import { promisify } from "node:util";
import { sourceChanged } from "./errors.js";
import type { RandomAccess } from "./source.js";

export const openFile = (path: string | URL): Promise<number> => promisify(open)(path, "r");
export const closeFile = (file: number): Promise<void> => promisify(close)(file);
export const fileSize = async (file: number): Promise<number> => (await promisify(fstat)(file)).size;

const LARGEST_READ = 2 ** 30;

/** Fills `bytes` from the file. @throws SconceError `SOURCE_CHANGED` when the file ends before */
async function fill(file: number, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const count = await readSome(file, bytes.subarray(done, done + LARGEST_READ), offset + done);
    if (count === 0) throw sourceChanged(offset, bytes.length, done);
    done += count;
  }
}

const readSome = (file: number, bytes: Uint8Array, offset: number): Promise<number> =>
  new Promise((resolve, reject) => {
    readCallback(file, bytes, 0, bytes.length, offset, (error, count) => (error ? reject(error) : resolve(count)));
  });

/** Memory that is not cleared first: all of it is overwritten. */
function allocate(length: number): Uint8Array {
  const { buffer } = Buffer.allocUnsafeSlow(length);
  return new Uint8Array(buffer, 0, length);
}

/** A file of any size, each piece read into memory of its own. */
export class PiecewiseFile implements RandomAccess {
  readonly size: number;
  readonly #file: number;

  constructor(file: number, size: number) {
    this.#file = file;
    this.size = size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = allocate(length);
    await fill(this.#file, bytes, offset);
    return bytes;
  }
}

const CHUNK = 4 * 2 ** 20;
const IN_FLIGHT = 4;

/**
 * A file on its way into one buffer, in order and in the background. A piece that has arrived, or soon will, is a view of
 * that buffer; a small piece from far ahead (the directory, the JSON) is fetched by itself.
 */
export class StreamedFile implements RandomAccess {
  readonly size: number;
  readonly #file: number;
  readonly #bytes: Uint8Array;
  readonly #chunks: Promise<void>[] = [];
  #arrived = 0;
  #stopped = false;

  constructor(file: number, size: number) {
    this.#file = file;
    this.size = size;
    this.#bytes = allocate(size);
    for (let start = 0; start < size; start += CHUNK) this.#planChunk(start);
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = offset + length;
    if (offset > (this.#arrived + IN_FLIGHT) * CHUNK && length <= CHUNK) {
      const piece = allocate(length);
      await fill(this.#file, piece, offset);
      return piece;
    }
    for (let i = Math.floor(offset / CHUNK); i * CHUNK < end; i++) await this.#chunks[i];
    return this.#bytes.subarray(offset, end);
  }

  /** Stops reading ahead, and resolves when nothing is being read any more. */
  async settled(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#chunks);
  }

  /** A chunk is read once the one that lies a few before it has arrived. */
  #planChunk(start: number): void {
    const turn = this.#chunks[this.#chunks.length - IN_FLIGHT] ?? Promise.resolve();
    const chunk = turn.then(async () => {
      if (this.#stopped) return;
      await fill(this.#file, this.#bytes.subarray(start, start + CHUNK), start);
      this.#arrived++;
    });
    // Whoever waits for the chunk learns of a failure; if nobody does, it does not matter.
    chunk.catch(() => {});
    this.#chunks.push(chunk);
  }
}
