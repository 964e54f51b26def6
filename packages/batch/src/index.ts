export { type BatchMap, type Column, type Columns, defineBatchMap, type RowPlace } from "./batch-map.js";
export type {
  BatchEvent,
  BatchOptions,
  BatchProgress,
  BatchReport,
  BatchWorkerOptions,
  QueueBatchOptions,
  QueueOptions,
  RunBatchOptions,
  SetAside,
  WorkerEvent,
} from "./options.js";
export { runBatchOnQueue } from "./queue/run-batch-on-queue.js";
export { runBatchWorker } from "./queue/worker.js";
export { runBatch } from "./run/run-batch.js";
export type { ShardFormat } from "./shard-format.js";
export type { ShardResult } from "./task.js";
