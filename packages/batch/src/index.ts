export { type BatchMap, type Column, type Columns, defineBatchMap, type RowPlace } from "./batch-map.js";
export type {
  BatchEvent,
  BatchOptions,
  BatchProgress,
  BatchReport,
  RunBatchOptions,
  SetAside,
} from "./options.js";
export { type QueueBatchOptions, runBatchOnQueue } from "./queue/run-batch-on-queue.js";
export { type BatchWorkerOptions, runBatchWorker, type WorkerEvent } from "./queue/worker.js";
export { runBatch } from "./run/run-batch.js";
export type { ShardFormat } from "./shard-format.js";
export type { ShardResult } from "./task.js";
