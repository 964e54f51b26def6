/** @file How far a run is, and how fast. */
import type { SconceErrorJson } from "@sconce/errors";
import type { BatchEvent, BatchProgress, BatchReport, SetAside } from "../options.js";
import type { ShardResult } from "../task.js";
import type { Shard } from "./shards.js";

/** Counts shards and rows of a run, and reports them. */
export class RunMeter {
  readonly #shards: number;
  readonly #onEvent: (event: BatchEvent) => void;
  readonly #started = performance.now();
  readonly #setAside: SetAside[] = [];
  #written = 0;
  #skipped = 0;
  #rows = 0;

  constructor(shards: number, onEvent: (event: BatchEvent) => void) {
    this.#shards = shards;
    this.#onEvent = onEvent;
  }

  /** Counts and reports a shard that is there. */
  done({ name: shard, output }: Shard, { state, rows, milliseconds }: ShardResult): void {
    if (state === "skipped") this.#skipped++;
    else {
      this.#written++;
      this.#rows += rows;
    }
    const progress = this.#progress();
    this.#onEvent({ event: "shard", shard, output, state, rows, milliseconds, progress });
  }

  /** Counts and reports a shard that is given up. */
  aside({ name: shard }: Shard, attempts: number, error: SconceErrorJson): void {
    this.#setAside.push({ shard, attempts, error });
    this.#onEvent({ event: "set-aside", shard, attempts, error, progress: this.#progress() });
  }

  /** Whether every shard is written, skipped or set aside. */
  get isWhole(): boolean {
    return this.#done === this.#shards;
  }

  get #done(): number {
    return this.#written + this.#skipped + this.#setAside.length;
  }

  /** The estimate is for shards like those that were written. */
  #progress(): BatchProgress {
    const seconds = (performance.now() - this.#started) / 1000;
    const perShard = this.#written === 0 ? undefined : seconds / (this.#written + this.#setAside.length);
    return {
      shards: this.#shards,
      done: this.#done,
      rows: this.#rows,
      rowsPerSecond: seconds === 0 ? 0 : this.#rows / seconds,
      secondsLeft: perShard === undefined ? undefined : perShard * (this.#shards - this.#done),
    };
  }

  report(): BatchReport {
    return {
      shards: this.#shards,
      written: this.#written,
      skipped: this.#skipped,
      setAside: this.#setAside,
      rows: this.#rows,
      milliseconds: performance.now() - this.#started,
      stopped: !this.isWhole,
    };
  }
}
