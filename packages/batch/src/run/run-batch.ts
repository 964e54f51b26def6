/** @file Scores shards in worker threads of this machine. */
import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { BatchEvent, BatchReport, RunBatchOptions } from "../options.js";
import { wholeOption } from "./checked-options.js";
import { removeTemporaries } from "./clean.js";
import { RunMeter } from "./meter.js";
import { ScorePool } from "./pool.js";
import { type PreparedRun, prepareRun } from "./prepare.js";
import { type Shard, temporaryFor } from "./shards.js";

/**
 * Scores the rows of shards with a program, in worker threads of this machine. Each shard becomes
 * one file of the output folder, which is written once. Shards whose results are there, of the same
 * program, rows and options, are skipped. A shard that fails is tried again and set aside in the
 * end; the report has its error.
 *
 * @example const report = await runBatch({ program: "model.pt2", inputs: "shards/*.safetensors",
 * output: "out" });
 * @throws SconceError `BATCH_OPTION`, `BATCH_MAP`, `FILE`, and those of reading the program
 */
export async function runBatch(options: RunBatchOptions): Promise<BatchReport> {
  const workers = wholeOption("workers", options.workers ?? availableParallelism(), 1, 256);
  const grace = wholeOption("grace", options.grace ?? 20_000, 0);
  const prepared = await prepareRun(options);
  const { shards, opening } = prepared;
  const onEvent = options.onEvent ?? ((): void => {});
  const sha256 = opening.options.programHash;
  onEvent({ event: "start", shards: shards.length, program: options.program, sha256 });
  const pool = new ScorePool(Math.min(workers, Math.max(shards.length, 1)));
  const report = await new EmbeddedRun(pool, prepared, onEvent).finish(options.signal, grace);
  onEvent({ event: "end", ...report });
  return report;
}

class EmbeddedRun {
  readonly #pool: ScorePool;
  readonly #run: PreparedRun;
  readonly #onEvent: (event: BatchEvent) => void;
  readonly #meter: RunMeter;
  readonly #stop = new AbortController();

  constructor(pool: ScorePool, run: PreparedRun, onEvent: (event: BatchEvent) => void) {
    this.#pool = pool;
    this.#run = run;
    this.#onEvent = onEvent;
    this.#meter = new RunMeter(run.shards.length, onEvent);
  }

  /** Runs all shards; after the signal those that began are finished, or dropped after a while. */
  async finish(signal: AbortSignal | undefined, grace: number): Promise<BatchReport> {
    const { shards, opening } = this.#run;
    const onAbort = (): void => {
      this.#stop.abort();
      this.#pool.dropWaiting();
      wait(grace, undefined, { ref: false }).then(() => this.#pool.close());
    };
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      await this.#pool.open(opening);
      await Promise.all(shards.map((shard) => this.#shard(shard)));
    } finally {
      signal?.removeEventListener("abort", onAbort);
      await this.#pool.close();
      await removeTemporaries(shards);
    }
    return this.#meter.report();
  }

  async #shard(shard: Shard): Promise<void> {
    const { name, output } = shard;
    const { attempts, backoff } = this.#run.retries;
    for (let attempt = 1; ; attempt++) {
      const temporary = temporaryFor(output, randomUUID());
      const task = { ...this.#run.opening, input: name, name, output, temporary };
      const answer = await this.#pool.run(task);
      if (answer === undefined) return;
      if (answer.state !== "failed") return this.#meter.done(shard, answer);
      const { error } = answer;
      if (attempt >= attempts) return this.#meter.aside(shard, attempt, error);
      this.#onEvent({ event: "retry", shard: name, attempt, error });
      const { signal } = this.#stop;
      await wait(backoff * 2 ** (attempt - 1), undefined, { signal }).catch(() => {});
    }
  }
}
