/** @file What programs in Node use: files, and backends by name. */
export { folderCache } from "@sconce/backend-wasm/node";
export * from "@sconce/formats/node";
export { loadBackend } from "@sconce/session/backends";
export { packagePt2File, savePt2File } from "@sconce/session/files";
export { backendWorker, type PassWorkerOptions, passWorker } from "@sconce/session/worker-node";
