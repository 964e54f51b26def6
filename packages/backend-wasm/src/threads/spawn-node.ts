/// <reference types="node" />
/** @file `#threads` in Node. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { WorkerMessage } from "./serve.js";
import type { SpawnEvents, Spawned } from "./spawn.js";

/** Starts a worker. It does not keep the process alive. */
export function spawnWorker(events: SpawnEvents): Spawned {
  const worker = new Worker(new URL("./worker-node.js", import.meta.url), { name: "sconce" });
  worker.on("message", (message: WorkerMessage) => events.message(message));
  worker.on("error", (error) => events.ended(error.message));
  worker.on("exit", (code) => events.ended(`it ended with code ${code}`));
  worker.unref();
  return { send: (message) => worker.postMessage(message), stop: () => void worker.terminate() };
}

/** Returns how many threads the machine runs at once. */
export const availableThreads = (): number => availableParallelism();

/** Returns whether this thread may sleep. */
export const maySleep = (): boolean => true;
