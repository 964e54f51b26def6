/** @file Reads shards and writes results; what reads a format is loaded when one is met. */

import { thrownText } from "@sconce/errors";
import { type NestedValues, readSafetensors, Tensor, writeSafetensors } from "@sconce/tensor";
import type { Column } from "../batch-map.js";
import { badShard } from "../errors.js";
import type { ShardFormat } from "../shard-format.js";
import { type Table, tableOf } from "./columns.js";

interface Format {
  readonly read: (bytes: Uint8Array) => Table | Promise<Table>;
  readonly write: (table: Table) => Uint8Array | Promise<Uint8Array>;
}

const FORMATS: Readonly<Record<ShardFormat, Format>> = {
  safetensors: {
    read: (bytes) => tableOf(readSafetensors(bytes).tensors),
    write: ({ columns }) =>
      writeSafetensors(new Map([...columns].map(([name, column]) => [name, asTensor(name, column)]))),
  },
  ndjson: {
    read: async (bytes) => (await import("./ndjson.js")).readNdjson(bytes),
    write: async (table) => (await import("./ndjson.js")).writeNdjson(table),
  },
  csv: {
    read: async (bytes) => (await import("./csv.js")).readCsv(bytes),
    write: async (table) => (await import("./csv.js")).writeCsv(table),
  },
  arrow: {
    read: async (bytes) => (await import("./arrow.js")).readArrow(bytes),
    write: async (table) => (await import("./arrow.js")).writeArrow(table),
  },
  parquet: {
    read: async (bytes) => (await import("./parquet.js")).readParquetTable(bytes),
    write: async (table) => (await import("./parquet.js")).writeParquetTable(table),
  },
};

/**
 * Returns the rows of a shard. @throws SconceError `BATCH_SHARD`, `SAFETENSORS`, `BATCH_PACKAGE`
 */
export const readTable = async (bytes: Uint8Array, format: ShardFormat): Promise<Table> =>
  FORMATS[format].read(bytes);

/** Returns the file of some results. @throws SconceError `BATCH_SHARD`, `BATCH_PACKAGE` */
export const writeTable = async (table: Table, format: ShardFormat): Promise<Uint8Array> =>
  FORMATS[format].write(table);

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
