import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const run = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): Tensor =>
  evaluate(target, args as never, kwargs as never) as Tensor;
const many = (target: string, args: readonly unknown[]): readonly Tensor[] =>
  evaluate(target, args as never) as unknown as readonly Tensor[];
const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
const i64 = (values: readonly (number | bigint)[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values.map(BigInt), shape, "int64");

describe("reductions", () => {
  test("sums over any dimensions of a strided tensor", () => {
    const x = f32([0, 1, 2, 3, 4, 5], [3, 2]).asStrided([2, 3], [1, 2]);
    expect(run("aten.sum.dim_IntList", [x, [0]]).toArray()).toEqual([1, 5, 9]);
    expect(run("aten.sum.dim_IntList", [x, [-1], true]).shape).toEqual([2, 1]);
    expect(run("aten.sum.dim_IntList", [x, []]).toArray()).toEqual([15]);
  });

  test("long float32 sums do not drift", () => {
    const count = 1_000_000;
    const x = f32(new Array(count).fill(0.1));
    expect(run("aten.sum.default", [x]).toArray()[0]).toBeCloseTo(count * Math.fround(0.1), 0);
  });

  test("int64 sums and products are exact and wrap", () => {
    const x = i64([2n ** 62n, 2n ** 62n + 5n]);
    expect(run("aten.sum.default", [x]).toArray()).toEqual([-(2n ** 63n) + 5n]);
    expect(run("aten.prod.default", [i64([2n ** 53n + 1n, 3])]).toArray()).toEqual([3n * (2n ** 53n + 1n)]);
  });

  test("products of narrower integers wrap as PyTorch's", () => {
    const i32 = Tensor.from([1_234_567_890, 2_147_483_647, -1_987_654_321], [3], "int32");
    const wide = i64([4_611_686_018_427_387_905n, 1_234_567_890_123_456_789n, -987_654_321_987_654_321n]);
    const rows = Tensor.from([181, 201, 255, 9, 181, 255, 77, 3], [8], "uint8");
    const products = (x: Tensor, dtype: string): unknown[] => [
      ...run("aten.prod.dim_int", [x, 0], { dtype }).toArray(),
      ...run("aten.prod.default", [x], { dtype }).toArray(),
      ...run("aten.cumprod.default", [x, 0], { dtype }).toArray(),
    ];
    expect(products(i32, "int32")).toEqual([
      ...[1_317_467_954, 1_317_467_954],
      ...[1_234_567_890, -1_234_567_890, 1_317_467_954],
    ]);
    expect(products(wide, "int32")).toEqual([678_839_931, 678_839_931, 1, 2_112_454_933, 678_839_931]);
    expect(products(rows, "uint8")).toEqual([159, 159, 181, 29, 227, 251, 119, 137, 53, 159]);
    expect(products(rows, "int16")).toEqual([
      -24673, -24673, 181, -29155, -28957, 1531, 14967, 15497, 13621, -24673,
    ]);
  });

  test("empty rows: sum 0, product 1, mean NaN, all true", () => {
    const x = Tensor.empty([2, 0], "float32");
    expect(run("aten.sum.dim_IntList", [x, [1]]).toArray()).toEqual([0, 0]);
    expect(run("aten.prod.dim_int", [x, 1]).toArray()).toEqual([1, 1]);
    expect(run("aten.mean.dim", [x, [1]]).toArray()).toEqual([Number.NaN, Number.NaN]);
    expect(run("aten.all.dim", [x, 1]).toArray()).toEqual([true, true]);
  });

  test("the first maximum wins, and NaN is the maximum", () => {
    const x = f32([1, 3, 3, 2, Number.NaN, 5], [2, 3]);
    const [values, indices] = many("aten.max.dim", [x, 1]);
    expect(values!.toArray()).toEqual([3, Number.NaN]);
    expect(indices!.toArray()).toEqual([1n, 1n]);
    expect(run("aten.argmax.default", [i64([2n ** 60n, 2n ** 60n + 1n])]).toArray()).toEqual([1n]);
  });

  test("a variance far from zero keeps its digits", () => {
    const x = Tensor.from([1e9, 1e9 + 1, 1e9 + 2], [3], "float64");
    expect(run("aten.var.correction", [x], { correction: 1 }).toArray()).toEqual([1]);
  });

  test("running extremes take the latest of equals", () => {
    const [values, indices] = many("aten.cummax.default", [f32([1, 3, 3, 2]), 0]);
    expect(values!.toArray()).toEqual([1, 3, 3, 3]);
    expect(indices!.toArray()).toEqual([0n, 1n, 2n, 2n]);
  });

  test("the lower of two medians", () => {
    expect(run("aten.median.default", [f32([4, 1, 3, 2])]).toArray()).toEqual([2]);
  });

  test("complex means divide by a complex number, and running sums begin with 0", () => {
    const [inf, nan] = [Number.POSITIVE_INFINITY, Number.NaN];
    const z = (...values: (readonly [re: number, im: number])[]): Tensor =>
      Tensor.from(
        values.map(([re, im]) => ({ re, im })),
        [values.length],
        "complex64",
      );
    const parts = (tensor: Tensor): unknown => tensor.toArray().map((one) => Object.values(one as object));
    expect(parts(run("aten.mean.default", [z([1, 1], [1, inf])]))).toEqual([[nan, inf]]);
    expect(parts(run("aten.mean.default", [z([inf, 1], [1, 1])]))).toEqual([[inf, nan]]);
    expect(parts(run("aten.cumsum.default", [z([-0, -0], [-0, -0]), 0]))).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(parts(run("aten.cumprod.default", [z([-0, -0], [-0, 0], [0, -0]), 0]))).toEqual([
      [0, -0],
      [0, 0],
      [0, 0],
    ]);
    expect(parts(run("aten.cumprod.default", [z([inf, 1], [2, 3]), 0]))).toEqual([
      [inf, nan],
      [nan, nan],
    ]);
  });
});
