/// <reference types="node" />
/** @file Workers of Node for backends of Sconce's packages, and for passes of plugins. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { checkOptions, type OptionNames, optionValue } from "@sconce/errors";
import { passModules } from "./errors.js";

export { loadPlugin, pluginIn } from "../plugins/plugin-module.js";
export { errorFrom, passTimeout, passWorkerEnded, passWorkerFailed } from "../worker/errors.js";
export { receivedValue, type SentValue, sentValue, transferOf } from "../worker/messages.js";
export { ownPort } from "./own-port-node.js";

/**
 * Starts a worker of Node for {@link Sconce.worker}, which runs a backend of Sconce's packages: a
 * name that `loadBackend` takes.
 */
export const backendWorker = (name: string): Worker =>
  new Worker(new URL("./worker-entry-node.js", import.meta.url), { name: "sconce", workerData: name });

/** What a worker of passes may take. */
export interface PassWorkerOptions {
  /**
   * Most bytes of the heap of the worker. Outside of the heap, the process may grow by twice as
   * much. The worker is ended then (`PASS_MEMORY`). @defaultValue no limit but that of Node
   */
  readonly maxBytes?: number | undefined;
}

const OPTIONS: OptionNames<PassWorkerOptions> = { maxBytes: true };

/**
 * Starts a worker of Node for {@link Sconce.transformInWorker}, with plugins.
 *
 * @param modules paths from the current folder, or addresses, of modules that export a plugin as
 * `default` or as `plugin`: `["./their-plugin.js", import.meta.resolve("their-package")]`
 * @throws SconceError `INVALID_ARGUMENT`, `OPTION_VALUE`
 */
export function passWorker(modules: readonly (string | URL)[], options: PassWorkerOptions = {}): Worker {
  checkOptions("passWorker", options, OPTIONS);
  const isModule = (one: unknown): boolean => typeof one === "string" || one instanceof URL;
  if (!Array.isArray(modules) || !modules.every(isModule)) throw passModules();
  const urls = modules.map((one) =>
    one instanceof URL || one.startsWith("file:") ? String(one) : pathToFileURL(resolve(one)).href,
  );
  const script = new URL("./pass-worker-entry-node.js", import.meta.url);
  return limitedWorker(script, { name: "sconce passes", workerData: urls }, options.maxBytes);
}

const MIB = 2 ** 20;

/** How often memory is measured, in milliseconds. */
const MEASURE_MILLISECONDS = 20;

/**
 * Starts a worker that is ended when it takes too much memory: it then fails with
 * `ERR_WORKER_OUT_OF_MEMORY`, as workers of Node do that fill their heap. What a worker takes
 * before its message `ready` does not count.
 *
 * @throws SconceError `OPTION_VALUE`
 */
export function limitedWorker(script: URL, options: WorkerOptions, maxBytes: number | undefined): Worker {
  if (maxBytes === undefined) return new Worker(script, options);
  if (!(Number.isSafeInteger(maxBytes) && maxBytes >= MIB))
    throw optionValue("passWorker", "maxBytes", maxBytes, `a number of bytes from ${MIB} on`);
  const maxOldGenerationSizeMb = Math.ceil(maxBytes / MIB);
  const worker = new Worker(script, { ...options, resourceLimits: { maxOldGenerationSizeMb } });
  // Arrays and memories of WebAssembly are outside of the heap, which alone Node can limit.
  const most = 2 * maxBytes;
  let timer: ReturnType<typeof setInterval> | undefined;
  worker.on("message", ({ kind }: { readonly kind?: unknown }) => {
    if (kind !== "ready" || timer !== undefined) return;
    const start = process.memoryUsage.rss();
    timer = setInterval(() => {
      if (process.memoryUsage.rss() - start <= most) return;
      clearInterval(timer);
      const message = `Worker terminated: the process grew by more than ${most} bytes`;
      worker.emit("error", Object.assign(new Error(message), { code: "ERR_WORKER_OUT_OF_MEMORY" }));
      void worker.terminate();
    }, MEASURE_MILLISECONDS);
    timer.unref();
  });
  worker.on("exit", () => clearInterval(timer));
  return worker;
}
