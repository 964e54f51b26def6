/** @file Adds shards to a queue, and waits until workers have scored them. */
import { resolve } from "node:path";
import { internalError, type SconceError, VERSION } from "@sconce/errors";
import type { Job, Queue, QueueEvents } from "bullmq";
import type { Redis } from "ioredis";
import { errorOf, stalledTooOften } from "../errors.js";
import { sha256Of } from "../files.js";
import type { BatchEvent, BatchReport, QueueBatchOptions } from "../options.js";
import { isUrl } from "../program/cached-program.js";
import type { Retries } from "../run/checked-options.js";
import { removeTemporaries } from "../run/clean.js";
import { RunMeter } from "../run/meter.js";
import { ScorePool } from "../run/pool.js";
import { prepareRun } from "../run/prepare.js";
import type { Shard } from "../run/shards.js";
import type { OpenTask, ShardResult } from "../task.js";
import { connect, loadQueue, type QueuePackages, queueNameOf } from "./connection.js";
import { jobPath, requireRoot, type ShardJob } from "./job.js";

/**
 * Scores the rows of shards as {@link runBatch} does, by workers on any machines
 * ({@link runBatchWorker}). It returns when every shard is written or set aside. A run that is
 * started again goes on: shards that wait or are scored are not added twice.
 *
 * @throws SconceError `BATCH_QUEUE`, `BATCH_PACKAGE`, and those of {@link runBatch}
 */
export async function runBatchOnQueue(options: QueueBatchOptions): Promise<BatchReport> {
  const name = queueNameOf(options.queueName);
  const root = resolve(options.root ?? ".");
  await requireRoot(root);
  const { shards, retries, opening } = await prepareRun(options);
  const jobs = shards.map(
    ({ name, output }): ShardJob => ({
      version: VERSION,
      program: isUrl(options.program) ? options.program : jobPath(root, options.program),
      input: jobPath(root, name),
      output: jobPath(root, output),
      options: opening.options,
    }),
  );
  await openFirst(opening);
  const onEvent = options.onEvent ?? ((): void => {});
  const sha256 = opening.options.programHash;
  onEvent({ event: "start", shards: shards.length, program: options.program, sha256 });
  const run = new QueueRun(shards, jobs, retries, onEvent);
  const report = await run.finish(options.queue, name, options.signal);
  onEvent({ event: "end", ...report });
  return report;
}

/** Finds what is wrong with the program before any worker does. */
async function openFirst(task: OpenTask): Promise<void> {
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

const idOf = (job: ShardJob): string => sha256Of(JSON.stringify(job));

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
    this.#meter = new RunMeter(shards.length, onEvent);
    this.#pending = new Map(jobs.map((job, i) => [idOf(job), { shard: shards[i]!, job }]));
  }

  async finish(address: string, name: string, signal: AbortSignal | undefined): Promise<BatchReport> {
    const packages = await loadQueue();
    const warn = (message: string): void => this.#onEvent({ event: "warning", message });
    const { redis, end } = await connect(packages, address, warn);
    try {
      await this.#wait(packages, redis, name, signal);
    } finally {
      end();
    }
    if (this.#meter.isWhole) await removeTemporaries(this.#shards);
    return this.#meter.report();
  }

  /** Adds the shards, and resolves when all are done or the signal stops the run. */
  async #wait(
    { bullmq: { Queue, QueueEvents } }: QueuePackages,
    connection: Redis,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const queue = new Queue(name, { connection, streams: { events: { maxLen: MOST_EVENTS } } });
    queue.on("error", () => {});
    const ids = [...this.#pending.keys()];
    let events: QueueEvents | undefined;
    let look: NodeJS.Timeout | undefined;
    try {
      const found = await connection.call("xrevrange", queue.keys["events"]!, "+", "-", "count", "1");
      const [last] = found as [string, unknown][];
      events = new QueueEvents(name, { connection, lastEventId: last?.[0] ?? "0-0" });
      events.on("error", () => {});
      const ended = new Promise<void>((resolve) => {
        this.#finished = resolve;
        if (this.#pending.size === 0) resolve();
        if (signal?.aborted) resolve();
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
      look = setInterval(() => void this.#look(queue).catch(() => {}), LOOK_MS);
      this.#listen(events, queue);
      await this.#add(queue, ids);
      await ended;
    } finally {
      clearInterval(look);
      await this.#removeJobs(queue, ids).catch(() => {});
      await events?.close().catch(() => {});
      await queue.close().catch(() => {});
    }
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

  #listen(events: QueueEvents, queue: Queue): void {
    events.on("completed", ({ jobId, returnvalue }) =>
      this.#done(jobId, returnvalue as unknown as ShardResult),
    );
    // A look that fails, such as without a connection, is repeated by the next one.
    events.on("failed", ({ jobId }) => void this.#ask(queue, jobId).catch(() => {}));
    events.on("delayed", ({ jobId }) => void this.#retried(queue, jobId));
    events.on("stalled", ({ jobId }) => {
      const shard = this.#pending.get(jobId)?.shard.name;
      if (shard !== undefined)
        this.#onEvent({ event: "warning", message: `${shard}: its worker is silent, another one takes it` });
    });
  }

  #done(id: string, result: ShardResult): void {
    const shard = this.#taken(id);
    if (shard === undefined) return;
    this.#meter.done(shard, result);
    if (this.#pending.size === 0) this.#finished();
  }

  #failed(job: Job): void {
    const shard = this.#taken(job.id!);
    if (shard === undefined) return;
    const error = failureOf(job.failedReason).at(shard.name).toJSON();
    this.#meter.aside(shard, job.attemptsMade, error);
    if (this.#pending.size === 0) this.#finished();
  }

  /** Takes the shard of a job that has ended; undefined where it was taken before. */
  #taken(id: string): Shard | undefined {
    const shard = this.#pending.get(id)?.shard;
    this.#pending.delete(id);
    return shard;
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
function failureOf(reason: string): SconceError {
  try {
    return errorOf(JSON.parse(reason));
  } catch {
    return /\bstalled\b/.test(reason) ? stalledTooOften(reason) : internalError(reason);
  }
}
