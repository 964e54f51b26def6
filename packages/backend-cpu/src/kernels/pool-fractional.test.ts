import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const f32 = (values: readonly number[], shape: readonly number[]): Tensor =>
  Tensor.from(values, shape, "float32");
const image = f32(
  Array.from({ length: 16 }, (_, i) => i),
  [1, 4, 4],
);
const pool = (samples: readonly number[], window = [2, 2]): readonly Tensor[] =>
  evaluate("aten.fractional_max_pool2d.default", [
    image,
    window,
    [2, 2],
    f32(samples, [1, 1, samples.length]),
  ]) as unknown as readonly Tensor[];

describe("fractional pooling", () => {
  test("ends at the last window, and keeps the place of each maximum", () => {
    const [values, places] = pool([0, 0]);
    expect(values!.toArray()).toEqual([5, 7, 13, 15]);
    expect(places!.toArray()).toEqual([5n, 7n, 13n, 15n]);
  });

  test("hands gradients to the maxima", () => {
    const [, places] = pool([0.9, 0.9]);
    const grad = f32([1, 2, 3, 4], [1, 2, 2]);
    const back = (indices: Tensor): Tensor =>
      evaluate("aten.fractional_max_pool2d_backward.default", [
        grad,
        image,
        [2, 2],
        [2, 2],
        indices,
      ]) as Tensor;
    const result = [...back(places!).toArray()] as number[];
    expect(result.reduce((sum, value) => sum + value, 0)).toBe(10);
    expect(result[15]).toBe(4);
    const outside = Tensor.from([0n, 0n, 0n, 99n], [1, 2, 2], "int64");
    expect(() => back(outside)).toThrow("outside of the input");
  });

  test("refuses windows that do not fit, and samples of another kind", () => {
    expect(() => pool([0, 0], [4, 2])).toThrow("pool height 4 too large relative to input height 4");
    expect(() => pool([0])).toThrow("Expect _random_samples.size(2) equals to 2; got 1.");
  });
});
