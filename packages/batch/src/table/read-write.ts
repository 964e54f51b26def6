/** @file Reads shards and writes results; what reads a format is loaded when one is met. */

import { thrownText } from "@sconce/errors";
import { type NestedValues, readSafetensors, Tensor, writeSafetensors } from "@sconce/tensor";
import type { Column } from "../batch-map.js";
import { badShard } from "../errors.js";
import type { ShardFormat } from "../shard-format.js";
import { type Table, tableOf } from "./columns.js";

/**
 * Returns the rows of a shard. @throws SconceError `BATCH_SHARD`, `SAFETENSORS`, `BATCH_PACKAGE`
 */
export async function readTable(bytes: Uint8Array, format: ShardFormat): Promise<Table> {
  switch (format) {
    case "safetensors":
      return tableOf(readSafetensors(bytes).tensors);
    case "ndjson":
      return (await import("./ndjson.js")).readNdjson(bytes);
    case "csv":
      return (await import("./csv.js")).readCsv(bytes);
    case "arrow":
      return (await import("./arrow.js")).readArrow(bytes);
    case "parquet":
      return (await import("./parquet.js")).readParquetTable(bytes);
  }
}

/** Returns the file of some results. @throws SconceError `BATCH_SHARD`, `BATCH_PACKAGE` */
export async function writeTable(table: Table, format: ShardFormat): Promise<Uint8Array> {
  switch (format) {
    case "safetensors":
      return writeSafetensors(
        new Map([...table.columns].map(([name, column]) => [name, asTensor(name, column)])),
      );
    case "ndjson":
      return (await import("./ndjson.js")).writeNdjson(table);
    case "csv":
      return (await import("./csv.js")).writeCsv(table);
    case "arrow":
      return (await import("./arrow.js")).writeArrow(table);
    case "parquet":
      return (await import("./parquet.js")).writeParquetTable(table);
  }
}

function asTensor(name: string, column: Column): Tensor {
  if (column instanceof Tensor) return column;
  try {
    return Tensor.from(column as NestedValues);
  } catch (error) {
    throw badShard(
      `the column ${JSON.stringify(name)} holds values that are not a tensor, and safetensors files hold tensors: ${thrownText(error)}`,
      "write another format (--format ndjson, csv, arrow or parquet), or return a tensor",
      undefined,
      error,
    );
  }
}
