/** @file Files on a server. What reads them is loaded with the first one. */
import type { OpenUrlOptions } from "./http-options.js";
import type { RandomAccess } from "./source.js";

export type { OpenUrlOptions } from "./http-options.js";

/**
 * Opens a file on a server for reading by ranges, so that a program can be looked at before its
 * weights arrive: `load(await openUrl(url), { weights: "lazy" })`. Only the beginning of the file
 * is read now. Each response is checked: its status, range and length, and that the file is still
 * the one that was opened.
 * @throws SconceError `HTTP_STATUS`, `HTTP_RANGE`, `SOURCE_FAILED`, `SOURCE_STALLED`,
 * `SOURCE_TOO_LARGE`, `ABORTED`, `OPTION_VALUE`
 */
export async function openUrl(url: string | URL, options: OpenUrlOptions = {}): Promise<RandomAccess> {
  const { openRanges } = await import("./http-source.js");
  return openRanges(url, options);
}
