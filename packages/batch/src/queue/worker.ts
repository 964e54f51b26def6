/** @file Scores shards of a queue. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { SconceErrorJson } from "@sconce/errors";
import type { Job, Worker } from "bullmq";
import { badJob, sentError } from "../errors.js";
import type { BatchWorkerOptions, WorkerEvent } from "../options.js";
import { cachedProgram } from "../program/cached-program.js";
import { mapHash, wholeOption } from "../run/checked-options.js";
import { ScorePool } from "../run/pool.js";
import { temporaryFor } from "../run/shards.js";
import type { ShardAnswer, ShardResult, ShardTask } from "../task.js";
import { connect, loadQueue, type QueuePackages, queueNameOf, withoutPassword } from "./connection.js";
import { checkedJob, pathBelow, programSource, requireRoot } from "./job.js";

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
    const { queue, map, signal, idle } = this.#options;
    const warn = (message: string): void => this.#onEvent({ event: "warning", message });
    try {
      const queueName = queueNameOf(this.#options.queueName);
      const lockDuration = wholeOption("stalled", this.#options.stalled ?? 30_000, 1000);
      const grace = wholeOption("grace", this.#options.grace ?? 20_000, 0);
      if (idle !== undefined) wholeOption("idle", idle, 0);
      await requireRoot(this.#root);
      this.#mapHash = map === undefined ? undefined : await mapHash(map);
      const { redis, end } = await connect(this.#packages, queue, warn);
      try {
        const worker = new this.#packages.bullmq.Worker(queueName, (job, token) => this.#score(job, token), {
          connection: redis,
          concurrency: this.#workers,
          lockDuration,
          stalledInterval: lockDuration,
          maxStalledCount: MOST_STALLS,
          drainDelay: 1,
        });
        worker.on("error", () => {});
        this.#onEvent({ event: "ready", queue: withoutPassword(queue) });
        await this.#stopped(signal, idle);
        await this.#end(worker, grace);
      } finally {
        end();
      }
    } finally {
      await this.#pool.close();
    }
    this.#onEvent({ event: "end", shards: this.#shards });
  }

  /** Resolves when the worker is stopped, or had nothing to do for a while. */
  async #stopped(signal: AbortSignal | undefined, idle: number | undefined): Promise<void> {
    let look: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
      if (idle === undefined) return;
      const isIdle = (): boolean => this.#active === 0 && performance.now() - this.#lastWork >= idle;
      look = setInterval(() => isIdle() && resolve(), Math.max(Math.min(idle / 4, 1000), 10));
    });
    clearInterval(look);
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
    this.#onEvent({ event: "returned", shard: shardOf(job) });
    throw new this.#packages.bullmq.WaitingError();
  }

  /** Scores a shard; undefined when the thread was ended before. */
  async #scored(job: Job): Promise<ShardResult | undefined> {
    const shard = shardOf(job);
    let answer: ShardAnswer | undefined;
    try {
      answer = await this.#pool.run(await this.#task(job.data));
    } catch (error) {
      throw this.#failure(shard, sentError(error, shard));
    }
    if (answer === undefined || this.#isReturning) return undefined;
    if (answer.state === "failed") throw this.#failure(shard, answer.error);
    this.#shards++;
    this.#onEvent({ event: "shard", shard, ...answer });
    return answer;
  }

  /** Returns an error whose message has all: the queue keeps nothing else of a failure. */
  #failure(shard: string, error: SconceErrorJson): Error {
    this.#onEvent({ event: "failed", shard, error });
    return new Error(JSON.stringify(error));
  }

  async #task(data: unknown): Promise<ShardTask> {
    const { program, input, output, options } = checkedJob(data);
    const { map, plugins = [] } = this.#options;
    if (options.mapHash !== this.#mapHash)
      throw badJob(
        options.mapHash === undefined
          ? "the run has no --map, and this worker has one"
          : `the run has ${this.#mapHash === undefined ? "a --map, and this worker has none" : "another --map than this worker"}`,
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

/** Returns the shard of a job that may not be checked. */
function shardOf({ id, data }: Job): string {
  const input = (data as { readonly input?: unknown } | undefined)?.input;
  return typeof input === "string" ? input : String(id);
}

/** Milliseconds to return shards to the queue. */
const RETURN_MS = 5000;
