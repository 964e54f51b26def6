/** @file Batches that share their second matrix give what they give when each has its own copy. */
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const run = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): Tensor =>
  evaluate(target, args as never, kwargs as never) as Tensor;
const numbers = (shape: readonly number[], dtype: DType, scale = 1): Tensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  const values = Array.from({ length: count }, (_, i) => (((i * 7919) % 23) - 11) * scale);
  return Tensor.from(values, [...shape], dtype);
};

describe.each(["float32", "float64", "bfloat16", "float16", "int32", "complex64"] as const)("%s", (dtype) => {
  const left = numbers([3, 2, 5], dtype);
  const one = numbers([4, 5], dtype);
  /** Transposed, and expanded along the batch. */
  const shared = one.asStrided([3, 5, 4], [0, 1, 5]);
  const copied = Tensor.from(
    [0, 1, 2].flatMap(() => run("aten.t.default", [one]).toArray()) as number[],
    [3, 5, 4],
    dtype,
  );
  const added = numbers([2, 4], dtype, 3);

  test("bmm", () => {
    const product = run("aten.bmm.default", [left, shared]);
    expect(product.shape).toEqual([3, 2, 4]);
    expect(product.toArray()).toEqual(run("aten.bmm.default", [left, copied]).toArray());
    // The first row is -11, -4, 3, 10, -6 times the same.
    if (dtype !== "complex64") expect(Number(product.toArray()[0])).toBe(282);
  });

  test.each([
    [0, 2],
    [3, 1],
    [2, 0],
  ])("baddbmm with beta %i and alpha %i", (beta, alpha) => {
    const options = { beta, alpha };
    expect(run("aten.baddbmm.default", [added, left, shared], options).toArray()).toEqual(
      run("aten.baddbmm.default", [added, left, copied], options).toArray(),
    );
  });

  test("a left operand of any strides", () => {
    const moved = numbers([5, 3, 2], dtype).asStrided([3, 2, 5], [2, 1, 6]);
    const dense = Tensor.from(moved.toArray() as number[], [3, 2, 5], dtype);
    expect(run("aten.bmm.default", [moved, shared]).toArray()).toEqual(
      run("aten.bmm.default", [dense, copied]).toArray(),
    );
  });
});

test("a product that overflows is infinite in its own batch only", () => {
  const left = Tensor.from([3e38, 3e38, 1, 2], [2, 1, 2], "float32");
  const shared = Tensor.from([2, 4], [2, 1], "float32").asStrided([2, 2, 1], [0, 1, 1]);
  expect(run("aten.bmm.default", [left, shared]).toArray()).toEqual([Infinity, 10]);
});
