/** @file Scores shards of rows. */
import {
  type BatchEvent,
  type BatchOptions,
  type BatchReport,
  runBatch,
  runBatchOnQueue,
  type SetAside,
  type ShardFormat,
} from "@sconce/batch";
import { amount, countText } from "@sconce/errors";
import cliProgress from "cli-progress";
import { usage } from "../errors.js";
import { EXIT, jsonLine, type Outcome, type SafeIo } from "../io.js";
import { pluginPath } from "../plugin-module.js";
import { stopSignal } from "../stop-signal.js";
import { linesText } from "../text.js";

export interface BatchCommandOptions {
  readonly inputs: readonly string[];
  readonly output: string;
  readonly format?: ShardFormat;
  readonly batchSize: string;
  readonly workers?: string;
  readonly threads: string;
  readonly backend: string;
  readonly map?: string;
  readonly keep?: readonly string[];
  readonly part?: string;
  readonly attempts: string;
  readonly backoff: string;
  readonly grace: string;
  readonly queue?: string;
  readonly queueName: string;
  readonly root?: string;
  readonly cache?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
  readonly model?: string;
}

export async function batch(
  file: string,
  options: BatchCommandOptions,
  io: SafeIo,
  outcome: Outcome,
): Promise<void> {
  const { queue, queueName, root, workers } = options;
  const stop = stopSignal();
  const show = options.json ? jsonEvents(io) : textEvents(io);
  const common: BatchOptions = { ...batchOptions(file, options), signal: stop.signal, onEvent: show.onEvent };
  try {
    const report =
      queue === undefined
        ? await runBatch({
            ...common,
            workers: workers === undefined ? undefined : count(workers, "--workers"),
            grace: count(options.grace, "--grace"),
          })
        : await runBatchOnQueue({ ...common, queue: address(queue), queueName, root });
    show.end(report);
    if (report.stopped || report.setAside.length > 0) outcome.code = EXIT.differs;
  } finally {
    stop.end();
    show.close();
  }
}

function batchOptions(file: string, options: BatchCommandOptions): BatchOptions {
  const { inputs, output, format, backend, model, map, keep, cache, plugin, part } = options;
  return {
    program: file,
    inputs,
    output,
    format,
    batchSize: count(options.batchSize, "--batch-size"),
    backend,
    threads: count(options.threads, "--threads"),
    model,
    map,
    plugins: plugin?.map(pluginPath),
    keep,
    attempts: count(options.attempts, "--attempts"),
    backoff: count(options.backoff, "--backoff"),
    cache,
    part: part === undefined ? undefined : partOf(part),
  };
}

/** Returns a whole number from 0 on. @throws SconceError `USAGE` */
export function count(text: string, option: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw usage(
    `${option}: ${JSON.stringify(text)} is not a whole number`,
    `give ${option} a number such as 4`,
  );
}

/** Checks the address of a queue. @throws SconceError `USAGE` */
export function address(text: string): string {
  if (/^rediss?:\/\/./.test(text)) return text;
  throw usage(
    `--queue: ${JSON.stringify(text)} is not an address of Redis`,
    "give --queue redis://localhost:6379, or rediss://... for TLS",
  );
}

function partOf(text: string): readonly [number, number] {
  const [, index, parts] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  if (parts !== undefined) return [Number(index), Number(parts)];
  throw usage(`--part: ${JSON.stringify(text)} is not I/N`, "give --part 0/4 for the first of four parts");
}

/** What shows a run. */
interface Shown {
  readonly onEvent: (event: BatchEvent) => void;
  /** Shows the report. */
  readonly end: (report: BatchReport) => void;
  readonly close: () => void;
}

const jsonEvents = (io: SafeIo): Shown => ({
  onEvent: (event) => io.out(jsonLine(event)),
  end: () => {},
  close: () => {},
});

function textEvents(io: SafeIo): Shown {
  const bar = io.interactive
    ? new cliProgress.SingleBar({
        stream: process.stderr,
        clearOnComplete: true,
        format: "{bar} {value}/{total} shards, {rows} rows, {rate} rows/s, {left} left",
      })
    : undefined;
  const onEvent = (event: BatchEvent): void => {
    if (event.event === "start") bar?.start(event.shards, 0, { rows: 0, rate: 0, left: "?" });
    if (event.event === "warning") io.warn(event.message);
    if (event.event === "retry")
      io.warn(`${event.shard}: attempt ${event.attempt} failed: ${event.error.message}`);
    if (event.event !== "shard" && event.event !== "set-aside") return;
    const { done, rows, rowsPerSecond, secondsLeft } = event.progress;
    bar?.update(done, { rows, rate: Math.round(rowsPerSecond), left: timeText(secondsLeft) });
  };
  return {
    onEvent,
    end: (report) => {
      bar?.stop();
      io.summary(reportText(report));
      if (report.setAside.length > 0) io.err(linesText(report.setAside.flatMap(setAsideLines)));
    },
    close: () => bar?.stop(),
  };
}

const timeText = (seconds: number | undefined): string =>
  seconds === undefined
    ? "?"
    : seconds < 90
      ? `${Math.round(seconds)} s`
      : seconds < 5400
        ? `${Math.round(seconds / 60)} min`
        : `${(seconds / 3600).toFixed(1)} h`;

function reportText({
  shards,
  written,
  skipped,
  setAside,
  rows,
  milliseconds,
  stopped,
}: BatchReport): string {
  const seconds = milliseconds / 1000;
  const rate = Math.round(rows / Math.max(seconds, 1e-3));
  const left = shards - written - skipped - setAside.length;
  return linesText([
    `${countText(written, "shard")} written, ${skipped} skipped, ${setAside.length} set aside`,
    `${countText(rows, "row")} in ${amount(seconds, "s")}, ${rate} rows a second`,
    ...(stopped
      ? [`stopped before the end: ${countText(left, "shard")} left; repeat the command to go on`]
      : []),
  ]);
}

function setAsideLines({ shard, attempts, error }: SetAside): string[] {
  const { code, message, where, fix } = error;
  return [
    `set aside after ${countText(attempts, "attempt")}: ${shard}`,
    `  error ${code}: ${message}`,
    ...(where === undefined ? [] : [`  in  ${where}`]),
    ...(fix === undefined ? [] : [`  fix ${fix}`]),
  ];
}
