import type { FakeTensor } from "@sconce/ir";
import { type IntLike, mul, ShapeEnv, STATIC_ENV, type SymEnv, symbol } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { fake } from "../rules/fake.js";
import { metaOf } from "../table/fake-emit.js";
import { defaultOperators } from "./all.js";

const call = (target: string, args: readonly unknown[], env: SymEnv = STATIC_ENV): FakeTensor =>
  metaOf(defaultOperators(), target, args, {}, env) as FakeTensor;
const tensor = (
  shape: readonly IntLike[],
  strides?: readonly IntLike[],
  storageOffset?: number,
): FakeTensor => fake({ dtype: "float32", shape, strides, storageOffset });
const layout = ({ shape, strides, storageOffset }: FakeTensor) => ({ shape, strides, storageOffset });

describe("views of plain sizes", () => {
  test.each([
    ["aten.view.default", tensor([2, 3, 4], [12, 4, 1]), [[6, 4]], [6, 4], [4, 1], 0],
    ["aten.view.default", tensor([2, 3], [6, 2]), [[6]], [6], [2], 0],
    ["aten.view.default", tensor([2, 3]), [[-1, 1, 2]], [3, 1, 2], [2, 2, 1], 0],
    ["aten.slice.Tensor", tensor([5, 3]), [0, 1, 9223372036854775807n, 2], [2, 3], [6, 1], 3],
    ["aten.slice.Tensor", tensor([5]), [0, -2, null], [2], [1], 3],
    ["aten.select.int", tensor([5, 3]), [1, -1], [5], [3], 2],
    ["aten.diagonal.default", tensor([3, 4]), [-1], [2], [5], 4],
    ["aten.expand.default", tensor([3, 1]), [[2, -1, 4]], [2, 3, 4], [0, 1, 0], 0],
    ["aten.unsqueeze.default", tensor([2, 3]), [1], [2, 1, 3], [3, 3, 1], 0],
    ["aten.unfold.default", tensor([7]), [0, 3, 2], [3, 3], [2, 1], 0],
    // Copies of all memory behind a tensor, as PyTorch 2.14 gives them for rows from 2 on of a
    // matrix.
    ["aten.slice_scatter.default", tensor([4, 8], [8, 1], 16), [tensor([1, 8]), 0, 0, 1], [4, 8], [8, 1], 16],
    ["aten.select_scatter.default", tensor([4, 8], [8, 1], 16), [tensor([8]), 0, 0], [4, 8], [8, 1], 16],
    ["aten.diagonal_scatter.default", tensor([4, 8], [8, 1], 16), [tensor([4])], [4, 8], [8, 1], 16],
    ["aten.slice_scatter.default", tensor([4, 2], [0, 1], 3), [tensor([1, 2]), 0, 0, 1], [4, 2], [2, 1], 0],
    ["aten.view.dtype", tensor([2, 4], undefined, 4), ["float64"], [2, 2], [2, 1], 2],
  ] as const)("%s", (target, self, args, shape, strides, storageOffset) => {
    expect(layout(call(target, [self, ...args]))).toEqual({ shape, strides, storageOffset });
  });

  test("a view that would need a copy is refused, with PyTorch's advice", () => {
    expect(() => call("aten.view.default", [tensor([2, 3], [1, 2]), [6]])).toThrowError(
      /Use \.reshape\(\.\.\.\) instead/,
    );
  });

  test("reshape copies where a view cannot do", () => {
    expect(call("aten.reshape.default", [tensor([2, 3], [1, 2]), [6]]).strides).toEqual([1]);
  });
});

describe("views of symbolic sizes", () => {
  const n = symbol("s0");

  test("a slice to the end keeps the expression", () => {
    const env = new ShapeEnv();
    expect(call("aten.slice.Tensor", [tensor([n, 4]), 0, 0, 9223372036854775807n], env).shape).toEqual([
      n,
      4,
    ]);
  });

  test("-1 is inferred", () => {
    const { shape, strides } = call("aten.view.default", [tensor([n, 4]), [-1, 2]], new ShapeEnv());
    expect(shape.map(String)).toEqual([String(mul(n, 2)), "2"]);
    expect(strides).toEqual([2, 1]);
  });
});
