/** @file Columns of rows, and their conversion to tensors. */
import { type DType, dtypeInfo, type Element, elementWriter, numel, Tensor } from "@sconce/tensor";
import type { Column } from "../batch-map.js";
import { badShard } from "../errors.js";

/** Columns of one shard, or of some of its rows. */
export interface Table {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Column>;
}

/** Returns the number of rows of a column; undefined for a tensor without dimensions. */
export const rowsOf = (column: Column): number | undefined =>
  column instanceof Tensor ? column.shape[0] : column.length;

/**
 * Returns a table of columns. @throws SconceError `BATCH_SHARD` for columns of different lengths
 */
export function tableOf(columns: ReadonlyMap<string, Column>): Table {
  let rows: number | undefined;
  let first = "";
  for (const [name, column] of columns) {
    const own = rowsOf(column);
    if (own === undefined)
      throw badShard(
        `the tensor ${JSON.stringify(name)} has no dimensions, and dimension 0 counts rows`,
        "write one element a row",
      );
    if (rows !== undefined && rows !== own)
      throw badShard(
        `the columns have different numbers of rows: ${JSON.stringify(first)} ${rows}, ${JSON.stringify(name)} ${own}`,
        "write one entry of each column for each row",
      );
    if (rows === undefined) [rows, first] = [own, name];
  }
  return { rows: rows ?? 0, columns };
}

/** Returns some rows of a column; a tensor is a view. */
export function columnRows(column: Column, start: number, end: number): Column {
  if (!(column instanceof Tensor)) return column.slice(start, end);
  const { dtype, shape, strides, storage, storageOffset } = column;
  return new Tensor({
    dtype,
    shape: [end - start, ...shape.slice(1)],
    strides: [...strides],
    storage,
    storageOffset: storageOffset + start * (strides[0] ?? 0),
  });
}

/** Returns some rows of a table. */
export const tableRows = ({ columns }: Table, start: number, end: number): Table => ({
  rows: end - start,
  columns: new Map([...columns].map(([name, column]) => [name, columnRows(column, start, end)])),
});

/** Returns the bytes of a tensor's elements in row-major order; a view where they lie so. */
export function rowMajorBytes(tensor: Tensor): Uint8Array {
  const { dtype, storage, storageOffset, numel } = tensor.contiguous();
  const { itemSize } = dtypeInfo(dtype);
  return storage.bytes.subarray(storageOffset * itemSize, (storageOffset + numel) * itemSize);
}

/** Returns rows of parts, one part after the other, and copies of the last row up to `rows`. */
export function gathered(parts: readonly Tensor[], rows: number): Tensor {
  const [first] = parts;
  const result = Tensor.empty([rows, ...first!.shape.slice(1)], first!.dtype);
  const { bytes } = result.storage;
  let at = 0;
  for (const part of parts) {
    const own = rowMajorBytes(part);
    bytes.set(own, at);
    at += own.length;
  }
  const rowBytes = bytes.length / Math.max(rows, 1);
  if (at > 0) for (; at < bytes.length; at += rowBytes) bytes.copyWithin(at, at - rowBytes, at);
  return result;
}

/** A shape of one row; sizes that may be any are undefined. */
export type RowShape = readonly (number | undefined)[];

/** `float32[_, 8]` for messages. */
const rowTypeText = (dtype: string, shape: RowShape, rows: readonly string[] = ["rows"]): string =>
  `${dtype}[${[...rows, ...shape.map((size) => size ?? "_")].join(", ")}]`;

/**
 * Returns a column as a tensor of a dtype and a shape of rows. Tensors must have both; values are
 * converted where the dtype holds them: integers exactly, floats rounded.
 *
 * @param firstRow the position of the first row in the shard, for errors
 * @throws SconceError `BATCH_SHARD`
 */
