/** @file A worker of a page. */
import { loadBackend } from "./backends/load-backend.js";
import { createSconce } from "./create-sconce.js";
import type { WorkerRequest } from "./worker/messages.js";
import { serveBackends } from "./worker/serve.js";

const take = serveBackends({ createSconce, loadBackend }, (reply, transfer) =>
  globalThis.postMessage(reply, { transfer: [...transfer] }),
);
globalThis.onmessage = ({ data }: MessageEvent<WorkerRequest>) => take(data);
