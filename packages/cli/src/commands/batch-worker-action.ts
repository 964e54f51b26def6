/** @file Scores shards of a queue. */
import { runBatchWorker, type WorkerEvent } from "@sconce/batch";
import { countText } from "@sconce/errors";
import { usage } from "../errors.js";
import { jsonLine, type SafeIo } from "../io.js";
import { pluginPath } from "../plugin-module.js";
import { stopSignal } from "../stop-signal.js";
import { linesText } from "../text.js";
import { address, count } from "./batch-action.js";

export interface BatchWorkerCommandOptions {
  readonly queue?: string;
  readonly queueName: string;
  readonly root?: string;
  readonly cache?: string;
  readonly workers: string;
  readonly map?: string;
  readonly idle?: string;
  readonly stalled: string;
  readonly grace: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function batchWorker(options: BatchWorkerCommandOptions, io: SafeIo): Promise<void> {
  const { queue, queueName, root, cache, map, plugin, idle } = options;
  if (queue === undefined)
    throw usage("--queue is missing", "give the address of Redis: --queue redis://localhost:6379");
  const stop = stopSignal();
  const onEvent = options.json ? (event: WorkerEvent) => io.out(jsonLine(event)) : textEvent(io);
  try {
    await runBatchWorker({
      queue: address(queue),
      queueName,
      root,
      cache,
      map,
      plugins: plugin?.map(pluginPath),
      workers: count(options.workers, "--workers"),
      idle: idle === undefined ? undefined : count(idle, "--idle"),
      stalled: count(options.stalled, "--stalled"),
      grace: count(options.grace, "--grace"),
      signal: stop.signal,
      onEvent,
    });
  } finally {
    stop.end();
  }
}

const textEvent =
  (io: SafeIo) =>
  (event: WorkerEvent): void => {
    if (event.event === "ready") io.summary("waiting for shards\n");
    if (event.event === "shard")
      io.summary(linesText([`${event.shard}: ${countText(event.rows, "row")} ${event.state}`]));
    if (event.event === "failed") io.warn(`${event.shard}: ${event.error.message}`);
    if (event.event === "returned") io.summary(linesText([`${event.shard}: returned to the queue`]));
    if (event.event === "warning") io.warn(event.message);
  };
