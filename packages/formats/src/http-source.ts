/** @file Files on a server, read by ranges over HTTP. */
import { checkOptions, type OptionNames, optionValue, throwIfAborted } from "@sconce/errors";
import { httpUrl, sourceMemory } from "./http-errors.js";
import type { OpenUrlOptions } from "./http-options.js";
import { RangeClient } from "./http-range.js";
import { SharedWork } from "./shared-work.js";
import { MemorySource, type RandomAccess, type SourceLimits } from "./source.js";

const OPTIONS: OptionNames<OpenUrlOptions> = {
  fetch: true,
  headers: true,
  limits: true,
  signal: true,
  parallel: true,
  withoutRanges: true,
};

const SOURCE_LIMITS: OptionNames<SourceLimits> = { maxStreamBytes: true, stallMilliseconds: true };

const KIBI = 2 ** 10;
/** The unit of small reads. */
const BLOCK = 64 * KIBI;
/** Larger reads are not kept. */
const LARGE = 1024 * KIBI;
/** Large reads are divided into requests of this size. */
const PART = 8 * KIBI * KIBI;
/** Blocks that are kept: 8 MiB. */
const MOST_BLOCKS = 128;
/** Blocks that are read ahead at most: 2 MiB. */
const MOST_AHEAD = 32;
const PARALLEL = 4;

/** See `openUrl`. */
export async function openRanges(url: string | URL, options: OpenUrlOptions = {}): Promise<RandomAccess> {
  checkOptions("openUrl", options, OPTIONS);
  checkOptions("openUrl (limits)", options.limits, SOURCE_LIMITS);
  const { parallel = PARALLEL, withoutRanges = "read", signal } = options;
  if (!Number.isSafeInteger(parallel) || parallel < 1)
    throw optionValue("openUrl", "parallel", parallel, "a whole number from 1 on");
  if (withoutRanges !== "read" && withoutRanges !== "refuse")
    throw optionValue("openUrl", "withoutRanges", withoutRanges, '"read" or "refuse"');
  const client = new RangeClient(parsed(url), options, parallel);
  const first = await client.open(BLOCK, withoutRanges === "read", signal);
  return first.isWhole ? new MemorySource(first.bytes) : new RangeSource(client, first.size, first.bytes);
}

/** @throws SconceError `HTTP_URL` */
function parsed(url: string | URL): URL {
  const base = (globalThis as { readonly location?: { readonly href?: string } }).location?.href;
  let found: URL;
  try {
    found = new URL(url, base);
  } catch {
    throw httpUrl(String(url));
  }
  if (found.protocol === "file:") throw httpUrl(found.href);
  return found;
}

/** Blocks that are being fetched with one request. */
interface Run {
  readonly first: number;
  readonly count: number;
  readonly work: SharedWork<Uint8Array>;
}

/**
 * A file that is read by ranges. Small reads are of whole blocks, which are kept for a while and
 * read ahead where reads follow each other; large ones are divided and fetched side by side.
 */
class RangeSource implements RandomAccess {
  readonly size: number;
  readonly noticesStalls = true;
  readonly #client: RangeClient;
  /** The least recently used first. */
  readonly #blocks = new Map<number, Uint8Array>();
  readonly #runs = new Map<number, Run>();
  /** Where the last request for blocks ended, and for how many the next one asks. */
  #ahead = { next: -1, count: 1 };

  constructor(client: RangeClient, size: number, start: Uint8Array) {
    this.#client = client;
    this.size = size;
    if (start.length === BLOCK || start.length === size) this.#blocks.set(0, start);
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    throwIfAborted(signal, "load");
    const end = Math.min(this.size, offset + length);
    if (end <= offset) return new Uint8Array();
    return end - offset > LARGE ? this.#large(offset, end, signal) : this.#small(offset, end, signal);
  }

  /**
   * Returns a large range. Its first part shows that the server has what it says, before there is
   * memory for all.
   */
  async #large(offset: number, end: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const first = await this.#client.range(offset, Math.min(end, offset + PART), signal);
    const bytes = allocated(end - offset);
    bytes.set(first);
    const parts: Promise<void>[] = [];
    const failed = new AbortController();
    const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
    for (let at = offset + PART; at < end; at += PART) {
      const part = this.#client.range(at, Math.min(end, at + PART), either);
      parts.push(part.then((piece) => bytes.set(piece, at - offset)));
    }
    try {
      await Promise.all(parts);
    } catch (error) {
      // The others would be read for nothing.
      failed.abort(error);
      await Promise.all(parts.map((part) => part.catch(() => {})));
      throw error;
    }
    return bytes;
  }

  async #small(offset: number, end: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const first = Math.floor(offset / BLOCK);
    const last = Math.floor((end - 1) / BLOCK);
    const bytes = new Uint8Array(end - offset);
    const waiting: Promise<void>[] = [];
    for (let block = first; block <= last; block++) {
      const put = (content: Uint8Array, at: number): void => {
        const from = Math.max(offset, at);
        const part = content.subarray(from - at, Math.max(from, end) - at);
        bytes.set(part, from - offset);
      };
      const kept = this.#blocks.get(block);
      if (kept !== undefined) {
        this.#keep(block, kept);
        put(kept, block * BLOCK);
        continue;
      }
      const run = this.#runFor(block, last);
      waiting.push(run.work.wait(signal, "load").then((content) => put(content, run.first * BLOCK)));
      block = run.first + run.count - 1;
    }
    await Promise.all(waiting);
    return bytes;
  }

  /**
   * Returns the request that fetches a block: one that is under way, or a new one up to `last` and
   * ahead.
   */
  #runFor(block: number, last: number): Run {
    const known = this.#runs.get(block);
    if (known !== undefined && !known.work.isStopped) return known;
    const follows = this.#ahead.next === block;
    const ahead = follows ? Math.min(MOST_AHEAD, this.#ahead.count * 2) : 1;
    const most = Math.ceil(this.size / BLOCK);
    let count = 1;
    while (
      (block + count <= last || count < ahead) &&
      block + count < most &&
      !this.#blocks.has(block + count) &&
      !this.#runs.has(block + count)
    )
      count++;
    const run: Run = {
      first: block,
      count,
      work: new SharedWork((signal) => this.#fetch(block, count, signal)),
    };
    for (let i = 0; i < count; i++) this.#runs.set(block + i, run);
    this.#ahead = { next: block + count, count: ahead };
    return run;
  }

  async #fetch(block: number, count: number, signal: AbortSignal): Promise<Uint8Array> {
    try {
      const end = Math.min(this.size, (block + count) * BLOCK);
      const bytes = await this.#client.range(block * BLOCK, end, signal);
      for (let i = 0; i < count; i++) this.#keep(block + i, bytes.slice(i * BLOCK, (i + 1) * BLOCK));
      return bytes;
    } finally {
      for (let i = 0; i < count; i++)
        if (this.#runs.get(block + i)?.first === block) this.#runs.delete(block + i);
    }
  }

  #keep(block: number, bytes: Uint8Array): void {
    this.#blocks.delete(block);
    this.#blocks.set(block, bytes);
    if (this.#blocks.size > MOST_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!);
  }
}

/** Memory for what a server says that it has. @throws SconceError `SOURCE_TOO_LARGE` */
function allocated(length: number): Uint8Array {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    throw sourceMemory(length, cause);
  }
}
