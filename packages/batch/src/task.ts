/** @file What a thread gets to score one shard, and what it answers. Plain data. */
import type { SconceErrorJson } from "@sconce/errors";

/** What decides about the results of all shards of a run. */
export interface ScoreOptions {
  /** SHA-256 of the program file, in hexadecimal digits. */
  readonly programHash: string;
  /** The program of an archive with several. */
  readonly model?: string | undefined;
  readonly backend: string;
  readonly threads: number;
  readonly batchSize: number;
  /** SHA-256 of the module of `--map`. */
  readonly mapHash?: string | undefined;
  /** Columns of the shard that are written beside the results. */
  readonly keep: readonly string[];
}

/** A program, for a thread that opens it. */
export interface OpenTask {
  readonly options: ScoreOptions;
  /** Path of the program file. */
  readonly program: string;
  /** Path of the module of `--map`. */
  readonly map?: string | undefined;
  /** Paths of modules of plugins. */
  readonly plugins: readonly string[];
}

/** One shard, for a thread. */
export interface ShardTask extends OpenTask {
  /** Path of the shard. */
  readonly input: string;
  /** The shard, as errors and maps name it. */
  readonly name: string;
  /** Path of the file to write; its ending is the format. */
  readonly output: string;
  /** A name beside it that nothing else uses, for the content until it is whole. */
  readonly temporary: string;
}

/** A shard that is scored, or was before. */
export interface ShardResult {
  /** Whether it was written now, or was there. */
  readonly state: "written" | "skipped";
  /** Rows of the shard. */
  readonly rows: number;
  /** Time in the worker. */
  readonly milliseconds: number;
}

/** What a thread answers: errors are data, for their class does not pass between threads. */
export type ShardAnswer = ShardResult | Failed;

/** What a thread answers when it cannot do its task. */
export interface Failed {
  readonly state: "failed";
  readonly error: SconceErrorJson;
}
