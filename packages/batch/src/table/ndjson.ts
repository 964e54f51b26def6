/** @file Shards of JSON objects, one a line. */
import { isUtf8 } from "node:buffer";
import { thrownText } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import type { Column } from "../batch-map.js";
import { badShard } from "../errors.js";
import { type Table, tableOf } from "./columns.js";
import { rowElements } from "./elements.js";

/** @throws SconceError `BATCH_SHARD` with the row */
export function readNdjson(bytes: Uint8Array): Table {
  const lines = textOf(bytes).split("\n");
  while (lines.length > 0 && lines.at(-1)!.trim() === "") lines.pop();
  const columns = new Map<string, unknown[]>();
  lines.forEach((line, row) => {
    for (const [name, value] of Object.entries(objectOf(line, row))) {
      const column = columns.get(name) ?? Array.from<unknown>({ length: lines.length });
      columns.set(name, column);
      column[row] = value;
    }
  });
  return tableOf(columns);
}

/** Returns the text of a file. @throws SconceError `BATCH_SHARD` for what is not UTF-8 */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const where = `the line ${firstBadLine(bytes) + 1} is not`;
    throw badShard(`the file is not text in UTF-8: ${where}`, "write it in UTF-8", undefined, error);
  }
}

/** Returns the first line, from 0 on, that is not UTF-8: no other character has a byte of `\n`. */
function firstBadLine(bytes: Uint8Array): number {
  for (let line = 0, start = 0; ; line++) {
    const end = bytes.indexOf(0x0a, start);
    const own = bytes.subarray(start, end < 0 ? undefined : end);
    if (end < 0 || !isUtf8(own)) return line;
    start = end + 1;
  }
}

function objectOf(line: string, row: number): object {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw badShard(`the line is not JSON: ${thrownText(error)}`, "write one object a line", row, error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw badShard("the line is not an object", 'write one object a line: {"x": [1, 2.5]}', row);
}

/** Returns the file of some results. */
export function writeNdjson({ rows, columns }: Table): Uint8Array {
  const fields = [...columns].map(
    ([name, column]) => [JSON.stringify(name), jsonRows(name, column)] as const,
  );
  const lines: string[] = [];
  for (let row = 0; row < rows; row++)
    lines.push(`{${fields.map(([name, texts]) => `${name}:${texts[row]}`).join(",")}}\n`);
  return Buffer.from(lines.join(""));
}

function jsonRows(name: string, column: Column): readonly string[] {
  if (!(column instanceof Tensor))
    return column.map((value) =>
      typeof value === "bigint" ? `"${value}"` : (JSON.stringify(value) ?? "null"),
    );
  const shape = column.shape.slice(1);
  return rowElements(name, column).map((elements) =>
    nestedText(
      elements.map((one) => JSON.stringify(one)),
      shape,
    ),
  );
}

/** Nests the texts of elements by a shape. */
function nestedText(texts: readonly string[], shape: readonly number[]): string {
  let level = texts;
  for (const size of [...shape].reverse()) {
    const count = size === 0 ? 1 : level.length / size;
    const inner = level;
    level = Array.from({ length: count }, (_, i) => `[${inner.slice(i * size, (i + 1) * size).join(",")}]`);
  }
  return level[0]!;
}
