/** @file Calls that wait for a worker, and which of them go together. */
import type { Value } from "@sconce/ir";

/** What came of a call. */
export interface JobResult {
  readonly outputs: readonly Value[];
  /** Milliseconds in the queue. */
  readonly waited: number;
}

/** One call. */
export interface Job {
  /** The number of the program. */
  readonly model: number;
  readonly inputs: readonly Value[];
  /** The rows of a call that can be merged. */
  readonly rows: number;
  /** Calls with the same key can be merged; undefined for those that run alone. */
  readonly group: string | undefined;
  /** When it came, in milliseconds. */
  readonly since: number;
  /** Whether it runs alone, since a run of several calls failed. */
  alone: boolean;
  /** Whether it has its answer: its results, an error, or a client that left. */
  isDone: boolean;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: unknown) => void;
}

/** How calls are merged. */
export interface BatchOptions {
  /** Most rows of a run that serves several calls; 1 for no merging. */
  readonly rows: number;
  /** Milliseconds that a call waits for others. */
  readonly delay: number;
}

/** The calls that wait, in order of their arrival for each program. */
export class JobQueue {
  readonly #queues: Job[][];
  readonly #batch: BatchOptions;
  /** The number of calls that wait. */
  length = 0;

  constructor(models: number, batch: BatchOptions) {
    this.#queues = Array.from({ length: models }, () => []);
    this.#batch = batch;
  }

  add(job: Job): void {
    this.#queues[job.model]!.push(job);
    this.length++;
  }

  /** Puts calls back that ran together, to run alone and next. */
  addAlone(jobs: readonly Job[]): void {
    for (const job of jobs) job.alone = true;
    const { model } = jobs[0]!;
    this.#queues[model] = [...jobs, ...this.#queues[model]!];
    this.length += jobs.length;
  }

  /** Removes a call, if it waits. */
  remove(job: Job): void {
    const queue = this.#queues[job.model]!;
    const at = queue.indexOf(job);
    if (at < 0) return;
    queue.splice(at, 1);
    this.length--;
  }

  /** Returns all calls that wait, and forgets them. */
  clear(): Job[] {
    const all = this.#queues.flat();
    for (const model of this.#queues.keys()) this.#queues[model] = [];
    this.length = 0;
    return all;
  }

  /**
   * Returns the calls of the next run, those that wait longest first; or the milliseconds until
   * there is one, infinite where no call waits.
   *
   * @param hurry whether calls do not wait for others
   */
  next(now: number, hurry: boolean): readonly Job[] | number {
    let wait = Number.POSITIVE_INFINITY;
    let best: Job[] | undefined;
    for (const queue of this.#queues) {
      const [first] = queue;
      if (first === undefined) continue;
      const left = hurry || this.#isFull(queue) ? 0 : first.since + this.#batch.delay - now;
      if (left > 0) wait = Math.min(wait, left);
      else if (best === undefined || first.since < best[0]!.since) best = queue;
    }
    return best === undefined ? wait : this.#take(best);
  }

  /** Returns whether a run of the first call cannot take more calls. */
  #isFull(queue: readonly Job[]): boolean {
    const [first] = queue;
    if (first!.alone || first!.group === undefined) return true;
    let rows = 0;
    for (const { group, rows: own, alone } of queue) {
      if (group === first!.group && !alone) rows += own;
      if (rows >= this.#batch.rows) return true;
    }
    return false;
  }

  #take(queue: Job[]): readonly Job[] {
    const [first] = queue;
    const taken: Job[] = [first!];
    if (first!.group !== undefined && !first!.alone) {
      let { rows } = first!;
      for (let i = 1; i < queue.length && rows < this.#batch.rows; i++) {
        const job = queue[i]!;
        if (job.group !== first!.group || job.alone || rows + job.rows > this.#batch.rows) continue;
        taken.push(job);
        rows += job.rows;
      }
    }
    this.length -= taken.length;
    if (taken.length === 1) queue.shift();
    else {
      const gone = new Set(taken);
      this.#queues[first!.model] = queue.filter((job) => !gone.has(job));
    }
    return taken;
  }
}