export function columnTensor(
  name: string,
  column: Column,
  dtype: DType,
  rowShape: RowShape,
  firstRow = 0,
): Tensor {
  if (column instanceof Tensor) return requireType(name, column, dtype, rowShape);
  const shape = shapeOfFirst(name, column, rowShape, firstRow);
  const result = Tensor.empty([column.length, ...shape], dtype);
  const write = elementWriter(dtype, result.data);
  const convert = converter(dtype);
  let at = 0;
  const put = (value: unknown, depth: number, row: number): void => {
    if (depth < shape.length) {
      const items = itemsOf(value);
      if (items === undefined || items.length !== shape[depth])
        throw wrongRow(
          name,
          dtype,
          rowShape,
          row,
          items === undefined ? valueText(value) : `a list of ${items.length} elements`,
        );
      for (const item of Array.from(items)) put(item, depth + 1, row);
      return;
    }
    const element = convert(value);
    if (element === undefined) throw wrongRow(name, dtype, rowShape, row, valueText(value));
    write(at++, element);
  };
  const width = numel(shape);
  for (let row = 0; row < column.length; row++) {
    const value = listOf(column[row], shape.length);
    const flat = isFlat(value, shape.length) && value.length === width;
    // Columns `x_0`, `x_1`, ... of CSV, and lists of Arrow, have the elements in one list.
    if (flat) for (const item of value) put(item, shape.length, firstRow + row);
    else put(value, 0, firstRow + row);
  }
  return result;
}

function requireType(name: string, tensor: Tensor, dtype: DType, rowShape: RowShape): Tensor {
  const own = tensor.shape.slice(1);
  const fits = own.length === rowShape.length && own.every((size, d) => (rowShape[d] ?? size) === size);
  if (tensor.dtype === dtype && fits) return tensor;
  throw badShard(
    `the column ${JSON.stringify(name)} is ${tensor.dtype}[${tensor.shape.join(", ")}], and the program takes ${rowTypeText(dtype, rowShape)}`,
    "write the column so, or convert it in `before` of --map",
  );
}

/** Reads a list that a text of CSV holds as JSON. */
function listOf(value: unknown, depth: number): unknown {
  if (depth === 0 || typeof value !== "string" || !value.trimStart().startsWith("[")) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Returns whether a list for several dimensions has elements in place of lists. */
const isFlat = (value: unknown, depth: number): value is readonly unknown[] =>
  depth > 1 && Array.isArray(value) && value.every((item) => itemsOf(item) === undefined);

/** Sizes that may be any are those of the first row. */
function shapeOfFirst(
  name: string,
  column: readonly unknown[],
  rowShape: RowShape,
  firstRow: number,
): number[] {
  let value = listOf(column[0], rowShape.length);
  return rowShape.map((size) => {
    if (size !== undefined && itemsOf(value) === undefined) return size;
    const items = itemsOf(value);
    if (column.length === 0) return size ?? 0;
    if (items === undefined) throw wrongRow(name, "values", rowShape, firstRow, valueText(column[0]));
    value = items[0];
    return size ?? items.length;
  });
}

/** Arrays, and typed arrays with their elements. */
const itemsOf = (value: unknown): ArrayLike<unknown> | undefined =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))
    ? (value as unknown as ArrayLike<unknown>)
    : undefined;

const wrongRow = (name: string, dtype: string, rowShape: RowShape, row: number, got: string): Error =>
  badShard(
    `the column ${JSON.stringify(name)} holds ${got}, and the program takes ${rowTypeText(dtype, rowShape, [])} a row`,
    "correct the row, or convert the column in `before` of --map",
    row,
  );

function valueText(value: unknown): string {
  if (itemsOf(value) !== undefined) return "a list";
  if (value === undefined || value === "") return "no value";
  const text = typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? typeof value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

const FLOAT_WORDS: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  "-infinity": Number.NEGATIVE_INFINITY,
};
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Returns what makes an element of a value; it gives undefined for what the dtype does not hold.
 */
function converter(dtype: DType): (value: unknown) => Element | undefined {
  const { kind, itemSize, signed } = dtypeInfo(dtype);
  if (kind === "bool") return boolOf;
  if (kind === "float") return floatOf;
  if (kind === "complex") return () => undefined;
  const bits = BigInt(8 * itemSize);
  const [low, high] = signed ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  return (value) => {
    const whole = integerOf(value);
    return whole !== undefined && whole >= low && whole <= high ? whole : undefined;
  };
}

function boolOf(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = String(value).trim().toLowerCase();
  if (text === "1" || text === "true") return true;
  return text === "0" || text === "false" ? false : undefined;
}

function floatOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return NUMBER.test(text) ? Number(text) : FLOAT_WORDS[text.toLowerCase()];
}

function integerOf(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value;
  // A larger number of JSON has lost digits already.
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === "string" && /^\s*[+-]?\d{1,30}\s*$/.test(value)
    ? BigInt(value.trim().replace(/^\+/, ""))
    : undefined;
}
