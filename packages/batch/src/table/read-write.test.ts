import { type DType, Tensor } from "@sconce/tensor";
import { Table as ArrowTable, Field, Float64, List, tableToIPC, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import type { Column } from "../batch-map.js";
import { formatOf, SHARD_FORMATS, type ShardFormat } from "../shard-format.js";
import { columnTensor, type Table } from "./columns.js";
import { readTable, writeTable } from "./read-write.js";

const table = (columns: Readonly<Record<string, Column>>, rows: number): Table => ({
  rows,
  columns: new Map(Object.entries(columns)),
});

const DTYPES: readonly DType[] = [
  ...(["float64", "float32", "float16", "int8", "int16", "int32", "int64"] as const),
  ...(["uint8", "uint16", "uint32", "uint64", "bool"] as const),
];

/** Six elements that need the whole range of a dtype. */
function extremes(dtype: DType): Tensor {
  if (dtype === "bool") return Tensor.from([true, false, false, true, true, false], [3, 2], dtype);
  if (dtype.startsWith("float"))
    return Tensor.from([0.1, -2.5, Number.NaN, Infinity, -Infinity, 65504], [3, 2], dtype);
  const bits = BigInt(dtype.replace(/\D+/, ""));
  const isSigned = dtype.startsWith("int");
  const low = isSigned ? -(1n << (bits - 1n)) : 0n;
  const high = (1n << (isSigned ? bits - 1n : bits)) - 1n;
  return Tensor.from([low, high, 0n, 1n, high - 1n, low + 1n], [3, 2], dtype);
}

describe.each(SHARD_FORMATS)("%s", (format) => {
  test.each(DTYPES)("gives back every value of %s", async (dtype) => {
    const values = extremes(dtype);
    const single = Tensor.from(values.toArray().slice(0, 3), [3], dtype);
    const bytes = await writeTable(table({ values, single }, 3), format);
    const { rows, columns } = await readTable(bytes, format);
    expect(rows).toBe(3);
    expect(columnTensor("values", columns.get("values")!, dtype, [2])).toEqual(values);
    expect(columnTensor("single", columns.get("single")!, dtype, [])).toEqual(single);
  });

  test("nests rows of several dimensions", async () => {
    const values = Tensor.from(
      Array.from({ length: 24 }, (_, i) => i / 4),
      [2, 3, 1, 4],
      "float32",
    );
    const { columns } = await readTable(await writeTable(table({ values }, 2), format), format);
    expect(columnTensor("values", columns.get("values")!, "float32", [3, 1, 4])).toEqual(values);
  });

  test("refuses a file of another format", async () => {
    const bytes = new TextEncoder().encode('\u0001,"\n\u0002\n{');
    await expect(readTable(bytes, format)).rejects.toMatchObject({
      code: expect.stringMatching(/^(BATCH_SHARD|SAFETENSORS)$/),
    });
  });
});

describe.each(["ndjson", "csv", "arrow", "parquet"] as const)("texts in %s", (format: ShardFormat) => {
  test("are values", async () => {
    const id = ["a,b", 'say "no"', "line\nend"];
    const { columns } = await readTable(await writeTable(table({ id }, 3), format), format);
    expect(columns.get("id")).toEqual(id);
  });
});

test("texts do not fit safetensors files, numbers do", async () => {
  await expect(writeTable(table({ id: ["a"] }, 1), "safetensors")).rejects.toMatchObject({
    code: "BATCH_SHARD",
    message: expect.stringMatching(/"id".*not a tensor/),
  });
  const { columns } = await readTable(
    await writeTable(table({ n: [1, 2] }, 2), "safetensors"),
    "safetensors",
  );
  expect(columns.get("n")).toEqual(Tensor.from([1, 2]));
});

test("values of several types do not fit Arrow", async () => {
  await expect(writeTable(table({ id: [1, "a", true] }, 3), "arrow")).rejects.toMatchObject({
    code: "BATCH_SHARD",
    message: expect.stringMatching(/"id" are not of one type/),
  });
});

test("elements that formats do not have are written as the nearest that hold them", async () => {
  const values = Tensor.from([1.5, -3], [2], "bfloat16");
  const { columns } = await readTable(await writeTable(table({ values }, 2), "arrow"), "arrow");
  expect(columns.get("values")).toEqual(Tensor.from([1.5, -3], [2], "float32"));
  const complex = Tensor.from([{ re: 1, im: 2 }], [1], "complex64");
  for (const format of ["csv", "ndjson", "arrow", "parquet"] as const)
    await expect(writeTable(table({ complex }, 1), format)).rejects.toMatchObject({
      message: expect.stringMatching(/"complex" is complex64/),
    });
});

test("Arrow columns with nulls and lists of different lengths are values", async () => {
  const list = vectorFromArray([[1], [2, 3], []], new List(new Field("item", new Float64())));
  const bytes = tableToIPC(new ArrowTable({ n: vectorFromArray([1, null, 3]), list }), "file");
  const { columns } = await readTable(bytes, "arrow");
  expect(columns.get("n")).toEqual([1, null, 3]);
  expect(columns.get("list")).toEqual([[1], [2, 3], []]);
  expect(() => columnTensor("n", columns.get("n")!, "float32", [])).toThrow(/"n" holds null/);
});

describe("values as elements", () => {
  test.each([
    ["int64", "9007199254740993", 9007199254740993n],
    ["int32", " -5 ", -5],
    ["uint8", 255, 255],
    ["float32", "1e3", 1000],
    ["float32", "-inf", -Infinity],
    ["bool", "true", true],
    ["bool", 0, false],
  ] as const)("%s holds %j", (dtype, value, element) => {
    expect(columnTensor("x", [value], dtype, []).toArray()).toEqual([element]);
  });

  test.each([
    ["int64", 9007199254740992],
    ["int32", 2147483648],
    ["uint8", -1],
    ["int8", 1.5],
    ["int8", "1.5"],
    ["float32", ""],
    ["float32", "0x10"],
    ["float32", null],
    ["float32", [1]],
    ["bool", 2],
  ] as const)("%s does not hold %j", (dtype, value) => {
    expect(() => columnTensor("x", [1, value], dtype, [], 40)).toThrow(
      expect.objectContaining({ code: "BATCH_SHARD", where: "row 41" }),
    );
  });

  test("sizes that may be any are those of the first row", () => {
    expect(
      columnTensor(
        "x",
        [
          [1, 2],
          [3, 4],
        ],
        "float32",
        [undefined],
      ).shape,
    ).toEqual([2, 2]);
    expect(() => columnTensor("x", [[1, 2], [3]], "float32", [undefined])).toThrow(/a list of 1 elements/);
  });

  test("a text may hold a list as JSON", () => {
    expect(columnTensor("x", ["[[1, 2]]", "[[3, 4]]"], "float32", [1, 2]).toArray()).toEqual([1, 2, 3, 4]);
  });
});

test("CSV refuses records of other lengths and names that come twice", async () => {
  const read = (text: string) => readTable(new TextEncoder().encode(text), "csv");
  await expect(read("a,b\n1,2\n3\n")).rejects.toMatchObject({
    code: "BATCH_SHARD",
    where: "row 1",
    fix: "give each line as many fields as the first",
  });
  await expect(read('a,b\n1,2\n"3,4\n')).rejects.toMatchObject({
    code: "BATCH_SHARD",
    where: "row 1",
    fix: expect.stringMatching(/^correct the quotes/),
  });
  await expect(read("a,a\n1,2\n")).rejects.toThrow(/"a" comes twice/);
  const { columns } = await read("\uFEFFx_0,x_1,id\r\n1,2,a\r\n");
  expect(columns.get("x")).toEqual([["1", "2"]]);
});

test.each(["ndjson", "csv"] as const)("%s names the line that is not UTF-8", async (format) => {
  const bytes = (text: string) => Buffer.from(text, "latin1");
  for (const [text, line] of [
    ["a\n1\n\xff\n\xff\n", 3],
    ["\xe9", 1],
    ["a\n1\n\xc3", 3],
  ] as const)
    await expect(readTable(bytes(text), format)).rejects.toMatchObject({
      code: "BATCH_SHARD",
      message: `the file is not text in UTF-8: the line ${line} is not`,
    });
});

test("an ending names the format", () => {
  expect(formatOf("a/b.JSONL")).toBe("ndjson");
  expect(() => formatOf("a.txt")).toThrow(expect.objectContaining({ code: "BATCH_OPTION" }));
});
