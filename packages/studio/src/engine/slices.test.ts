import { type DType, type Element, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { elementText } from "./element-text.js";
import type { NodeValue } from "./node-values.js";
import type { SliceStart } from "./protocol.js";
import { sliceView } from "./slices.js";

const FIRST: SliceStart = { index: [], row: 0, column: 0 };

const ofTensors = (...tensors: readonly Tensor[]): NodeValue => ({
  tensors: tensors.map((tensor, i) => ({ backend: ["cpu", "wasm"][i]!, tensor })),
  problem: undefined,
});

const counted = (shape: readonly number[], dtype: DType = "float32"): Tensor =>
  Tensor.from(
    Array.from({ length: shape.reduce((product, size) => product * size, 1) }, (_, i) => i),
    shape,
    dtype,
  );

test("shows the slice of an index, row by row", () => {
  const view = sliceView("x", ofTensors(counted([2, 3, 2, 4])), { index: [1, 2], row: 0, column: 0 });
  expect(view).toMatchObject({ rows: 2, columns: 4, start: { index: [1, 2] }, dtype: "float32" });
  expect(view.tables[0]!.texts).toEqual([
    ["40.0", "41.0", "42.0", "43.0"],
    ["44.0", "45.0", "46.0", "47.0"],
  ]);
  const { width, height, gray } = view.tables[0]!.picture!;
  expect([width, height, gray.length]).toEqual([4, 2, 8]);
  // The range is that of the whole value.
  expect(gray[7]).toBe(255);
  expect(gray[0]).toBe(Math.round((40 * 255) / 47));
});

test.each([
  [[], 1, 1],
  [[5], 5, 1],
  [[3000], 400, 1],
  [[3, 3], 3, 3],
  [[1000, 1000], 25, 16],
  [[2, 1000], 2, 200],
  [[1000, 3], 133, 3],
])("a page of %j has %i x %i elements", (shape, rows, columns) => {
  const { texts } = sliceView("x", ofTensors(counted(shape, "int32")), FIRST).tables[0]!;
  expect([texts.length, texts[0]!.length]).toEqual([rows, columns]);
  expect(texts[0]![0]).toBe("0");
});

test("the last page has what is left, and starts outside of the value are moved into it", () => {
  const value = ofTensors(counted([50, 50], "int32"));
  const { texts } = sliceView("x", value, { index: [], row: 40, column: 48 }).tables[0]!;
  expect([texts.length, texts[0]!.length, texts[9]![1]]).toEqual([10, 2, "2499"]);
  expect(sliceView("x", value, { index: [9], row: -3, column: 80 }).start).toEqual({
    index: [],
    row: 0,
    column: 49,
  });
  expect(
    sliceView("x", ofTensors(counted([2, 2, 2])), { index: [Number.NaN], row: 0.5, column: 0 }).start,
  ).toEqual({
    index: [0],
    row: 0,
    column: 0,
  });
});

test.each([[[0]], [[0, 3]], [[2, 0]], [[0, 4, 4]]])("an empty value %j has no elements", (shape) => {
  const view = sliceView("x", ofTensors(counted(shape), counted(shape)), FIRST);
  expect(view.tables.map(({ texts, picture }) => [texts, picture])).toEqual([
    [[], undefined],
    [[], undefined],
  ]);
  expect(view.firstDifference).toBeUndefined();
});

test.each<[DType, Element, string]>([
  ["int64", 9007199254740993n, "9007199254740993"],
  ["uint64", 18446744073709551615n, "18446744073709551615"],
  ["int8", -128, "-128"],
  ["bool", true, "True"],
  ["float64", 0.1, "0.1"],
  ["float64", 1 / 3, "0.3333333333333333"],
  ["float32", 0.1, "0.1"],
  ["float32", 16777216, "16777216.0"],
  ["float32", 1e-5, "1e-05"],
  ["float32", 3.4e38, "3.4e+38"],
  ["float32", -0, "-0.0"],
  ["float32", Number.NaN, "nan"],
  ["float32", Number.NEGATIVE_INFINITY, "-inf"],
  ["float16", 0.1, "0.1"],
  ["float16", 65504, "65504.0"],
  ["bfloat16", 3.140625, "3.14"],
  ["float8_e4m3fn", 0.1015625, "0.1"],
  ["complex64", { re: 1, im: -2.5 }, "1-2.5j"],
  ["complex32", { re: 0.1, im: Number.NaN }, "0.1+nanj"],
])("%s %s is written as %s", (dtype, element, text) => {
  const tensor = Tensor.from([element], [1], dtype);
  expect(elementText(dtype)(tensor.toArray()[0]!)).toBe(text);
});

test("the text of a float gives the same float again", () => {
  for (const dtype of ["float16", "bfloat16", "float32", "float64"] as const) {
    const numbers = Array.from({ length: 200 }, (_, i) => Math.sin(i) * 10 ** ((i % 40) - 20));
    const elements = Tensor.from(numbers, [200], dtype).toArray().filter(Number.isFinite);
    const again = Tensor.from(
      elements.map(elementText(dtype)).map(Number),
      [elements.length],
      dtype,
    ).toArray();
    expect(again).toEqual(elements);
  }
});

test("marks the elements of a second value that differ, by how much", () => {
  const want = Tensor.from([1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2], "float32");
  const got = Tensor.from([1, 2, 3, 4, 5, 6.0000005, 7.5, Number.NaN], [2, 2, 2], "float32");
  const same = sliceView("x", ofTensors(want, got), FIRST);
  expect(same.marks).toEqual([
    ["", ""],
    ["", ""],
  ]);
  expect(same.differing).toBe(0);
  expect(same.firstDifference).toEqual({ index: [1], row: 1, column: 0 });
  const second = sliceView("x", ofTensors(want, got), { index: [1], row: 0, column: 0 });
  expect(second.marks).toEqual([
    ["", "close"],
    ["differs", "differs"],
  ]);
  expect(second.differing).toBe(2);
  expect(second.tables.map(({ texts }) => texts[1]![0])).toEqual(["7.0", "7.5"]);
});

test("integers and complex elements are compared exactly and in the plane", () => {
  const integers = [9007199254740992n, 9007199254740993n].map((one) => Tensor.from([one], [1], "int64"));
  expect(sliceView("x", ofTensors(...integers), FIRST).marks).toEqual([["differs"]]);
  const complex = [0, 1].map((im) => Tensor.from([{ re: 1, im }], [], "complex64"));
  expect(sliceView("x", ofTensors(...complex), FIRST)).toMatchObject({ marks: [["differs"]], differing: 1 });
});
