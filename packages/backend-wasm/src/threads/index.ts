/** @file Threads over one memory, for modules that bring their own workers. */
export { LARGE } from "./large.js";
export type { Entry } from "./modules.js";
export { ThreadPool } from "./pool.js";
export { type PoolMessage, servePool, type WorkerMessage } from "./serve.js";
export type { SpawnEvents, Spawned } from "./spawn.js";
