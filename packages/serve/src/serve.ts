/** @file Starts a server. */
import { availableParallelism } from "node:os";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce, type Sconce } from "@sconce/session";
import { hasThreads } from "@sconce/session/backends";
import { createApp } from "./http/app.js";
import { createMetrics, type Metrics } from "./http/metrics.js";
import { PendingBytes } from "./http/pending-bytes.js";
import { stop } from "./http/stop.js";
import { Catalog } from "./model/catalog.js";
import { requireKeys } from "./model/keys.js";
import { type Model, modelOf } from "./model/model.js";
import { type ScheduledProgram, Scheduler } from "./pool/scheduler.js";
import { notListening } from "./protocol/errors.js";
import { proveRows, type RowProof } from "./rows/prove-rows.js";
import { type ServedProgram, type ServeOptions, type Settings, settingsOf } from "./settings/options.js";

/** A server that runs. */
export interface ModelServer {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly address: string;
  /**
   * Stops the server: requests that were sent are answered, and no others are taken. Resolves when
   * the port is free and all workers have ended.
   */
  close(): Promise<void>;
}

/**
 * Offers programs over HTTP in the Open Inference Protocol (version 2), with the extension for
 * binary tensor data. Programs are compiled in worker threads; the server listens while they are,
 * and is ready when this resolves.
 *
 * @throws SconceError `SERVE_PACKAGE` without the packages fastify and prom-client, `SERVE_MODEL`
 * for a program that cannot be served, `SERVE_ADDRESS` for a port that is taken, `OPTION_VALUE`;
 * errors of compiling a program
 */
export async function serve(
  programs: readonly ServedProgram[],
  options: ServeOptions = {},
): Promise<ModelServer> {
  const settings = settingsOf(options);
  const start = performance.now();
  const session = settings.session ?? createSconce();
  const models: Model[] = [];
  const scheduled: ScheduledProgram[] = [];
  const given = programs.map(({ name, version = "1", program }) => ({ name, version, program }));
  // Before the work on programs.
  requireKeys(given);
  for (const { name, version, program } of given) {
    const lower = once(() => session.runDecompositions(program));
    const model = modelOf(name, version, program, session.operators, lower);
    models.push(model);
    scheduled.push(await scheduledProgram(model, session, settings, lower));
  }
  const catalog = new Catalog(models);
  const pending = new PendingBytes(settings.maxPending);
  const metrics: Metrics = await createMetrics({
    waiting: () => scheduler.waiting,
    busy: () => scheduler.busy,
    pendingBytes: () => pending.bytes,
  });
  const scheduler = schedulerOf(scheduled, models, metrics, settings);
  const state = { isReady: false, isStopping: false };
  const app = await createApp({ settings, catalog, scheduler, metrics, pending, state });
  const { host, port, onEvent } = settings;
  let address: string;
  try {
    address = await app.listen({ host, port });
  } catch (error) {
    throw notListening(`${host}:${port}`, error);
  }
  onEvent({ kind: "listening", address });
  try {
    await scheduler.start();
  } catch (error) {
    await Promise.all([app.close(), scheduler.close()]);
    throw error;
  }
  state.isReady = true;
  onEvent({ kind: "ready", workers: settings.workers, milliseconds: performance.now() - start });
  let stopped: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    state.isStopping = true;
    onEvent({ kind: "stopping", waiting: scheduler.waiting + scheduler.busy });
    await stop(app, scheduler, settings);
    metrics.close();
    onEvent({ kind: "stopped" });
  };
  return {
    address,
    close: () => {
      stopped ??= close();
      return stopped;
    },
  };
}

/** Returns a function that computes its value when it is first called. */
function once<T>(compute: () => T): () => T {
  let value: { readonly value: T } | undefined;
  return () => {
    value ??= { value: compute() };
    return value.value;
  };
}

async function scheduledProgram(
  model: Model,
  session: Sconce,
  { maxBatch, onEvent }: Settings,
  lower: () => ExportedProgram,
): Promise<ScheduledProgram> {
  const { name, version, program, written, check } = model;
  const proof = maxBatch > 1 ? proofOf(lower, session) : undefined;
  onEvent({ kind: "model", model: name, version, rows: proof?.rows, reason: proof?.reason, written });
  return {
    file: await session.save(program, { onWarning: () => {} }),
    isBatched: proof?.rows !== undefined,
    check,
  };
}

function proofOf(lower: () => ExportedProgram, { operators }: Sconce): RowProof {
  try {
    return proveRows(lower(), operators);
  } catch (error) {
    if (isSconceError(error)) return { reason: `the program cannot be lowered: ${error.message}` };
    throw error;
  }
}

function schedulerOf(
  programs: readonly ScheduledProgram[],
  models: readonly Model[],
  metrics: Metrics,
  settings: Settings,
): Scheduler {
  const { workers, queue, maxBatch, batchDelay, timeout, backend, maxBytes, plugins, onEvent } = settings;
  const threads = settings.threads ?? Math.max(1, Math.min(8, Math.floor(availableParallelism() / workers)));
  return new Scheduler(programs, {
    workers,
    queue,
    timeout,
    batch: { rows: maxBatch, delay: batchDelay },
    settings: { backend, threads: hasThreads(backend) ? threads : undefined, maxBytes, plugins },
    events: {
      onRun: ({ model, calls, rows, milliseconds }) =>
        metrics.run(models[model]!, calls, rows, milliseconds / 1000),
      onSplit: (model) => metrics.split(models[model]!),
      onWorkerLost: (reason) => {
        metrics.workerLost();
        onEvent({ kind: "worker", reason });
      },
    },
  });
}
