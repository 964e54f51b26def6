/** @file Requests for ranges of a file on a server, and the checks of the responses. */
import { isSconceError, throwIfAborted, thrownText } from "@sconce/errors";
import { sourceChanged, sourceTooLarge } from "./errors.js";
import { httpChanged, httpFailed, httpRange, httpStatus } from "./http-errors.js";
import type { HttpOptions } from "./http-options.js";
import { collect, MAX_STREAM_BYTES, Patience } from "./source.js";

/** What the first response shows. */
interface Opened {
  readonly size: number;
  readonly bytes: Uint8Array;
  /** Whether the bytes are the whole file, because the server serves no ranges. */
  readonly isWhole: boolean;
}

/** Which version of the file a response is of. */
interface Version {
  readonly etag: string | null;
  readonly modified: string | null;
}

/** Makes requests for ranges, a limited number at once. */
export class RangeClient {
  readonly #url: URL;
  readonly #options: HttpOptions;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #size: number | undefined;
  #version: Version | undefined;

  constructor(url: URL, options: HttpOptions, parallel: number) {
    this.#url = url;
    this.#options = options;
    this.#free = parallel;
  }

  /** The address for errors: without names, passwords and keys. */
  get #shown(): string {
    return this.#url.protocol.startsWith("http") ? this.#url.origin + this.#url.pathname : this.#url.protocol;
  }

  /** Asks for the first bytes, which shows the size and whether the server serves ranges. */
  async open(length: number, mayReadAll: boolean, signal: AbortSignal | undefined): Promise<Opened> {
    return this.#request(0, length, signal, async (response, reading) => {
      const { status } = response;
      this.#version = versionOf(response);
      if (status === 416 && sizeOf(response.headers.get("content-range")) === 0)
        return { size: 0, bytes: new Uint8Array(), isWhole: true };
      if (status === 206) {
        const { start, end, size } = this.#rangeOf(response);
        if (size === undefined || start !== 0 || end !== Math.min(length, size))
          throw httpRange(
            `bytes 0-${length - 1} were asked for, and ${rangeText(response)} came`,
            this.#shown,
          );
        this.#size = size;
        return { size, bytes: await reading.exactly(end, 0), isWhole: false };
      }
      if (status !== 200) throw httpStatus(status, this.#shown);
      if (!mayReadAll) throw httpRange("the server does not serve ranges of the file", this.#shown);
      const bytes = await reading.all(this.#options.limits?.maxStreamBytes ?? MAX_STREAM_BYTES);
      return { size: bytes.length, bytes, isWhole: true };
    });
  }

  /**
   * Returns the bytes from `start` up to `end`.
   * @throws SconceError `HTTP_STATUS`, `HTTP_RANGE`, `SOURCE_CHANGED`, `SOURCE_FAILED`,
   * `SOURCE_STALLED`, `ABORTED`
   */
  async range(start: number, end: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    return this.#request(start, end, signal, async (response, reading) => {
      const { status } = response;
      const size = status === 416 ? sizeOf(response.headers.get("content-range")) : undefined;
      if (size !== undefined && size !== this.#size)
        throw httpChanged(`it has ${size} bytes now`, this.#shown);
      this.#requireSame(response);
      if (status === 200) throw httpRange("the server no longer serves ranges of the file", this.#shown);
      if (status !== 206) throw httpStatus(status, this.#shown);
      const range = this.#rangeOf(response);
      if (range.size !== undefined && range.size !== this.#size)
        throw httpChanged(`it has ${range.size} bytes now`, this.#shown);
      if (range.start !== start || range.end !== end)
        throw httpRange(
          `bytes ${start}-${end - 1} were asked for, and ${rangeText(response)} came`,
          this.#shown,
        );
      return reading.exactly(end - start, start);
    });
  }

  #requireSame(response: Response): void {
    if (!response.ok) return;
    const now = versionOf(response);
    const { etag, modified } = this.#version ?? now;
    if (etag !== now.etag) throw httpChanged("its ETag is another one", this.#shown);
    if (modified !== now.modified) throw httpChanged("it was modified", this.#shown);
  }

  /** @throws SconceError `HTTP_RANGE` */
  #rangeOf(response: Response): { start: number; end: number; size: number | undefined } {
    const encoding = response.headers.get("content-encoding");
    if (encoding !== null && encoding !== "identity")
      throw httpRange(`the server sent the range in the encoding ${encoding}`, this.#shown);
    const parts = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/.exec(
      response.headers.get("content-range") ?? "",
    );
    if (parts === null) throw httpRange(`the response has ${rangeText(response)}`, this.#shown);
    const size = parts[3] === "*" ? undefined : Number(parts[3]);
    return { start: Number(parts[1]), end: Number(parts[2]) + 1, size };
  }

  async #request<T>(
    start: number,
    end: number,
    signal: AbortSignal | undefined,
    use: (response: Response, reading: BodyReading) => Promise<T>,
  ): Promise<T> {
    throwIfAborted(signal, "load");
    await this.#place();
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal?.reason);
    signal?.addEventListener("abort", abort);
    const patience = new Patience({ limits: this.#options.limits });
    try {
      throwIfAborted(signal, "load");
      const { fetch = globalThis.fetch, headers } = this.#options;
      const request = { headers: new Headers(headers), signal: stop.signal };
      request.headers.set("range", `bytes=${start}-${end - 1}`);
      const response = await patience.wait(fetch(this.#url, request));
      return await use(response, new BodyReading(response, patience));
    } catch (error) {
      throwIfAborted(signal, "load");
      throw isSconceError(error) ? error.at(this.#shown) : httpFailed(thrownText(error), this.#shown, error);
    } finally {
      signal?.removeEventListener("abort", abort);
      // Ends what is still coming: a body that was not read, or a response that came too late.
      stop.abort();
      this.#next();
    }
  }

  /** Resolves when fewer requests are under way than may be. */
  #place(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

/** Reads the body of a response, never more than was asked for. */
class BodyReading {
  readonly #response: Response;
  readonly #patience: Patience;

  constructor(response: Response, patience: Patience) {
    this.#response = response;
    this.#patience = patience;
  }

  /** @throws SconceError `HTTP_RANGE` for more bytes, `SOURCE_CHANGED` for fewer */
  async exactly(length: number, offset: number): Promise<Uint8Array> {
    const bytes = await this.#collect(length, (size) =>
      httpRange(`the server sent ${size} bytes and more of a range of ${length}`, ""),
    );
    if (bytes.length !== length) throw sourceChanged(offset, length, bytes.length);
    return bytes;
  }

  /** @throws SconceError `SOURCE_TOO_LARGE`, `SOURCE_CHANGED` for fewer bytes than announced */
  async all(most: number): Promise<Uint8Array> {
    const { headers } = this.#response;
    const announced = headers.get("content-encoding") === null ? headers.get("content-length") : null;
    if (announced !== null && Number(announced) > most) throw sourceTooLarge(Number(announced), most);
    const bytes = await this.#collect(most);
    if (announced !== null && bytes.length !== Number(announced))
      throw sourceChanged(0, Number(announced), bytes.length);
    return bytes;
  }

  async #collect(most: number, tooMuch?: (size: number) => Error): Promise<Uint8Array> {
    const { body } = this.#response;
    return body === null ? new Uint8Array() : collect(body, this.#patience, most, tooMuch);
  }
}

const versionOf = ({ headers }: Response): Version => ({
  etag: headers.get("etag"),
  modified: headers.get("last-modified"),
});

/** Returns the size in `bytes * /100`, which says that a range lies outside. */
function sizeOf(range: string | null): number | undefined {
  const size = /^bytes \*\/(\d{1,16})$/.exec(range ?? "")?.[1];
  return size === undefined ? undefined : Number(size);
}

/** Returns what a response says of its range, shortened. */
const rangeText = ({ headers }: Response): string => {
  const range = headers.get("content-range");
  return range === null ? "no Content-Range" : `the range ${JSON.stringify(range.slice(0, 100))}`;
};
