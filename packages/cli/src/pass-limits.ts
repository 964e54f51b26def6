/** @file `--pass-timeout` and `--pass-memory`. */
import { usage } from "./errors.js";
import type { PassRunOptions } from "./shared-options.js";

/** What a command with passes may take. */
export interface PassLimits {
  readonly milliseconds?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/** Timers take no more. */
const MOST_MILLISECONDS = 2 ** 31 - 1;
/** Node takes whole mebibytes. */
const LEAST_BYTES = 2 ** 20;

/** Returns the limits that options set; undefined for none. @throws SconceError `USAGE` */
export function passLimits({
  passTimeout,
  passMemory,
}: Pick<PassRunOptions, "passTimeout" | "passMemory">): PassLimits | undefined {
  if (passTimeout === undefined && passMemory === undefined) return undefined;
  return {
    milliseconds: numberOf("--pass-timeout", passTimeout, [1, MOST_MILLISECONDS], "30000"),
    maxBytes: numberOf("--pass-memory", passMemory, [LEAST_BYTES, Number.MAX_SAFE_INTEGER], "1000000000"),
  };
}

function numberOf(
  option: string,
  text: string | undefined,
  [least, most]: readonly [number, number],
  example: string,
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll("_", "")) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw usage(
    `${option}: ${JSON.stringify(text)} is not an integer from ${least} to ${most}`,
    `give ${option} ${example}`,
  );
}
