/** @file Weights of 4 bits as PyTorch packs them for other processors, and products with them. */
import { createEvaluator, declareInt4Layout } from "@sconce/backend-cpu";
import { defaultOperators, type Int4Layout, int4Place } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { fixtureJson } from "./fixtures.js";

type Recorded = Readonly<Record<string, Readonly<Record<string, readonly [levels: string, packed: string]>>>>;

const recorded = fixtureJson("ops/int4-layouts.json.gz") as Recorded;
const calls = Object.entries(recorded).flatMap(([layout, shapes]) =>
  Object.entries(shapes).map(([shape, texts]) => [layout as Int4Layout, shape, ...texts] as const),
);
const evaluate = createEvaluator({ operators: defaultOperators() });

test.each(calls)("%s packs %s as PyTorch does", (layout, shape, levels, packed) => {
  const [rows, columns] = shape.split(",").map(Number) as [number, number];
  const halves = Array.from(packed, (_, i) => packed[i ^ 1]);
  const found = Array.from(levels, (_, i) => {
    const place = int4Place({ layout, rows, columns, innerTiles: 1 }, Math.floor(i / columns), i % columns);
    return halves[place];
  });
  expect(found.join("")).toBe(levels);
});

const devices = (["nvidia", "amd"] as const).flatMap((layout) =>
  ([2, 4, 8] as const).map((innerTiles) => [layout, innerTiles] as const),
);
test.each(devices)("%s has one place for each value, with %i tiles together", (layout, innerTiles) => {
  const [rows, columns] = [32, 256];
  const places = new Set<number>();
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      places.add(int4Place({ layout, rows, columns, innerTiles }, row, column));
  expect(places.size).toBe(rows * columns);
  expect(Math.max(...places)).toBe(rows * columns - 1);
});

const levelsOf = (rows: number, columns: number): number[] =>
  Array.from({ length: rows * columns }, (_, i) => (i * 7 + (i >> 4)) % 16);

/** `x @ ((level - 8) * scale + zero).T` with numbers that no step rounds. */
const wanted = (x: readonly number[], levels: readonly number[], rows: number, columns: number): number[] =>
  Array.from({ length: rows }, (_, r) =>
    x.reduce((sum, value, c) => sum + value * ((levels[r * columns + c]! - 8) * 0.5 + 1), 0),
  );

const settings = (rows: number, columns: number): Tensor =>
  Tensor.from(
    Array.from({ length: (columns / 32) * rows * 2 }, (_, i) => (i % 2 === 0 ? 0.5 : 1)),
    [columns / 32, rows, 2],
    "float32",
  );

test("a weight that the same process packed is read in its layout", () => {
  const [rows, columns] = [96, 64];
  const levels = levelsOf(rows, columns);
  const x = Array.from({ length: columns }, (_, i) => (i % 5) - 2);
  const packed = evaluate("aten._convert_weight_to_int4pack_for_cpu.default", [
    Tensor.from(levels, [rows, columns], "int32"),
    2,
  ]) as Tensor;
  const given = [Tensor.from(x, [1, columns], "float32"), packed, 32, settings(rows, columns)];
  const product = evaluate("aten._weight_int4pack_mm_for_cpu.default", given) as Tensor;
  expect(product.toArray()).toEqual(wanted(x, levels, rows, columns));
  const other = Tensor.from(packed.toArray() as number[], packed.shape, "uint8");
  expect(() => evaluate("aten._weight_int4pack_mm_for_cpu.default", given.with(1, other))).toThrow(
    expect.objectContaining({ code: "PACKED_LAYOUT" }),
  );
});

test("a weight of a file is read in the layout that is declared", () => {
  for (const [layout, shapes] of Object.entries(recorded)) {
    const [text, packed] = shapes["96,2"]!;
    const levels = Array.from(text, (digit) => Number.parseInt(digit, 16));
    const bytes = (packed.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
    // 16 times side by side: a group has 32 columns.
    const columns = Array.from({ length: 96 * 32 }, (_, i) => levels[2 * (i >> 5) + (i & 1)]!);
    const weight = Tensor.from(repeated(bytes, layout as Int4Layout), [96, 16], "uint8");
    const x = Array.from({ length: 32 }, (_, i) => (i % 5) - 2);
    const given = [Tensor.from(x, [1, 32], "float32"), weight, 32, settings(96, 32)];
    declareInt4Layout(weight, layout as Int4Layout);
    const product = evaluate("aten._weight_int4pack_mm_for_cpu.default", given) as Tensor;
    expect(product.toArray()).toEqual(wanted(x, columns, 96, 32));
  }
  expect(() => declareInt4Layout(Tensor.from([1], [1], "uint8"), "sse" as Int4Layout)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

/** The bytes of 96 x 2 values as those of 96 x 32: columns of a block follow one another. */
function repeated(bytes: readonly number[], layout: Int4Layout): number[] {
  const block = layout === "avx512" ? 64 : 32;
  const found: number[] = [];
  for (let row = 0; row < 96; row += block) {
    const height = Math.min(block, 96 - row);
    const part = bytes.slice(row, row + height);
    for (let i = 0; i < 16; i++) found.push(...part);
  }
  return found;
}

test("a weight that was packed for a graphics device is read in its layout", () => {
  const [rows, columns] = [16, 128];
  const levels = levelsOf(rows, columns);
  const pairs = Array.from({ length: levels.length / 2 }, (_, i) => levels[2 * i]! * 16 + levels[2 * i + 1]!);
  const x = Array.from({ length: columns }, (_, i) => (i % 5) - 2);
  const packed = evaluate("aten._convert_weight_to_int4pack.default", [
    Tensor.from(pairs, [rows, columns / 2], "uint8"),
    8,
  ]) as Tensor;
  expect(packed.shape).toEqual([2, 1, 32, 4]);
  const given = [Tensor.from(x, [1, columns], "float32"), packed, 32, settings(rows, columns)];
  const product = evaluate("aten._weight_int4pack_mm.default", given) as Tensor;
  expect(product.toArray()).toEqual(wanted(x, levels, rows, columns));
  const other = Tensor.from(packed.toArray() as number[], packed.shape, "int32");
  expect(() => evaluate("aten._weight_int4pack_mm.default", given.with(1, other))).toThrow(
    expect.objectContaining({ code: "PACKED_LAYOUT" }),
  );
});
