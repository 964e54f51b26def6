/// <reference types="node" />
/** @file A worker of Node. */
import { parentPort } from "node:worker_threads";
import { loadBackend } from "./backends/load-backend.js";
import { createSconce } from "./create-sconce.js";
import type { WorkerRequest } from "./worker/messages.js";
import { serveBackends } from "./worker/serve.js";

const take = serveBackends({ createSconce, loadBackend }, (reply, transfer) =>
  parentPort?.postMessage(reply, [...transfer]),
);
parentPort?.on("message", (request: WorkerRequest) => take(request));
