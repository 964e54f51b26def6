/** @file Scores shards of a queue. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isSconceError, type SconceErrorJson } from "@sconce/errors";
import type { Job, Worker } from "bullmq";
import { badJob } from "../errors.js";
import { cachedProgram } from "../program/cached-program.js";
import { mapHash, wholeOption } from "../run/checked-options.js";
import { ScorePool } from "../run/pool.js";
import { temporaryFor } from "../run/shards.js";
import type { ShardResult, ShardTask } from "../task.js";
import { connect, loadQueue, type QueuePackages, withoutPassword } from "./connection.js";
import { checkedJob, pathBelow, programSource } from "./job.js";
import { QUEUE_NAME } from "./run-batch-on-queue.js";

/** How a worker of a queue runs. */
export interface BatchWorkerOptions {
  /** `redis://HOST:PORT`, or `rediss://HOST:PORT` for TLS. */
  readonly queue: string;
  /** The name of the queue. @defaultValue `sconce-batch` */
  readonly queueName?: string | undefined;
  /** The folder that paths of jobs are relative to. @defaultValue the current folder */
  readonly root?: string | undefined;
  /** The folder that keeps programs, by their hash. @defaultValue that of the user */
  readonly cache?: string | undefined;
  /** Shards that are scored at once, each in a thread. @defaultValue 1 */
  readonly workers?: number | undefined;
  /** The module of maps; jobs name its hash, never code. */
  readonly map?: string | undefined;
  /** Modules of plugins, which run with your rights. */
  readonly plugins?: readonly string[] | undefined;
  /** Ends the worker when the queue had no shard for so many milliseconds. @defaultValue never */
  readonly idle?: number | undefined;
  /**
   * Milliseconds of silence after which another worker takes a shard. @defaultValue 30000
   */
  readonly stalled?: number | undefined;
  /** Milliseconds to finish shards when it is stopped; others are returned. @defaultValue 20000 */
  readonly grace?: number | undefined;
  /** Stops the worker. */
  readonly signal?: AbortSignal | undefined;
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

/** A shard whose workers ended so often is set aside. */
const MOST_STALLS = 10;

/**
 * Scores shards of a queue until it is stopped: what `runBatchOnQueue` adds. Any number of workers
 * can do so, on any machines that see the files of the jobs below their root. Programs are fetched
 * once and kept by their hash. When it is stopped, the shard in work is finished, or returned to
 * the queue.
 *
 * @throws SconceError `BATCH_QUEUE`, `BATCH_PACKAGE`, `BATCH_OPTION`
 */
export async function runBatchWorker(options: BatchWorkerOptions): Promise<void> {
  const packages = await loadQueue();
  const worker = new QueueWorker(packages, options);
  await worker.run();
}

class QueueWorker {
  readonly #packages: QueuePackages;
  readonly #options: BatchWorkerOptions;
  readonly #root: string;
  readonly #pool: ScorePool;
  readonly #workers: number;
  readonly #onEvent: (event: WorkerEvent) => void;
  readonly #programs = new Map<string, Promise<string>>();
  #mapHash: string | undefined;
  #shards = 0;
  #active = 0;
  #lastWork = performance.now();
  #isReturning = false;

  constructor(packages: QueuePackages, options: BatchWorkerOptions) {
    this.#packages = packages;
    this.#options = options;
    this.#root = resolve(options.root ?? ".");
    this.#workers = wholeOption("workers", options.workers ?? 1, 1, 256);
    this.#pool = new ScorePool(this.#workers);
    this.#onEvent = options.onEvent ?? ((): void => {});
  }

  async run(): Promise<void> {
    const {
      queue,
      queueName = QUEUE_NAME,
      map,
      signal,
      stalled = 30_000,
      grace = 20_000,
      idle,
    } = this.#options;
    const warn = (message: string): void => this.#onEvent({ event: "warning", message });
    try {
      this.#mapHash = map === undefined ? undefined : await mapHash(map);
      const { redis, end } = await connect(this.#packages, queue, warn);
      const worker = new this.#packages.bullmq.Worker(queueName, (job, token) => this.#score(job, token), {
        connection: redis,
        concurrency: this.#workers,
        lockDuration: wholeOption("stalled", stalled, 1000),
        stalledInterval: stalled,
        maxStalledCount: MOST_STALLS,
        drainDelay: 1,
      });
      worker.on("error", () => {});
      this.#onEvent({ event: "ready", queue: withoutPassword(queue) });
      await this.#stopped(signal, idle);
      await this.#end(worker, grace);
      end();
    } finally {
      await this.#pool.close();
    }
    this.#onEvent({ event: "end", shards: this.#shards });
  }

