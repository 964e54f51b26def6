/** @file `#threads` in pages: workers of the page, if it may share memory. */
import type { PoolMessage, WorkerMessage } from "./serve.js";

/** A running worker. */
export interface Spawned {
  /** Sends it a message; messages are read in order. */
  send(message: PoolMessage): void;
  /** Ends it at once. */
  stop(): void;
}
/** What happens to a worker. */
export interface SpawnEvents {
  /** It sent a message. */
  message(message: WorkerMessage): void;
  /** It has ended, or never started. */
  ended(reason: string): void;
}

/** Starts a worker; undefined where memory cannot be shared. */
export function spawnWorker(events: SpawnEvents): Spawned | undefined {
  if (typeof Worker === "undefined" || typeof SharedArrayBuffer === "undefined") return undefined;
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => events.message(data);
  worker.onerror = ({ message }) => events.ended(message);
  return { send: (message) => worker.postMessage(message), stop: () => worker.terminate() };
}

/** Returns how many threads the machine runs at once; 1 where they cannot be used. */
export const availableThreads = (): number =>
  typeof SharedArrayBuffer === "undefined" || !maySleep()
    ? 1
    : (globalThis.navigator?.hardwareConcurrency ?? 1);

/** Returns whether this thread may sleep: the main thread of a page may not. */
export const maySleep = (): boolean => typeof document === "undefined";
