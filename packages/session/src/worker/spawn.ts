/** @file `#backend-worker` in pages. */
import type { WorkerReply, WorkerRequest } from "./messages.js";

/** A running worker. */
export interface BackendWorker {
  send(request: WorkerRequest, transfer: readonly ArrayBuffer[]): void;
  stop(): void;
}
/** What happens to a worker. */
export interface BackendWorkerEvents {
  reply(reply: WorkerReply): void;
  /** It has ended, or never started. */
  ended(reason: string): void;
}

/** Starts a worker. */
export function spawnBackendWorker(events: BackendWorkerEvents): BackendWorker {
  const worker = new Worker(new URL("../worker-entry.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => events.reply(data);
  worker.onerror = ({ message }) => events.ended(message);
  return {
    send: (request, transfer) => worker.postMessage(request, [...transfer]),
    stop: () => worker.terminate(),
  };
}
