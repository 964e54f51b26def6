/** @file Shards of Apache Parquet, by way of Arrow. */
import { thrownText } from "@sconce/errors";
import { badShard, notInstalled } from "../errors.js";
import { arrowStream, readArrow } from "./arrow.js";
import type { Table } from "./columns.js";

const loadParquet = (): Promise<typeof import("parquet-wasm")> =>
  import("parquet-wasm").catch((error: unknown) => {
    throw notInstalled("parquet-wasm apache-arrow", "Parquet", error);
  });

/** @throws SconceError `BATCH_SHARD`, `BATCH_PACKAGE` */
export async function readParquetTable(bytes: Uint8Array): Promise<Table> {
  const { readParquet } = await loadParquet();
  let stream: Uint8Array;
  try {
    stream = readParquet(bytes).intoIPCStream();
  } catch (error) {
    throw badShard(`the file is not Parquet: ${thrownText(error)}`, "write it as Parquet", undefined, error);
  }
  return readArrow(stream);
}

/** Returns a Parquet file. @throws SconceError `BATCH_SHARD`, `BATCH_PACKAGE` */
export async function writeParquetTable(table: Table): Promise<Uint8Array> {
  const parquet = await loadParquet();
  return parquet.writeParquet(parquet.Table.fromIPCStream(await arrowStream(table)));
}
