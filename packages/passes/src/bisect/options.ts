/** @file The options of a bisection. */
import { checkOptions, type LongWorkOptions, type OptionNames, optionValue } from "@sconce/errors";
import { CHECK_OPTIONS, type CheckOptions } from "../checking/options.js";
import type { PassObserver } from "../manager/pass-manager.js";

/** How a bisection samples, compares and reduces. */
export interface BisectOptions extends CheckOptions {
  /** Most programs tried when shrinking; 500 when left out. */
  readonly maxTries?: number | undefined;
  /**
   * Called with the programs that were tried, and a text about the search; there may be fewer than
   * the total.
   */
  readonly onProgress?: LongWorkOptions["onProgress"];
  /** Called after each pass of the first run, which looks for the pass that fails. */
  readonly observers?: readonly PassObserver[] | undefined;
  /** Measure the time of each rewrite rule in that run. */
  readonly timeRules?: boolean | undefined;
}

/** The names of the options. */
export const BISECT_OPTIONS: OptionNames<BisectOptions> = {
  ...CHECK_OPTIONS,
  maxTries: true,
  onProgress: true,
  observers: true,
  timeRules: true,
};

/**
 * Checks the options of `call`, a bisection.
 * @throws SconceError `UNKNOWN_OPTION`, `OPTION_VALUE`
 */
export function checkBisectOptions(call: string, options: BisectOptions): void {
  checkOptions(call, options, BISECT_OPTIONS);
  const { maxTries } = options;
  if (maxTries !== undefined && !(Number.isSafeInteger(maxTries) && maxTries >= 1))
    throw optionValue(call, "maxTries", maxTries, "a whole number of programs, 1 or more");
}
