/**
 * @file Gives calls to workers: a bounded queue, runs of several calls, time limits, new workers.
 */
import { thrownText } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import { notReady, tooBusy, tooLong } from "../protocol/errors.js";
import { type BatchOptions, type Job, JobQueue, type JobResult } from "./job-queue.js";
import { groupOf, merged, rowsIn, separated } from "./merge.js";
import type { WorkerSettings } from "./messages.js";
import { PoolWorker } from "./pool-worker.js";

/** A program as the scheduler runs it. */
export interface ScheduledProgram {
  /** The program as a `.pt2` file. */
  readonly file: Uint8Array;
  /** Whether calls can be merged. */
  readonly isBatched: boolean;
  /** Throws where a run of several calls is not what the program takes. */
  readonly check: (inputs: readonly Value[]) => void;
}

/** What the scheduler reports. */
interface SchedulerEvents {
  /** A run of one call, or of several. */
  onRun(run: { model: number; calls: number; rows: number; milliseconds: number }): void;
  /** A run of several calls failed, or the program refuses their sizes: each of them runs alone. */
  onSplit(model: number): void;
  /** A worker ended; another one starts. */
  onWorkerLost(reason: string): void;
}

/** How calls are run. */
export interface SchedulerOptions {
  readonly workers: number;
  /** Most calls that wait. */
  readonly queue: number;
  readonly batch: BatchOptions;
  /** Milliseconds from a call to its results. */
  readonly timeout: number;
  readonly settings: WorkerSettings;
  readonly events: SchedulerEvents;
}

/** Milliseconds before a worker is started again that ended while it started. */
const RESTART_DELAY = 1000;

/** Gives calls to workers. */
export class Scheduler {
  readonly #programs: readonly ScheduledProgram[];
  readonly #options: SchedulerOptions;
  readonly #queue: JobQueue;
  readonly #idle: PoolWorker[] = [];
  readonly #workers = new Set<PoolWorker>();
  #running = 0;
  #isClosed = false;
  #hurry = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onIdle: (() => void) | undefined;
  /** Milliseconds of a worker for one call, averaged over the last ones. */
  #pace = 10;

  constructor(programs: readonly ScheduledProgram[], options: SchedulerOptions) {
    this.#programs = programs;
    this.#options = options;
    this.#queue = new JobQueue(programs.length, options.batch);
  }

  /** Starts the workers; resolves when all of them have compiled all programs. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.workers }, () => this.#startWorker()));
  }

  /** The number of calls that wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** The number of workers that compute. */
  get busy(): number {
    return this.#running;
  }

