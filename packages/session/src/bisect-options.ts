/** @file The options of a bisection, checked. */
import { checkOptions, optionValue, userCallback } from "@sconce/errors";
import { BISECT_OPTIONS, type BisectOptions } from "@sconce/passes";

/**
 * Checks the options of `call`, which is `bisect` or `bisectAsync`. What their `onProgress` throws
 * is reported as an error of the call.
 *
 * @throws SconceError `UNKNOWN_OPTION`, `OPTION_VALUE`
 */
export function bisectOptions(call: string, options: BisectOptions): BisectOptions {
  checkOptions(call, options, BISECT_OPTIONS);
  const { maxTries } = options;
  if (maxTries !== undefined && !(Number.isSafeInteger(maxTries) && maxTries >= 1))
    throw optionValue(call, "maxTries", maxTries, "a whole number of programs, 1 or more");
  return { ...options, onProgress: userCallback(call, options.onProgress) };
}
