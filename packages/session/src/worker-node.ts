/// <reference types="node" />
/** @file Workers of Node for backends of Sconce's packages. */
import { Worker } from "node:worker_threads";

/**
 * Starts a worker of Node for {@link Sconce.worker}, which runs a backend of Sconce's packages: a
 * name that `loadBackend` takes.
 */
export const backendWorker = (name: string): Worker =>
  new Worker(new URL("./worker-entry-node.js", import.meta.url), { name: "sconce", workerData: name });
