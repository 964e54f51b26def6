/** @file Threads that compute the parts of kernels: this one, and workers. */
import { Control, type Job, MOST_PARTS } from "./control.js";
import type { Entry, SharedModule } from "./modules.js";
import type { PoolMessage } from "./serve.js";
import type { SpawnEvents, Spawned } from "./spawn.js";

/** Parts of a job for each thread: what others delay, the rest takes over. */
const PARTS_OF_THREAD = 4;
/** Milliseconds to sleep for parts before events are looked at: a worker may have ended. */
const PATIENCE = 100;

/** What the engine has for threads. */
export interface ThreadHost {
  /** Starts a worker; undefined where memory cannot be shared. */
  readonly spawnWorker: (events: SpawnEvents) => Spawned | undefined;
  /** Returns whether this thread may sleep. */
  readonly maySleep: () => boolean;
  /** Returns the error for a worker that ended while it computed. */
  readonly lost: (reason: string) => Error;
}

interface PoolWorker {
  readonly spawned: Spawned;
  /** How many messages it has read. */
  read: number;
  /** Why it is gone. */
  ended?: string;
}

/** Threads over one shared memory. Workers start with the first job that is worth it. */
export class ThreadPool {
  /** Threads in all, with this one. */
  readonly count: number;
  readonly #host: ThreadHost;
  #control: Control;
  #workers: PoolWorker[] = [];
  readonly #modules = new Map<number, SharedModule>();
  #next = 0;
  #reason: string | undefined;
  #runs = 0;
  /** Resolves when a job that takes long is done. */
  #busy: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  constructor(count: number, host: ThreadHost) {
    this.count = count;
    this.#host = host;
    this.#control = Control.forThreads(count);
  }

  /** Gives all threads a module; returns its number. */
  add(module: WebAssembly.Module, memory: WebAssembly.Memory): number {
    const id = this.#next++;
    const shared = { id, module, memory };
    this.#modules.set(id, shared);
    this.#send({ kind: "add", shared });
    return id;
  }
  /** Frees a module. */
  delete(id: number): void {
    if (!this.#modules.delete(id)) return;
    this.#send({ kind: "delete", id });
  }

  /** Called when a run begins: jobs are near. */
  begin(): void {
    this.#runs++;
    this.#control.addRuns(1);
  }
  /** Called when a run ends. */
  end(): void {
    this.#runs--;
    this.#control.addRuns(-1);
  }

  /** Resolves when all workers have all modules. */
  async ready(): Promise<void> {
    while (this.#workers.some(({ read, ended }) => ended === undefined && read < this.#control.messages))
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  /**
   * Computes a job, on as many threads as have units to do. Returns a promise only if workers take
   * longer than usual. Workers are busy with their start for the first jobs.
   *
   * @param entry the entry as this thread has it
   * @throws what the host says if a worker ends while it computes a part
   */
  run(job: Job, entry: Entry): void | Promise<void> {
    const { units, addresses, scratch } = job;
    if (units < 2 || !Control.takes(job)) {
      entry(...addresses, scratch, 0, units);
      return;
    }
    // The words that threads share have room for one job.
    if (this.#busy !== undefined) return this.#busy.then(() => this.run(job, entry));
    if (this.#workers.length === 0) this.#start();
    if (this.#workers.some(({ ended }) => ended !== undefined)) this.#restart();
    const control = this.#control;
    this.#reason = undefined;
    control.open(job, Math.min(units, this.count * PARTS_OF_THREAD, MOST_PARTS));
    for (let isWorking = true; isWorking; ) {
      try {
        control.work(
          (_, start, end) => entry(...addresses, scratch, start, end),
          () => true,
        );
        isWorking = false;
      } catch (error) {
        // Others write to memory until their parts are done.
        this.#reason = error instanceof Error ? error.message : String(error);
      }
    }
    if (!control.wait(this.#host.maySleep() ? PATIENCE : 0)) return this.#busyUntil(this.#waitLong());
    if (control.hasFailed) return this.#busyUntil(this.#fail());
  }
  #busyUntil(done: Promise<void>): Promise<void> {
    const end = (): void => {
      this.#busy = undefined;
    };
    this.#busy = done.then(end, end);
    return done;
  }
  async #waitLong(): Promise<void> {
    while (!this.#control.isDone) {
      const ended = this.#workers.find((worker) => worker.ended !== undefined)?.ended;
      if (ended !== undefined) {
        this.#restart();
        throw this.#host.lost(ended);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (this.#control.hasFailed) await this.#fail();
  }
  /** Returns the error of a part, which the thread that had it sends. */
  async #fail(): Promise<never> {
    while (this.#reason === undefined) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    throw new Error(this.#reason);
  }

  #start(): void {
    for (let thread = 1; thread < this.count; thread++) {
      let worker: PoolWorker | undefined;
      const spawned = this.#host.spawnWorker({
        message: (message) => {
          if (message.kind === "failed") this.#reason = message.reason;
          else if (worker !== undefined) worker.read = message.messages;
          this.#wake();
        },
        ended: (reason) => {
          if (worker !== undefined) worker.ended ??= reason;
          this.#reason ??= reason;
          this.#wake();
        },
      });
      if (spawned === undefined) break;
      worker = { spawned, read: 0 };
      this.#workers.push(worker);
    }
    this.#workers.forEach(({ spawned }, at) => {
      spawned.send({ kind: "start", buffer: this.#control.buffer, thread: at + 1 });
    });
    this.#control.announce();
    for (const shared of this.#modules.values()) this.#send({ kind: "add", shared });
  }
  /** New workers in place of all: what one left undone, no other may wait for. */
  #restart(): void {
    this.#stop();
    this.#control = Control.forThreads(this.count);
    this.#control.addRuns(this.#runs);
    this.#start();
  }
  #stop(): void {
    // Some engines do not end a worker that sleeps: Deno waits for it for ever.
    if (this.#workers.length > 0) this.#control.announce();
    for (const { spawned } of this.#workers) spawned.stop();
    this.#workers = [];
  }
  #send(message: PoolMessage): void {
    for (const { spawned } of this.#workers) spawned.send(message);
    if (this.#workers.length > 0) this.#control.announce();
  }
  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Ends the workers. */
  dispose(): void {
    this.#stop();
    this.#modules.clear();
    this.#wake();
  }
}
