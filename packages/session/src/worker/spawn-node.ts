/// <reference types="node" />
/** @file `#backend-worker` in Node. */
import { Worker } from "node:worker_threads";
import type { WorkerReply } from "./messages.js";
import type { BackendWorker, BackendWorkerEvents } from "./spawn.js";

/** Starts a worker, which keeps the process alive only while it works. */
export function spawnBackendWorker(events: BackendWorkerEvents): BackendWorker {
  const worker = new Worker(new URL("../worker-entry-node.js", import.meta.url), { name: "sconce backend" });
  let requests = 0;
  worker.on("message", (reply: WorkerReply) => {
    if (reply.kind !== "progress" && --requests === 0) worker.unref();
    events.reply(reply);
  });
  worker.on("error", (error) => events.ended(error.message));
  worker.on("exit", (code) => events.ended(`it ended with code ${code}`));
  worker.unref();
  return {
    send: (request, transfer) => {
      if ((request.kind === "compile" || request.kind === "run") && requests++ === 0) worker.ref();
      worker.postMessage(request, [...transfer]);
    },
    stop: () => void worker.terminate(),
  };
}