  /** Returns the seconds after which the calls that wait now should have run. */
  retryAfter(): number {
    const milliseconds = ((this.#queue.length + this.#running) * this.#pace) / this.#options.workers;
    return Math.min(Math.max(Math.ceil(milliseconds / 1000), 1), 60);
  }

  /**
   * Runs a program on inputs that fit it. The memory of the inputs goes to a worker.
   *
   * @returns the results, and what takes the call back when its client has left
   * @throws SconceError `SERVER_BUSY` where the queue is full, `SERVER_NOT_READY` after `close`;
   * `INFERENCE_TIMEOUT`, `SERVE_WORKER` and errors of the program as rejection
   */
  submit(model: number, inputs: readonly Value[]): { readonly result: Promise<JobResult>; cancel(): void } {
    const { queue, timeout, batch } = this.#options;
    if (this.#isClosed) throw notReady("is stopping");
    if (this.#queue.length >= queue) throw tooBusy(`${queue} requests wait`);
    const rows = rowsIn(inputs);
    const isBatched = this.#programs[model]!.isBatched && rows > 0 && rows < batch.rows;
    let cancel = (): void => {};
    const result = new Promise<JobResult>((resolve, reject) => {
      const end = (): void => {
        job.isDone = true;
        clearTimeout(timer);
      };
      const job: Job = {
        model,
        inputs,
        rows,
        group: isBatched ? groupOf(inputs) : undefined,
        since: performance.now(),
        alone: false,
        isDone: false,
        resolve: (value) => {
          end();
          resolve(value);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      cancel = () => {
        this.#queue.remove(job);
        end();
        this.#noteIdle();
      };
      const timer = setTimeout(() => {
        this.#queue.remove(job);
        job.reject(tooLong(timeout));
        this.#noteIdle();
      }, timeout);
      this.#queue.add(job);
    });
    this.#dispatch();
    return { result, cancel };
  }

  /** Resolves when no call waits or runs. Calls do not wait for others any more. */
  drained(): Promise<void> {
    this.#hurry = true;
    this.#dispatch();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#noteIdle();
    });
  }

  /** Ends the workers; calls that still wait or run are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const job of this.#queue.clear()) job.reject(notReady("is stopping"));
    await Promise.all([...this.#workers].map((worker) => worker.terminate("the server is stopping")));
  }

  async #startWorker(): Promise<void> {
    const worker: PoolWorker = new PoolWorker(this.#options.settings, (reason) => {
      const [wasThere, at] = [this.#workers.delete(worker), this.#idle.indexOf(worker)];
      if (at >= 0) this.#idle.splice(at, 1);
      if (!wasThere || this.#isClosed) return;
      this.#options.events.onWorkerLost(reason);
      this.#restart(0);
    });
    try {
      for (const { file } of this.#programs) await worker.load(file);
    } catch (error) {
      await worker.terminate("it could not compile a program");
      throw error;
    }
    if (this.#isClosed) {
      await worker.terminate("the server is stopping");
      return;
    }
    this.#workers.add(worker);
    this.#idle.push(worker);
    this.#dispatch();
  }

  #restart(delay: number): void {
    setTimeout(() => {
      if (this.#isClosed) return;
      this.#startWorker().catch((error: unknown) => {
        this.#options.events.onWorkerLost(thrownText(error));
        this.#restart(RESTART_DELAY);
      });
    }, delay);
  }

  #dispatch(): void {
    clearTimeout(this.#timer);
    while (this.#idle.length > 0) {
      const next = this.#queue.next(performance.now(), this.#hurry);
      if (typeof next === "number") {
        if (Number.isFinite(next)) this.#timer = setTimeout(() => this.#dispatch(), Math.ceil(next));
        return;
      }
      const inputs = this.#inputsOf(next);
      if (inputs === undefined) this.#split(next);
      else void this.#run(this.#idle.pop()!, next, inputs);
    }
  }

  /** Returns the inputs of a run; undefined where its calls do not fit the program together. */
  #inputsOf(jobs: readonly Job[]): readonly Value[] | undefined {
    if (jobs.length === 1) return jobs[0]!.inputs;
    const inputs = merged(jobs.map((job) => job.inputs));
    try {
      this.#programs[jobs[0]!.model]!.check(inputs);
      return inputs;
    } catch {
      return undefined;
    }
  }

  async #run(worker: PoolWorker, jobs: readonly Job[], inputs: readonly Value[]): Promise<void> {
    const { model } = jobs[0]!;
    const { timeout, events } = this.#options;
    const start = performance.now();
    const late = setTimeout(
      () => void worker.terminate(`a run took longer than ${2 * timeout} ms`),
      2 * timeout,
    );
    this.#running++;
    try {
      const { outputs, milliseconds } = await worker.run(model, inputs);
      const rows = jobs.map((job) => job.rows);
      const parts = jobs.length === 1 ? [outputs] : separated(outputs, rows);
      jobs.forEach((job, i) => {
        if (!job.isDone) job.resolve({ outputs: parts[i]!, waited: start - job.since });
      });
      events.onRun({
        model,
        calls: jobs.length,
        rows: rows.reduce((sum, one) => sum + one, 0),
        milliseconds,
      });
    } catch (error) {
      this.#failed(jobs, error);
    } finally {
      clearTimeout(late);
      this.#running--;
      this.#pace += ((performance.now() - start) / jobs.length - this.#pace) / 16;
      if (this.#workers.has(worker)) this.#idle.push(worker);
      this.#dispatch();
      this.#noteIdle();
    }
  }

  /** A call that fails must not fail the others of its run: each of them runs alone. */
  #failed(jobs: readonly Job[], error: unknown): void {
    const waiting = jobs.filter((job) => !job.isDone);
    if (jobs.length > 1 && waiting.length > 0 && !this.#isClosed) this.#split(waiting);
    else for (const job of waiting) job.reject(error);
  }

  #split(jobs: readonly Job[]): void {
    this.#options.events.onSplit(jobs[0]!.model);
    this.#queue.addAlone(jobs);
  }

  #noteIdle(): void {
    if (this.#queue.length > 0 || this.#running > 0) return;
    this.#onIdle?.();
  }
}
