import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const placeOf = (target: string, values: readonly number[], ...args: readonly unknown[]): number => {
  const x = Tensor.from(values, [values.length], "float32");
  const [, indices] = evaluate(target, [x, ...args] as never) as unknown as readonly Tensor[];
  return Number(indices!.toArray()[0]);
};

test("among equal values the place is PyTorch's", () => {
  const zerosAndOnes = Array.from({ length: 40 }, (_, i) => (i * i * 7 + 3) % 3);
  expect(placeOf("aten.median.dim", zerosAndOnes, 0)).toBe(8);
  expect(placeOf("aten.kthvalue.default", zerosAndOnes, 13)).toBe(9);
  expect(placeOf("aten.kthvalue.default", zerosAndOnes, 20)).toBe(5);
});

test("the median of nothing but NaN is where PyTorch's selection leaves it", () => {
  const places = [1, 3, 5, 10].map((count) =>
    placeOf("aten.nanmedian.dim", new Array(count).fill(Number.NaN), 0),
  );
  expect(places).toEqual([0, 0, 2, 8]);
});

test("a median of distinct values is the middle one of the sorted ones", () => {
  const values = Array.from({ length: 101 }, (_, i) => (i * 37) % 101);
  expect(values[placeOf("aten.median.dim", values, 0)]).toBe(50);
  expect(values[placeOf("aten.kthvalue.default", values, 8)]).toBe(7);
});

test("a mode is where sorting leaves the last of its values, NaN in the way or not", () => {
  const mode = (values: readonly number[]): number => placeOf("aten.mode.default", values, 0);
  const nan = Number.NaN;
  expect(mode(Array.from({ length: 40 }, (_, i) => (i * i * 7 + 3) % 3))).toBe(1);
  expect(mode(Array.from({ length: 200 }, (_, i) => (i * 37) % 50))).toBe(0);
  expect(mode(Array.from({ length: 40 }, (_, i) => (i % 7 === 0 ? nan : (i * i) % 5)))).toBe(32);
  expect(mode([3, nan, 1])).toBe(2);
  expect([mode([nan, 1]), mode([1, nan]), mode([3, nan, 1, nan, 1, 2])]).toEqual([0, 0, 2]);
});
