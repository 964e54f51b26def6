import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
const i64 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values.map(BigInt), shape, "int64");
const reduce = (data: Tensor, how: string, options: object): unknown[] => [
  ...(evaluate("aten.segment_reduce.default", [data, how], options as never) as Tensor).toArray(),
];

describe("segments", () => {
  test("are reduced by their lengths or offsets", () => {
    const data = f32([1, 2, 3, 4]);
    expect(reduce(data, "sum", { lengths: i64([1, 3]) })).toEqual([1, 9]);
    expect(reduce(data, "mean", { offsets: i64([0, 2, 4]) })).toEqual([1.5, 3.5]);
    expect(reduce(data, "prod", { lengths: i64([4, 0]), initial: 2 })).toEqual([48, 2]);
    const rows = f32([1, 2, 3, 4, 5, 6], [2, 3]);
    expect(reduce(rows, "max", { lengths: i64([1, 2, 3, 0], [2, 2]), axis: 1 })).toEqual([
      1,
      3,
      6,
      -Infinity,
    ]);
  });

  test("without elements give the neutral value, the mean none", () => {
    const empty = { lengths: i64([1, 0]) };
    const emptySegment = (how: string): unknown => reduce(f32([7]), how, empty)[1];
    expect(["sum", "prod", "amax", "amin", "mean"].map(emptySegment)).toEqual([
      0,
      1,
      -Infinity,
      Infinity,
      Number.NaN,
    ]);
  });

  test("round every step in their own dtype", () => {
    const ones = Tensor.from(new Array(600).fill(1), [600], "bfloat16");
    expect(reduce(ones, "sum", { lengths: i64([600]) })).toEqual([256]);
  });

  test("refuse what does not cover the data", () => {
    const data = f32([1, 2, 3]);
    expect(() => reduce(data, "sum", { lengths: i64([1, 1]) })).toThrow("to sum to data.size");
    expect(() => reduce(data, "sum", { lengths: i64([4]), unsafe: true })).toThrow("outside of the data");
    expect(() => reduce(data, "sum", { lengths: i64([-1, 4]) })).toThrow("negative value");
    expect(() => reduce(data, "total", { lengths: i64([3]) })).toThrow("got total");
    expect(() => reduce(data, "sum", {})).toThrow("Either lengths or offsets");
  });

  test("hand gradients back to their elements", () => {
    const back = (grad: number, output: number, data: readonly number[], how: string): unknown[] => [
      ...(
        evaluate("aten._segment_reduce_backward.default", [f32([grad]), f32([output]), f32(data), how], {
          lengths: i64([3]),
        }) as Tensor
      ).toArray(),
    ];
    expect(back(1, 2, [2, 2, 1], "max")).toEqual([0.5, 0.5, 0]);
    expect(back(-1, 2, [2, 2, 1], "max")).toEqual([-1, -1, 0]);
    expect(back(1, 0, [0, 2, 3], "prod")).toEqual([6, 0, 0]);
    expect(back(3, 2, [1, 2, 3], "mean")).toEqual([1, 1, 1]);
  });
});
