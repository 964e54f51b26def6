/** @file Adds shards to a queue, and waits until workers have scored them. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { VERSION } from "@sconce/errors";
import type { Job, Queue } from "bullmq";
import { errorOf, stalledTooOften } from "../errors.js";
import type { BatchEvent, BatchOptions, BatchReport } from "../options.js";
import { isUrl, localProgram } from "../program/cached-program.js";
import { type Retries, retriesOf, scoreOptions } from "../run/checked-options.js";
import { removeTemporaries } from "../run/clean.js";
import { RunMeter } from "../run/meter.js";
import { requireOutput } from "../run/output-folder.js";
import { ScorePool } from "../run/pool.js";
import { findShards, type Shard } from "../run/shards.js";
import type { ShardResult } from "../task.js";
import { connect, loadQueue } from "./connection.js";
import { jobPath, type ShardJob } from "./job.js";

/** Options of a run on a queue. */
export interface QueueBatchOptions extends BatchOptions {
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

/** The queue of runs that name none. */
export const QUEUE_NAME = "sconce-batch";

/**
 * Scores the rows of shards as {@link runBatch} does, by workers on any machines
 * ({@link runBatchWorker}). It returns when every shard is written or set aside. A run that is
 * started again goes on: shards that wait or are scored are not added twice.
 *
 * @throws SconceError `BATCH_QUEUE`, `BATCH_PACKAGE`, and those of {@link runBatch}
 */
export async function runBatchOnQueue(options: QueueBatchOptions): Promise<BatchReport> {
  const retries = retriesOf(options);
  const shards = await findShards(options);
  await requireOutput(options.output);
  const program = await localProgram(options.program, options.cache);
  const score = await scoreOptions(options, program.sha256);
  const root = resolve(options.root ?? ".");
  const { map, plugins = [] } = options;
  const jobs = shards.map(
    ({ name, output }): ShardJob => ({
      version: VERSION,
      program: isUrl(options.program) ? options.program : jobPath(root, options.program),
      input: jobPath(root, name),
      output: jobPath(root, output),
      options: score,
    }),
  );
  await openFirst({ options: score, program: program.path, map, plugins });
  const onEvent = options.onEvent ?? ((): void => {});
  onEvent({ event: "start", shards: shards.length, program: options.program, sha256: program.sha256 });
  const run = new QueueRun(shards, jobs, retries, onEvent);
  const report = await run.finish(options.queue, options.queueName ?? QUEUE_NAME, options.signal);
  onEvent({ event: "end", ...report });
  return report;
}

/** Finds what is wrong with the program before any worker does. */
async function openFirst(task: Parameters<ScorePool["open"]>[0]): Promise<void> {
  const pool = new ScorePool(1);
  try {
    await pool.open(task);
  } finally {
    await pool.close();
  }
}

/** Jobs that are added or asked for at once. */
const MOST_AT_ONCE = 1000;
/** Milliseconds between two looks at jobs whose events may be lost. */
const LOOK_MS = 3000;
/** Seconds that finished jobs are kept when no command waits for them. */
const KEPT_SECONDS = 7 * 24 * 3600;
/** Events that Redis keeps; a run that falls behind looks at the jobs. */
const MOST_EVENTS = 100_000;

const idOf = (job: ShardJob): string => createHash("sha256").update(JSON.stringify(job)).digest("hex");

class QueueRun {
  readonly #shards: readonly Shard[];
  readonly #retries: Retries;
  readonly #onEvent: (event: BatchEvent) => void;
  readonly #meter: RunMeter;
  /** Shards that are not done, by the id of their job. */
  readonly #pending: Map<string, { readonly shard: Shard; readonly job: ShardJob }>;
  #finished: () => void = () => {};

  constructor(
    shards: readonly Shard[],
    jobs: readonly ShardJob[],
    retries: Retries,
    onEvent: (event: BatchEvent) => void,
  ) {
    this.#shards = shards;
    this.#retries = retries;
    this.#onEvent = onEvent;
    this.#meter = new RunMeter(shards.length);
    this.#pending = new Map(jobs.map((job, i) => [idOf(job), { shard: shards[i]!, job }]));
  }

