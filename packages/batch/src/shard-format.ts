/** @file The formats of shards, by the endings of their files. */
import { extname } from "node:path";
import { badBatch } from "./errors.js";

/** Formats of shards and of results. */
export const SHARD_FORMATS = ["safetensors", "ndjson", "csv", "arrow", "parquet"] as const;
/** A format of shards and of results. */
export type ShardFormat = (typeof SHARD_FORMATS)[number];

const ENDINGS: Readonly<Record<string, ShardFormat>> = {
  ".safetensors": "safetensors",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
  ".arrow": "arrow",
  ".feather": "arrow",
  ".parquet": "parquet",
};

/** Returns the format of a file. @throws SconceError `BATCH_OPTION` */
export function formatOf(path: string): ShardFormat {
  const format = ENDINGS[extname(path).toLowerCase()];
  if (format !== undefined) return format;
  throw badBatch(
    `${path} has an ending of no known format`,
    `name the file with one of ${Object.keys(ENDINGS).join(", ")}`,
  );
}
