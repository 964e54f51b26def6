/** @file What runs in threads and runs on a queue check and find first. */
import type { BatchOptions } from "../options.js";
import { localProgram } from "../program/cached-program.js";
import type { OpenTask } from "../task.js";
import { type Retries, retriesOf, scoreOptions } from "./checked-options.js";
import { requireOutput } from "./output-folder.js";
import { findShards, type Shard } from "./shards.js";

/** A run whose options are checked. */
export interface PreparedRun {
  readonly shards: readonly Shard[];
  readonly retries: Retries;
  /** The program of all shards. */
  readonly opening: OpenTask;
}

/** Checks options, makes the output folder, and finds the shards and the program. */
export async function prepareRun(options: BatchOptions): Promise<PreparedRun> {
  const retries = retriesOf(options);
  const shards = await findShards(options);
  await requireOutput(options.output);
  const { path: program, sha256 } = await localProgram(options.program, options.cache);
  const { map, plugins = [] } = options;
  const score = await scoreOptions(options, sha256);
  return { shards, retries, opening: { options: score, program, map, plugins } };
}
