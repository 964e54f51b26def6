import { expect, test } from "vitest";
import { backendTolerance, type ErrorMeasure, measureError } from "./comparison.js";
import { type NestedValues, Tensor, type TensorOptions } from "./index.js";

const measure = (got: NestedValues, want: NestedValues, options?: TensorOptions): ErrorMeasure =>
  measureError(Tensor.from(got, options), Tensor.from(want, options), { rtol: 1e-4, atol: 1e-5 });
const float64 = { dtype: "float64" } as const;

test("the largest distances, the count and the first of what differs", () => {
  expect(
    measure(
      [
        [1, 2.5],
        [3, 4],
      ],
      [
        [1, 2],
        [3, 5],
      ],
      float64,
    ),
  ).toEqual({
    maxAbsolute: 1,
    maxRelative: 0.25,
    differing: 2,
    first: [0, 1],
  });
  expect(measure([1, 2 + 1e-6], [1, 2], float64)).toMatchObject({ differing: 0, first: undefined });
  expect(measure([1e-6], [0], float64)).toMatchObject({
    maxAbsolute: 1e-6,
    maxRelative: Infinity,
    differing: 0,
  });
});

test("NaN and infinities are equal to themselves only", () => {
  const same = [Number.NaN, Infinity, -Infinity, 0.5];
  expect(measure(same, same)).toEqual({ maxAbsolute: 0, maxRelative: 0, differing: 0, first: undefined });
  for (const [got, want] of [
    [Number.NaN, 1.5],
    [1.5, Number.NaN],
    [Infinity, 1.5],
    [1.5, -Infinity],
    [Infinity, -Infinity],
  ])
    expect(measure([got!], [want!])).toMatchObject({ maxAbsolute: Infinity, differing: 1, first: [0] });
});

test("integers are compared exactly, also past 2^53", () => {
  expect(measure([2n ** 60n + 1n], [2n ** 60n])).toMatchObject({ maxAbsolute: 1, differing: 1 });
  expect(measure([100_000], [100_001], { dtype: "int32" })).toMatchObject({ differing: 1 });
  expect(measure([true], [false])).toMatchObject({ maxAbsolute: 1, differing: 1 });
});

test("complex elements by their distance in the plane; views in logical order", () => {
  expect(measure([{ re: 3, im: 4 }], [{ re: 0, im: 0 }])).toMatchObject({ maxAbsolute: 5 });
  const matrix = Tensor.from([
    [1, 2],
    [3, 4],
  ]);
  const turned = Tensor.from([
    [1, 3],
    [2, 4],
  ]).asStrided([2, 2], [1, 2]);
  expect(measureError(turned, matrix, backendTolerance("int64"))).toMatchObject({ differing: 0 });
  const column = matrix.asStrided([2], [2], 1);
  expect(measureError(column, Tensor.from([2, 4]), backendTolerance("int64"))).toMatchObject({
    differing: 0,
  });
});
