/** @file Responses and addresses as sources, and what is none; loaded with the first of them. */
import { platformClass } from "@sconce/errors";
import { sourceFailed, sourceTooLarge } from "./errors.js";
import { httpStatus } from "./http-errors.js";
import { openRanges } from "./http-source.js";
import {
  collect,
  MAX_STREAM_BYTES,
  MemorySource,
  type Patience,
  type RandomAccess,
  type SourceOptions,
} from "./source.js";
import { sourceType } from "./source-errors.js";

/**
 * Returns the bytes of a response, or of the file at an address.
 * @throws SconceError `SOURCE_TYPE`, `SOURCE_FAILED`, `HTTP_STATUS`, `HTTP_URL`, and as `openUrl`
 */
export async function webSource(
  source: unknown,
  patience: Patience,
  options: SourceOptions,
): Promise<RandomAccess> {
  const kind = platformClass(source);
  if (kind === "Response") return responseSource(source as Response, patience, options);
  if (kind !== "URL") throw sourceType(source);
  const url = source as URL;
  const { limits, signal } = options;
  if (url.protocol.startsWith("http") || url.protocol === "file:") return openRanges(url, { limits, signal });
  // Addresses of what the page has itself: `blob:` and `data:` have no ranges.
  return responseSource(
    await patience.wait(fetch(url, signal === undefined ? {} : { signal })),
    patience,
    options,
  );
}

async function responseSource(
  response: Response,
  patience: Patience,
  { limits }: SourceOptions,
): Promise<RandomAccess> {
  const { ok, status, url, body, bodyUsed } = response;
  if (!ok) throw httpStatus(status, shown(url));
  if (bodyUsed)
    throw sourceFailed("the body of the response was read before: give `response.clone()`, or fetch again");
  if (body === null) throw sourceFailed("the response has no body");
  const most = limits?.maxStreamBytes ?? MAX_STREAM_BYTES;
  return new MemorySource(await collect(body, patience, most, (size) => sourceTooLarge(size, most)));
}

/** Returns an address without names, passwords and keys. */
function shown(url: string): string {
  if (!url.startsWith("http")) return "the response";
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
