/** @file The options of reading over HTTP. */
import type { SourceLimits } from "./source.js";

/** How requests are made. */
export interface HttpOptions {
  /** Makes the requests. @defaultValue the `fetch` of the platform */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Headers of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Bounds on what the server may send. */
  readonly limits?: SourceLimits | undefined;
}

/** How a file on a server is read. */
export interface OpenUrlOptions extends HttpOptions {
  /** Stops the opening. What is read later has the signal of that reading. */
  readonly signal?: AbortSignal | undefined;
  /** Most requests at once. @defaultValue 4 */
  readonly parallel?: number | undefined;
  /**
   * What happens where the server does not serve ranges: the whole file is read into memory, or
   * it is refused with `HTTP_RANGE`. @defaultValue `read`
   */
  readonly withoutRanges?: "read" | "refuse" | undefined;
}
