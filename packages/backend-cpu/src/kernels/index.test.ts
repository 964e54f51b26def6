import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const run = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): Tensor =>
  evaluate(target, args as never, kwargs as never) as Tensor;
const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
const i64 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values.map(BigInt), shape, "int64");
const counting = (...shape: number[]): Tensor => {
  const count = shape.reduce((a, b) => a * b, 1);
  return f32(
    Array.from({ length: count }, (_, i) => i),
    shape,
  );
};

describe("indexing kernels", () => {
  test("indices side by side stay in place, others come first", () => {
    const x = counting(2, 3, 4);
    const [row, column] = [i64([1, 0]), i64([2, -1])];
    expect(run("aten.index.Tensor", [x, [null, row, column]]).toArray()).toEqual([6, 3, 18, 15]);
    const separated = run("aten.index.Tensor", [x, [row, null, column]]);
    expect(separated.shape).toEqual([2, 3]);
    expect(separated.toArray()).toEqual([14, 18, 22, 3, 7, 11]);
  });

  test("a mask selects its true elements", () => {
    const mask = Tensor.from([true, false, false, true], [2, 2], "bool");
    expect(run("aten.index.Tensor", [counting(2, 2, 2), [mask]]).toArray()).toEqual([0, 1, 6, 7]);
  });

  test("an index outside is refused with its dimension", () => {
    expect(() => run("aten.index.Tensor", [counting(2, 3), [null, i64([3])]])).toThrow(
      "index 3 is out of bounds for dimension 1 with size 3",
    );
  });

  test("repeated indices add up when accumulating and leave the input alone", () => {
    const x = f32([1, 1, 1]);
    const put = run("aten.index_put.default", [x, [i64([0, 0, 2])], f32([5, 6, 7]), true]);
    expect(put.toArray()).toEqual([12, 1, 8]);
    expect(x.toArray()).toEqual([1, 1, 1]);
  });

  test("64-bit elements move as bits", () => {
    const x = Tensor.from([2n ** 62n + 1n, -(2n ** 63n)], [2], "int64");
    expect(run("aten.flip.default", [x, [0]]).toArray()).toEqual([-(2n ** 63n), 2n ** 62n + 1n]);
    expect(run("aten.gather.default", [x, 0, i64([1, 1, 0])]).toArray()).toEqual([
      -(2n ** 63n),
      -(2n ** 63n),
      2n ** 62n + 1n,
    ]);
  });

  test("scatter_reduce means count the element itself only when it is included", () => {
    const index = i64([0, 0, 1]);
    const source = f32([2, 4, 8]);
    const reduce = (include: boolean): unknown =>
      run("aten.scatter_reduce.two", [f32([6, 0, 1]), 0, index, source, "mean"], {
        include_self: include,
      }).toArray();
    expect(reduce(true)).toEqual([4, 4, 1]);
    expect(reduce(false)).toEqual([3, 8, 1]);
  });

  test("cat skips one-dimensional empty tensors", () => {
    const parts = [counting(1, 2), Tensor.empty([0], "float32"), counting(2, 2)];
    expect(run("aten.cat.default", [parts, 0]).toArray()).toEqual([0, 1, 0, 1, 2, 3]);
  });

  test("padding adds, cuts and reflects", () => {
    expect(run("aten.constant_pad_nd.default", [counting(1, 3), [1, -1], 9]).toArray()).toEqual([9, 0, 1]);
    expect(run("aten.reflection_pad1d.default", [counting(1, 3), [2, 1]]).toArray()).toEqual([
      2, 1, 0, 1, 2, 1,
    ]);
  });
});

describe("sorting kernels", () => {
  test("NaN is last, first when descending; equal values keep their order", () => {
    const x = f32([2, Number.NaN, 1, 2]);
    const [values, indices] = evaluate("aten.sort.default", [x]) as unknown as readonly Tensor[];
    expect(values!.toArray()).toEqual([1, 2, 2, Number.NaN]);
    expect(indices!.toArray()).toEqual([2n, 0n, 3n, 1n]);
    const [, descending] = evaluate("aten.sort.default", [x, 0, true]) as unknown as readonly Tensor[];
    expect(descending!.toArray()).toEqual([1n, 0n, 3n, 2n]);
  });

  test("distinct values with their places and counts", () => {
    const results = evaluate("aten._unique2.default", [
      i64([3, 1, 3]),
      true,
      true,
      true,
    ]) as unknown as readonly Tensor[];
    expect(results.map((tensor) => tensor.toArray())).toEqual([
      [1n, 3n],
      [1n, 0n, 1n],
      [1n, 2n],
    ]);
  });

  test("insertion points to the left and to the right", () => {
    const sorted = f32([1, 2, 2, 3]);
    expect(run("aten.searchsorted.Tensor", [sorted, f32([2])]).toArray()).toEqual([1n]);
    expect(run("aten.searchsorted.Tensor", [sorted, f32([2])], { right: true }).toArray()).toEqual([3n]);
  });

  test("a search goes on to the right of NaN, as in PyTorch", () => {
    const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
    const values = f32([nan, inf, 1, -inf]);
    const points = (sorted: number[], right: boolean): unknown =>
      run("aten.searchsorted.Tensor", [f32(sorted), values], { right }).toArray();
    expect(points([1, 3, nan], false)).toEqual([3n, 3n, 0n, 0n]);
    expect(points([1, 3, nan], true)).toEqual([3n, 3n, 1n, 0n]);
    expect(points([nan, 1], false)).toEqual([2n, 2n, 1n, 1n]);
    expect(points([nan, 1], true)).toEqual([2n, 2n, 2n, 1n]);
    expect(points([1, nan, 2, inf], false)).toEqual([4n, 3n, 2n, 2n]);
    expect(points([1, nan, 2, inf], true)).toEqual([4n, 4n, 2n, 2n]);
  });
});
