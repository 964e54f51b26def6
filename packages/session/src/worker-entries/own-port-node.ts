/// <reference types="node" />
/** @file The port of a worker of Node that runs code of plugins. */
import { createRequire, syncBuiltinESMExports } from "node:module";
import { type MessagePort, parentPort } from "node:worker_threads";

/**
 * Returns the port to the thread that started this worker. Plugins do not find it from now on: they
 * cannot answer in place of the script by mistake.
 */
export function ownPort(): MessagePort {
  const port = parentPort!;
  Object.assign(createRequire(import.meta.url)("node:worker_threads") as object, { parentPort: null });
  syncBuiltinESMExports();
  return port;
}