  /** Resolves when the worker is stopped, or had nothing to do for a while. */
  async #stopped(signal: AbortSignal | undefined, idle: number | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
      if (idle === undefined) return;
      const look = setInterval(
        () => {
          if (this.#active > 0 || performance.now() - this.#lastWork < idle) return;
          clearInterval(look);
          resolve();
        },
        Math.max(Math.min(idle / 4, 1000), 10),
      );
    });
  }

  /** Takes no more shards; those in work are finished, and returned after a while. */
  async #end(worker: Worker, grace: number): Promise<void> {
    const closed = worker.close();
    const late = new AbortController();
    const returned = wait(grace, undefined, { signal: late.signal })
      .then(async () => {
        this.#isReturning = true;
        await this.#pool.close();
        // Without Redis nothing can be returned: the shard counts as stalled.
        await wait(RETURN_MS, undefined, { signal: late.signal });
        await worker.close(true);
      })
      .catch(() => {});
    await Promise.race([closed, returned]);
    late.abort();
  }

  async #score(job: Job, token: string | undefined): Promise<ShardResult> {
    this.#active++;
    try {
      const result = await this.#scored(job);
      if (result !== undefined) return result;
    } finally {
      this.#active--;
      this.#lastWork = performance.now();
    }
    // The thread has ended: nothing writes the shard any more.
    await job.moveToWait(token);
    const shard = String((job.data as { readonly input?: unknown }).input);
    this.#onEvent({ event: "returned", shard });
    throw new this.#packages.bullmq.WaitingError();
  }

  /** Scores a shard; undefined when the thread was ended before. */
  async #scored(job: Job): Promise<ShardResult | undefined> {
    let shard = String(job.id);
    try {
      const task = await this.#task(job.data);
      shard = task.name;
      const answer = await this.#pool.run(task);
      if (answer === undefined || this.#isReturning) return undefined;
      if (answer.state === "failed") throw this.#failure(shard, answer.error);
      this.#shards++;
      this.#onEvent({ event: "shard", shard, ...answer });
      return answer;
    } catch (error) {
      if (!isSconceError(error)) throw error;
      throw this.#failure(shard, error.at(shard).toJSON());
    }
  }

  /** Returns an error whose message has all: the queue keeps nothing else of a failure. */
  #failure(shard: string, error: SconceErrorJson): Error {
    this.#onEvent({ event: "failed", shard, error });
    const { cause: _, ...sent } = error;
    return new Error(JSON.stringify(sent));
  }

  async #task(data: unknown): Promise<ShardTask> {
    const { program, input, output, options } = checkedJob(data);
    const { map, plugins = [] } = this.#options;
    if (options.mapHash !== this.#mapHash)
      throw badJob(
        options.mapHash === undefined
          ? "the run has no --map, and this worker has"
          : "the run has another --map than this worker",
        "start workers with the --map of the run: code is never taken from a queue",
      );
    const target = await pathBelow(this.#root, output);
    return {
      options,
      program: await this.#program(program, options.programHash),
      map,
      plugins,
      input: await pathBelow(this.#root, input),
      name: input,
      output: target,
      temporary: temporaryFor(target, randomUUID()),
    };
  }

  async #program(program: string, hash: string): Promise<string> {
    const found =
      this.#programs.get(hash) ??
      programSource(this.#root, program)
        .then((source) => cachedProgram(source, hash, this.#options.cache))
        .then(({ path }) => path);
    this.#programs.set(hash, found);
    try {
      return await found;
    } catch (error) {
      this.#programs.delete(hash);
      throw error;
    }
  }
}

/** Milliseconds to return shards to the queue. */
const RETURN_MS = 5000;
