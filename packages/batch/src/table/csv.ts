/** @file Shards of comma-separated values with a line of names. */
import { thrownText } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import type { Column } from "../batch-map.js";
import { badShard, notInstalled } from "../errors.js";
import { type Table, tableOf } from "./columns.js";
import { fieldOf, rowElements } from "./elements.js";
import { textOf } from "./ndjson.js";

/**
 * Reads columns of texts. Columns `x_0`, `x_1`, ... are a column `x`, too, whose rows are lists.
 * @throws SconceError `BATCH_SHARD`, `BATCH_PACKAGE`
 */
export async function readCsv(bytes: Uint8Array): Promise<Table> {
  const { parse } = await import("csv-parse/sync").catch((error: unknown) => {
    throw notInstalled("csv-parse", "reading CSV", error);
  });
  const text = textOf(bytes);
  let records: string[][];
  try {
    records = parse(text, { bom: true, skip_empty_lines: true });
  } catch (error) {
    throw badShard(
      `the file is not CSV: ${thrownText(error)}`,
      /^CSV_RECORD_INCONSISTENT/.test(String((error as { readonly code?: unknown }).code))
        ? "give each line as many fields as the first"
        : 'correct the quotes of the row: a quote in a field is written as ""',
      rowOfFailure(error),
      error,
    );
  }
  const [names = [], ...rows] = records;
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw badShard(`the column ${JSON.stringify(twice)} comes twice`, "give each column its own name");
  const columns = new Map<string, Column>(names.map((name, i) => [name, rows.map((row) => row[i])]));
  for (const [name, places] of numbered(names))
    if (!columns.has(name))
      columns.set(
        name,
        rows.map((row) => places.map((at) => row[at])),
      );
  return tableOf(columns);
}

/** Returns the row of a failure: the parser counts records from 1, and the first has the names. */
function rowOfFailure(error: unknown): number | undefined {
  const { records } = error as { readonly records?: unknown };
  return typeof records === "number" && records > 0 ? records - 1 : undefined;
}

/** Returns names whose columns are numbered from 0 on, with the places of these. */
function numbered(names: readonly string[]): Map<string, number[]> {
  const places = new Map(names.map((name, at) => [name, at]));
  const found = new Map<string, number[]>();
  for (const name of names) {
    const [, base] = /^(.+)_0$/.exec(name) ?? [];
    if (base === undefined) continue;
    const own: number[] = [];
    for (let at = places.get(name); at !== undefined; at = places.get(`${base}_${own.length}`)) own.push(at);
    found.set(base, own);
  }
  return found;
}

/**
 * Writes one column for each element of a row: `o0_0`, `o0_1`, ...; `o0` where a row has one.
 * @throws SconceError `BATCH_SHARD`, `BATCH_PACKAGE`
 */
export async function writeCsv({ rows, columns }: Table): Promise<Uint8Array> {
  const { stringify } = await import("csv-stringify/sync").catch((error: unknown) => {
    throw notInstalled("csv-stringify", "writing CSV", error);
  });
  const names: string[] = [];
  const fields: ((row: number) => readonly unknown[])[] = [];
  for (const [name, column] of columns) {
    if (column instanceof Tensor) {
      const elements = rowElements(name, column);
      const isOne = column.ndim === 1;
      names.push(...(isOne ? [name] : (elements[0] ?? []).map((_, i) => `${name}_${i}`)));
      fields.push((row) => elements[row]!);
    } else {
      names.push(name);
      fields.push((row) => [fieldOf(column[row])]);
    }
  }
  const records = Array.from({ length: rows }, (_, row) => fields.flatMap((field) => field(row)));
  return Buffer.from(stringify([names, ...records], { cast: { boolean: String } }));
}
