/** @file Scores shards in worker threads of this machine. */
import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { BatchEvent, BatchReport, RunBatchOptions } from "../options.js";
import { localProgram } from "../program/cached-program.js";
import type { OpenTask } from "../task.js";
import { type Retries, retriesOf, scoreOptions, wholeOption } from "./checked-options.js";
import { removeTemporaries } from "./clean.js";
import { RunMeter } from "./meter.js";
import { requireOutput } from "./output-folder.js";
import { ScorePool } from "./pool.js";
import { findShards, type Shard, temporaryFor } from "./shards.js";

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
  const retries = retriesOf(options);
  const shards = await findShards(options);
  const workers = wholeOption("workers", options.workers ?? availableParallelism(), 1, 256);
  await requireOutput(options.output);
  const program = await localProgram(options.program, options.cache);
  const { map, plugins = [] } = options;
  const score = await scoreOptions(options, program.sha256);
  const onEvent = options.onEvent ?? ((): void => {});
  onEvent({ event: "start", shards: shards.length, program: options.program, sha256: program.sha256 });
  const opening = { options: score, program: program.path, map, plugins };
  const pool = new ScorePool(Math.min(workers, Math.max(shards.length, 1)));
  const run = new EmbeddedRun(pool, opening, shards, retries, onEvent);
  const report = await run.finish(options.signal);
  onEvent({ event: "end", ...report });
  return report;
}

class EmbeddedRun {
  readonly #pool: ScorePool;
  readonly #opening: OpenTask;
  readonly #shards: readonly Shard[];
  readonly #retries: Retries;
  readonly #onEvent: (event: BatchEvent) => void;
  readonly #meter: RunMeter;
  readonly #stop = new AbortController();

  constructor(
    pool: ScorePool,
    opening: OpenTask,
    shards: readonly Shard[],
    retries: Retries,
    onEvent: (event: BatchEvent) => void,
  ) {
    this.#pool = pool;
    this.#opening = opening;
    this.#shards = shards;
    this.#retries = retries;
    this.#onEvent = onEvent;
    this.#meter = new RunMeter(shards.length);
  }

  /** Runs all shards; after the signal those that began are finished, or dropped after a while. */
  async finish(signal: AbortSignal | undefined): Promise<BatchReport> {
    const onAbort = (): void => {
      this.#stop.abort();
      this.#pool.dropWaiting();
      wait(this.#retries.grace, undefined, { ref: false }).then(() => this.#pool.close());
    };
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      await this.#pool.open(this.#opening);
      await Promise.all(this.#shards.map((shard) => this.#shard(shard)));
    } finally {
      signal?.removeEventListener("abort", onAbort);
      await this.#pool.close();
      await removeTemporaries(this.#shards);
    }
    return this.#meter.report();
  }

  async #shard({ name: shard, output }: Shard): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const temporary = temporaryFor(output, randomUUID());
      const answer = await this.#pool.run({ ...this.#opening, input: shard, name: shard, output, temporary });
      if (answer === undefined) return;
      if (answer.state !== "failed") {
        const { state, rows, milliseconds } = answer;
        this.#meter.add(state, rows);
        const progress = this.#meter.progress();
        this.#onEvent({ event: "shard", shard, output, state, rows, milliseconds, progress });
        return;
      }
      const { error } = answer;
      if (attempt >= this.#retries.attempts) {
        this.#meter.setAside.push({ shard, attempts: attempt, error });
        this.#onEvent({
          event: "set-aside",
          shard,
          attempts: attempt,
          error,
          progress: this.#meter.progress(),
        });
        return;
      }
      this.#onEvent({ event: "retry", shard, attempt, error });
      const { signal } = this.#stop;
      await wait(this.#retries.backoff * 2 ** (attempt - 1), undefined, { signal }).catch(() => {});
    }
  }
}
