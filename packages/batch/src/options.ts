/** @file Options of runs, and what runs report. */
import type { SconceErrorJson } from "@sconce/errors";
import type { ShardFormat } from "./shard-format.js";
import type { ShardResult } from "./task.js";

/** What is scored, and how. */
export interface BatchOptions {
  /** The program: a path of a `.pt2` file, or its address (`https://...`). */
  readonly program: string;
  /** Shards: paths, or patterns such as `shards/*.safetensors`. */
  readonly inputs: string | readonly string[];
  /** The folder of results: one file for each shard. */
  readonly output: string;
  /** The format of results. @defaultValue that of each shard */
  readonly format?: ShardFormat | undefined;
  /** Rows that run at once, at most. Programs of a fixed batch size have that. @defaultValue 64 */
  readonly batchSize?: number | undefined;
  /** A backend of Sconce's packages, or of a plugin. @defaultValue `auto` */
  readonly backend?: string | undefined;
  /** Threads that compute in each worker, for backends with threads. @defaultValue 1 */
  readonly threads?: number | undefined;
  /** The program of an archive with several. */
  readonly model?: string | undefined;
  /** A module that exports a {@link BatchMap} as `default` or as `map`. */
  readonly map?: string | undefined;
  /** Modules of plugins, which run with your rights. */
  readonly plugins?: readonly string[] | undefined;
  /** Columns of the shards that are written beside the results. */
  readonly keep?: readonly string[] | undefined;
  /** Times that a shard is tried before it is set aside. @defaultValue 3 */
  readonly attempts?: number | undefined;
  /**
   * Milliseconds before the second attempt; each later wait is twice as long. @defaultValue 1000
   */
  readonly backoff?: number | undefined;
  /** The folder that keeps programs of addresses and of queues. @defaultValue that of the user */
  readonly cache?: string | undefined;
  /** `[i, n]`: scores only each n-th shard, from the i-th on, which counts from 0. */
  readonly part?: readonly [index: number, count: number] | undefined;
  /** Stops the run. Shards that are scored are finished: `grace` bounds it without a queue. */
  readonly signal?: AbortSignal | undefined;
  /** Receives what happens. */
  readonly onEvent?: ((event: BatchEvent) => void) | undefined;
}

/** Options of a run in threads of this machine. */
export interface RunBatchOptions extends BatchOptions {
  /** Worker threads. @defaultValue as many as the machine runs at once */
  readonly workers?: number | undefined;
  /** Milliseconds that a stopped run waits for shards. @defaultValue 20000 */
  readonly grace?: number | undefined;
}

/** The queue of a run and of its workers. */
export interface QueueOptions {
  /** `redis://HOST:PORT`, or `rediss://HOST:PORT` for TLS. */
  readonly queue: string;
  /** The name of the queue. @defaultValue `sconce-batch` */
  readonly queueName?: string | undefined;
  /**
   * The folder that paths of jobs are relative to; it may lie elsewhere on each machine.
   * @defaultValue the current folder
   */
  readonly root?: string | undefined;
}

/** Options of a run on a queue. */
export interface QueueBatchOptions extends BatchOptions, QueueOptions {}

/** How a worker of a queue runs. Jobs name the hash of the map, never code. */
export interface BatchWorkerOptions
  extends QueueOptions,
    Pick<BatchOptions, "cache" | "map" | "plugins" | "signal"> {
  /** Shards that are scored at once, each in a thread. @defaultValue 1 */
  readonly workers?: number | undefined;
  /** Ends the worker when the queue had no shard for so many milliseconds. @defaultValue never */
  readonly idle?: number | undefined;
  /**
   * Milliseconds of silence after which another worker takes a shard. @defaultValue 30000
   */
  readonly stalled?: number | undefined;
  /** Milliseconds to finish shards when it is stopped; others are returned. @defaultValue 20000 */
  readonly grace?: number | undefined;
  /** Receives what happens. */
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

/** What happens in a worker of a queue. */
export type WorkerEvent =
  | { readonly event: "ready"; readonly queue: string }
  | ({ readonly event: "shard"; readonly shard: string } & ShardResult)
  | { readonly event: "failed"; readonly shard: string; readonly error: SconceErrorJson }
  | { readonly event: "returned"; readonly shard: string }
  | { readonly event: "warning"; readonly message: string }
  | { readonly event: "end"; readonly shards: number };

/** How far a run is. */
export interface BatchProgress {
  /** Shards of the run. */
  readonly shards: number;
  /** Shards that are written, skipped or set aside. */
  readonly done: number;
  /** Rows that this run scored. */
  readonly rows: number;
  /** Of the time since the start. */
  readonly rowsPerSecond: number;
  /** An estimate; undefined before the first shard is scored. */
  readonly secondsLeft: number | undefined;
}

/** A shard that is set aside. */
export interface SetAside {
  /** The path of the input. */
  readonly shard: string;
  /** How often it was tried. */
  readonly attempts: number;
  /** The last failure. */
  readonly error: SconceErrorJson;
}

/** What happens in a run. `shard` is the path of an input as the run names it. */
export type BatchEvent =
  | { readonly event: "start"; readonly shards: number; readonly program: string; readonly sha256: string }
  | {
      readonly event: "shard";
      readonly shard: string;
      readonly output: string;
      readonly state: "written" | "skipped";
      readonly rows: number;
      readonly milliseconds: number;
      readonly progress: BatchProgress;
    }
  | {
      readonly event: "retry";
      readonly shard: string;
      readonly attempt: number;
      readonly error: SconceErrorJson;
    }
  | ({ readonly event: "set-aside"; readonly progress: BatchProgress } & SetAside)
  | { readonly event: "warning"; readonly message: string }
  | ({ readonly event: "end" } & BatchReport);

/** What a run did. */
export interface BatchReport {
  /** Shards of the run. */
  readonly shards: number;
  /** Shards that this run wrote. */
  readonly written: number;
  /** Shards whose results were there. */
  readonly skipped: number;
  /** Shards that failed, with their errors. */
  readonly setAside: readonly SetAside[];
  /** Rows that this run scored. */
  readonly rows: number;
  /** Time of the run. */
  readonly milliseconds: number;
  /** Whether the run was stopped before its end. */
  readonly stopped: boolean;
}
