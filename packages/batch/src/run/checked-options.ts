/** @file The options of a run, checked, with their defaults. */
import { readFile } from "node:fs/promises";
import { badBatch, badMap } from "../errors.js";
import { sha256Of } from "../files.js";
import type { BatchOptions } from "../options.js";
import type { ScoreOptions } from "../task.js";

/** Returns a whole number of at least `least`. @throws SconceError `BATCH_OPTION` */
export function wholeOption(
  name: string,
  value: number,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw badBatch(
    `the option ${name} is ${value}`,
    `give a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? " on" : ` to ${most}`}`,
  );
}

/** Most rows of a batch. */
const MOST_ROWS = 65_536;

/** Returns what decides about results. @throws SconceError `BATCH_OPTION`, `BATCH_MAP` */
export async function scoreOptions(options: BatchOptions, programHash: string): Promise<ScoreOptions> {
  const { batchSize = 64, threads = 1, backend = "auto", model, map, keep = [] } = options;
  return {
    programHash,
    model,
    backend,
    threads: wholeOption("threads", threads, 1, 64),
    batchSize: wholeOption("batchSize", batchSize, 1, MOST_ROWS),
    mapHash: map === undefined ? undefined : await mapHash(map),
    keep,
  };
}

/** Returns the SHA-256 of a module of --map. */
export async function mapHash(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw badMap(path, "cannot be read", "check the path of the module", error);
  });
  return sha256Of(bytes);
}

/** How often shards are tried. */
export interface Retries {
  readonly attempts: number;
  /** Milliseconds. */
  readonly backoff: number;
}

/** @throws SconceError `BATCH_OPTION` */
export const retriesOf = ({ attempts = 3, backoff = 1000 }: BatchOptions): Retries => ({
  attempts: wholeOption("attempts", attempts, 1, 100),
  backoff: wholeOption("backoff", backoff, 0),
});
