import { expect, test } from "vitest";
import { Tensor, tensorStatistics } from "./index.js";

test("range, mean and deviation are those of the finite elements", () => {
  const tensor = Tensor.from([1, 2, 3, 6, Number.NaN, Infinity, -Infinity, -Infinity]);
  expect(tensorStatistics(tensor)).toEqual({
    count: 8,
    min: 1,
    max: 6,
    mean: 3,
    // torch.tensor([1., 2., 3., 6.]).std(): 2.1602
    std: Math.sqrt(14 / 3),
    nan: 1,
    positiveInfinity: 1,
    negativeInfinity: 2,
  });
});

test("of views, integers, bools and complex numbers", () => {
  const matrix = Tensor.from([
    [1, 2],
    [3, 4],
  ]);
  expect(tensorStatistics(matrix.asStrided([2], [2], 1))).toMatchObject({ min: 2n, max: 4n, mean: 3 });
  expect(tensorStatistics(Tensor.from([2n ** 62n + 1n]))).toMatchObject({
    max: 2n ** 62n + 1n,
    std: undefined,
  });
  expect(tensorStatistics(Tensor.from([true, false]))).toMatchObject({ min: 0, max: 1, mean: 0.5 });
  expect(tensorStatistics(Tensor.from([{ re: 3, im: -4 }]))).toMatchObject({ min: 5, max: 5 });
});

test("of no finite elements", () => {
  const none = { min: undefined, max: undefined, mean: undefined, std: undefined };
  expect(tensorStatistics(Tensor.from([]))).toMatchObject({ count: 0, ...none });
  expect(tensorStatistics(Tensor.from([Number.NaN]))).toMatchObject({ nan: 1, ...none });
});

test("of numbers close to each other beside their size", () => {
  const tensor = Tensor.from(
    [1e9, 1e9 + 1, 1e9 + 2].map((x) => x + 0.5),
    { dtype: "float64" },
  );
  expect(tensorStatistics(tensor)).toMatchObject({ mean: 1e9 + 1.5, std: 1 });
});
