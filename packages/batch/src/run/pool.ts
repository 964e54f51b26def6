/** @file Threads that score shards. */
import { Tinypool } from "tinypool";
import { errorOf, sentError, threadEnded } from "../errors.js";
import type { Failed, OpenTask, ShardAnswer, ShardTask } from "../task.js";

/** A pool of threads; each keeps its compiled program between shards. */
export class ScorePool {
  readonly #pool: Tinypool;
  #isClosed = false;

  constructor(workers: number) {
    this.#pool = new Tinypool({
      filename: new URL("../score/thread.js", import.meta.url).href,
      minThreads: workers,
      maxThreads: workers,
      isolateWorkers: false,
      idleTimeout: Number.MAX_SAFE_INTEGER,
    });
  }

  /**
   * Opens a program in one thread, to know before any shard that it can be scored.
   * @throws SconceError of the program, the map and the plugins
   */
  async open(task: OpenTask): Promise<void> {
    if (this.#isClosed) return;
    const failed = (await this.#pool.run(task, { name: "openProgram" })) as Failed | undefined;
    if (failed !== undefined) throw errorOf(failed.error);
  }

  /** Scores a shard; undefined when the pool was closed before it was done. */
  async run(task: ShardTask): Promise<ShardAnswer | undefined> {
    if (this.#isClosed) return undefined;
    try {
      return (await this.#pool.run(task)) as ShardAnswer;
    } catch (error) {
      if (this.#isClosed) return undefined;
      return { state: "failed", error: sentError(threadEnded(error), task.name) };
    }
  }

  /** Drops shards that did not begin; those that did go on. */
  dropWaiting(): void {
    this.#isClosed = true;
    this.#pool.cancelPendingTasks();
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.destroy();
  }
}
