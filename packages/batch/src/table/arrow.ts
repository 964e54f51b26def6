/** @file Shards of Apache Arrow: files, Feather version 2, and streams. */
import { thrownText } from "@sconce/errors";
import { castTensor, type DType, dtypeInfo, Tensor, type TypedArray } from "@sconce/tensor";
import type { Table as ArrowTable, Data, DataType, Vector } from "apache-arrow";
import type { Column } from "../batch-map.js";
import { badShard, notInstalled } from "../errors.js";
import { rowMajorBytes, type Table, tableOf } from "./columns.js";
import { fieldOf, refuseComplex } from "./elements.js";

type Arrow = typeof import("apache-arrow");

const loadArrow = (): Promise<Arrow> =>
  import("apache-arrow").catch((error: unknown) => {
    throw notInstalled("apache-arrow", "Arrow and Parquet", error);
  });

/** @throws SconceError `BATCH_SHARD`, `BATCH_PACKAGE` */
export async function readArrow(bytes: Uint8Array): Promise<Table> {
  const arrow = await loadArrow();
  let table: ArrowTable;
  try {
    table = arrow.tableFromIPC(bytes);
  } catch (error) {
    throw badShard(
      `the file is not Arrow: ${thrownText(error)}`,
      "write it as an Arrow file or stream",
      undefined,
      error,
    );
  }
  const columns = table.schema.fields.map(({ name }, i): [string, Column] => [
    name,
    columnOf(arrow, table.getChildAt(i)!),
  ]);
  if (columns.length === 0) throw badShard("the file has no columns", "write columns");
  return tableOf(new Map(columns));
}

/** Numbers without nulls are a tensor, lists of a fixed size, too; others are values. */
function columnOf(arrow: Arrow, vector: Vector): Column {
  const parts = vector.data.map((data) => denseOf(arrow, data as Data));
  const [first] = parts;
  if (first === undefined || parts.includes(undefined)) return Array.from(vector, (value) => plain(value));
  const { dtype, shape } = first;
  const bytes = Buffer.concat(parts.map((part) => part!.bytes));
  const { array } = dtypeInfo(dtype);
  const data = new array(new Uint8Array(bytes).buffer, 0, bytes.length / array.BYTES_PER_ELEMENT);
  return Tensor.fromData(data, dtype, [vector.length, ...shape.slice(1)]);
}

interface Dense {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Returns the elements of a chunk that is numbers, or lists of a fixed size of such. */
function denseOf({ DataType: Types }: Arrow, data: Data): Dense | undefined {
  const dense = (chunk: Data, start: number, length: number): Dense | undefined => {
    const { type } = chunk;
    if (chunk.nullCount > 0) return undefined;
    if (Types.isFixedSizeList(type)) {
      const size = type.listSize;
      // A list whose offset is not 0 has a child that begins there, too.
      const inner = dense(chunk.children[0]!, start * size, length * size);
      return inner && { ...inner, shape: [length, size, ...inner.shape.slice(1)] };
    }
    const dtype = dtypeOf(Types, type);
    if (dtype === undefined) return undefined;
    const values = chunk.values as TypedArray;
    const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = values;
    const bytes = new Uint8Array(buffer, byteOffset + start * size, length * size);
    return { dtype, shape: [length], bytes };
  };
  return dense(data, 0, data.length);
}

function dtypeOf(Types: typeof DataType, type: DataType): DType | undefined {
  if (Types.isInt(type)) return `${type.isSigned ? "int" : "uint"}${type.bitWidth}` as DType;
  if (Types.isFloat(type)) return (["float16", "float32", "float64"] as const)[type.precision];
  return undefined;
}

/** Lists and structures of Arrow as arrays and objects. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Symbol.iterator in value && "toArray" in value) return Array.from(value as Iterable<unknown>, plain);
  return "toJSON" in value ? (value as { toJSON(): unknown }).toJSON() : value;
}

/** Returns an Arrow file. @throws SconceError `BATCH_SHARD`, `BATCH_PACKAGE` */
export async function writeArrow(table: Table): Promise<Uint8Array> {
  const arrow = await loadArrow();
  return arrow.tableToIPC(arrowTable(arrow, table), "file");
}

/** Returns the same as a stream, which writers of Parquet take. */
export async function arrowStream(table: Table): Promise<Uint8Array> {
  const arrow = await loadArrow();
  return arrow.tableToIPC(arrowTable(arrow, table), "stream");
}

function arrowTable(arrow: Arrow, { columns }: Table): ArrowTable {
  const vectors = [...columns].map(([name, column]) => [name, vectorOf(arrow, name, column)] as const);
  return new arrow.Table(Object.fromEntries(vectors)) as ArrowTable;
}

function vectorOf(arrow: Arrow, name: string, column: Column): Vector {
  if (!(column instanceof Tensor)) return valuesVector(arrow, name, column.map(fieldOf));
  const tensor = storable(name, column);
  const [rows = 0, ...sizes] = tensor.shape;
  let data = leafData(arrow, tensor);
  for (const size of sizes.reverse()) {
    const type = new arrow.FixedSizeList(size, new arrow.Field("item", data.type, false));
    const length = size === 0 ? rows : data.length / size;
    data = arrow.makeData({ type, length, nullCount: 0, child: data }) as Data;
  }
  return new arrow.Vector([data]);
}

function valuesVector(arrow: Arrow, name: string, values: readonly unknown[]): Vector {
  try {
    return arrow.vectorFromArray(values) as Vector;
  } catch (error) {
    throw badShard(
      `the values of the column ${JSON.stringify(name)} are not of one type of Arrow: ${thrownText(error)}`,
      "return texts only, or numbers only, from `after` of --map",
      undefined,
      error,
    );
  }
}

/** Arrow has no bfloat16 and no float8: float32 holds their values exactly. */
function storable(name: string, tensor: Tensor): Tensor {
  refuseComplex(name, tensor);
  const isOther = tensor.dtype === "bfloat16" || tensor.dtype.startsWith("float8");
  return isOther ? castTensor(tensor, "float32") : tensor;
}

function leafData(arrow: Arrow, tensor: Tensor): Data {
  const { dtype, numel } = tensor;
  const bytes = rowMajorBytes(tensor);
  if (dtype === "bool") {
    const bits = new Uint8Array(Math.ceil(numel / 8));
    for (let i = 0; i < numel; i++) if (bytes[i] !== 0) bits[i >> 3]! |= 1 << (i & 7);
    return arrow.makeData({ type: new arrow.Bool(), length: numel, nullCount: 0, data: bits }) as Data;
  }
  const { array } = dtypeInfo(dtype);
  const data = new array(new Uint8Array(bytes).buffer, 0, numel);
  const name = `${dtype[0]!.toUpperCase()}${dtype.slice(1)}` as "Float32";
  const type = new arrow[name]();
  return arrow.makeData({ type, length: numel, nullCount: 0, data: data as Float32Array }) as Data;
}
