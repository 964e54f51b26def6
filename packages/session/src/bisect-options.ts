/** @file The options of a bisection, checked. */
import { userCallback } from "@sconce/errors";
import { type BisectOptions, checkBisectOptions } from "@sconce/passes";

/**
 * Checks the options of `call`, which is `bisect` or `bisectAsync`. What their `onProgress` throws
 * is reported as an error of the call.
 *
 * @throws SconceError `UNKNOWN_OPTION`, `OPTION_VALUE`
 */
export function bisectOptions(call: string, options: BisectOptions): BisectOptions {
  checkBisectOptions(call, options);
  return { ...options, onProgress: userCallback(call, options.onProgress) };
}