  async finish(address: string, name: string, signal: AbortSignal | undefined): Promise<BatchReport> {
    const packages = await loadQueue();
    const warn = (message: string): void => this.#onEvent({ event: "warning", message });
    const { redis, end } = await connect(packages, address, warn);
    const { Queue, QueueEvents } = packages.bullmq;
    const queue = new Queue(name, {
      connection: redis,
      streams: { events: { maxLen: MOST_EVENTS } },
    });
    queue.on("error", () => {});
    const [last] = (await redis.call("xrevrange", queue.keys["events"]!, "+", "-", "count", "1")) as [
      string,
      unknown,
    ][];
    const events = new QueueEvents(name, { connection: redis, lastEventId: last?.[0] ?? "0-0" });
    events.on("error", () => {});
    const ids = [...this.#pending.keys()];
    const ended = new Promise<void>((resolve) => {
      this.#finished = resolve;
      if (this.#pending.size === 0) resolve();
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    const look = setInterval(() => void this.#look(queue).catch(() => {}), LOOK_MS);
    try {
      this.#listen(events, queue);
      await this.#add(queue, ids);
      await ended;
    } finally {
      clearInterval(look);
      await this.#removeJobs(queue, ids).catch(() => {});
      await events.close().catch(() => {});
      await queue.close().catch(() => {});
      end();
    }
    if (this.#meter.isWhole) await removeTemporaries(this.#shards);
    return this.#meter.report();
  }

  /** Adds jobs; those that wait or are scored since an earlier run stay. */
  async #add(queue: Queue, ids: readonly string[]): Promise<void> {
    for (const part of inParts(ids)) {
      const states = await Promise.all(part.map((id) => queue.getJobState(id)));
      const old = part.filter((_, i) => states[i] === "completed" || states[i] === "failed");
      await Promise.all(old.map((id) => queue.remove(id)));
      const { attempts, backoff } = this.#retries;
      await queue.addBulk(
        part.flatMap((id) => {
          const pending = this.#pending.get(id);
          if (pending === undefined) return [];
          const opts = {
            jobId: id,
            attempts,
            backoff: { type: "exponential", delay: backoff },
            removeOnComplete: { age: KEPT_SECONDS },
            removeOnFail: { age: KEPT_SECONDS },
            stackTraceLimit: 1,
          };
          return [{ name: "shard", data: pending.job, opts }];
        }),
      );
    }
  }

  #listen(events: import("bullmq").QueueEvents, queue: Queue): void {
    events.on("completed", ({ jobId, returnvalue }) =>
      this.#done(jobId, returnvalue as unknown as ShardResult),
    );
    events.on("failed", ({ jobId }) => void this.#ask(queue, jobId));
    events.on("delayed", ({ jobId }) => void this.#retried(queue, jobId));
    events.on("stalled", ({ jobId }) => {
      const shard = this.#pending.get(jobId)?.shard.name;
      if (shard !== undefined)
        this.#onEvent({ event: "warning", message: `${shard}: its worker is silent, another one takes it` });
    });
  }

  #done(id: string, { state, rows, milliseconds }: ShardResult): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    const { name: shard, output } = pending.shard;
    this.#meter.add(state, rows);
    this.#onEvent({
      event: "shard",
      shard,
      output,
      state,
      rows,
      milliseconds,
      progress: this.#meter.progress(),
    });
    if (this.#pending.size === 0) this.#finished();
  }

  #failed(job: Job): void {
    const pending = this.#pending.get(job.id!);
    if (pending === undefined) return;
    this.#pending.delete(job.id!);
    const shard = pending.shard.name;
    const attempts = job.attemptsMade;
    const error = failureOf(job.failedReason).at(shard).toJSON();
    this.#meter.setAside.push({ shard, attempts, error });
    this.#onEvent({ event: "set-aside", shard, attempts, error, progress: this.#meter.progress() });
    if (this.#pending.size === 0) this.#finished();
  }

  async #retried(queue: Queue, id: string): Promise<void> {
    const shard = this.#pending.get(id)?.shard.name;
    const job = shard === undefined ? undefined : await queue.getJob(id).catch(() => undefined);
    if (shard === undefined || !job?.failedReason) return;
    this.#onEvent({
      event: "retry",
      shard,
      attempt: job.attemptsMade,
      error: failureOf(job.failedReason).at(shard).toJSON(),
    });
  }

  /** Asks for the state of a job, and adds it again where Redis has lost it. */
  async #ask(queue: Queue, id: string): Promise<void> {
    const state = await queue.getJobState(id);
    if (state === "unknown" && this.#pending.has(id)) await this.#add(queue, [id]);
    if (state !== "completed" && state !== "failed") return;
    const job = (await queue.getJob(id)) as Job | undefined;
    if (job !== undefined && state === "completed") this.#done(id, job.returnvalue as ShardResult);
    if (job !== undefined && state === "failed") this.#failed(job);
  }

  /** Looks at the jobs that wait longest for an event, some at a time. */
  async #look(queue: Queue): Promise<void> {
    const ids = [...this.#pending.keys()].slice(0, MOST_AT_ONCE);
    await Promise.all(ids.map((id) => this.#ask(queue, id)));
    for (const id of ids) {
      const pending = this.#pending.get(id);
      if (pending === undefined) continue;
      this.#pending.delete(id);
      this.#pending.set(id, pending);
    }
  }

  /** Removes the jobs of the run; shards that are scored now go on, and are skipped next time. */
  async #removeJobs(queue: Queue, ids: readonly string[]): Promise<void> {
    for (const part of inParts(ids)) await Promise.all(part.map((id) => queue.remove(id).catch(() => 0)));
  }
}

function* inParts(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += MOST_AT_ONCE) yield ids.slice(at, at + MOST_AT_ONCE);
}

/** Errors of shards are JSON in the queue; other texts are of the queue itself. */
function failureOf(reason: string): import("@sconce/errors").SconceError {
  try {
    return errorOf(JSON.parse(reason));
  } catch {
    return stalledTooOften(reason);
  }
}
