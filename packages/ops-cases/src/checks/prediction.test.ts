import { FakeTensor } from "@sconce/ir";
import { mul, symbol } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { knownDifference } from "./differences.js";
import { comparePrediction, type PredictionOptions } from "./prediction.js";

const RUN: PredictionOptions = { source: "the run gives", strides: "all" };
const RECORDED: PredictionOptions = { source: "PyTorch gives", strides: "where elements are" };
const real = Tensor.from([1, 2, 3, 4, 5, 6], [2, 3], "float32");
const u0 = symbol("u0", { integer: true, unbacked: true });

const predicted = (change: Partial<ConstructorParameters<typeof FakeTensor>[0]>): FakeTensor =>
  new FakeTensor({ dtype: "float32", shape: [2, 3], strides: [3, 1], ...change });

test("dtype, sizes and strides have to agree", () => {
  expect(comparePrediction(predicted({}), real, RUN)).toBeUndefined();
  expect(comparePrediction(predicted({ dtype: "int64" }), real, RUN)).toBe(
    "predicts int64, the run gives float32",
  );
  expect(comparePrediction(predicted({ shape: [3, 2] }), real, RUN)).toMatch(/^predicts sizes \[3,2\]/);
  expect(comparePrediction(predicted({ strides: [1, 2] }), real, RUN)).toMatch(/^predicts strides \[1,2\]/);
  expect(comparePrediction([predicted({})], [real, real], RUN)).toBe("predicts 1 results, not 2");
});

test("PyTorch's strides count where there is more than one element, those of the run always", () => {
  const row = Tensor.from([1, 2], [1, 2], "float32");
  const prediction = predicted({ shape: [1, 2], strides: [9, 1] });
  expect(comparePrediction(prediction, row, RECORDED)).toBeUndefined();
  expect(comparePrediction(prediction, row, RUN)).toBe(
    "predicts strides [9,1], the run gives [2,1] (sizes [1,2])",
  );
});

test("a data-dependent size may have any value, but the same everywhere", () => {
  const open = predicted({ shape: [u0, 3] });
  expect(comparePrediction(open, real, RUN)).toBeUndefined();
  expect(comparePrediction(predicted({ shape: [mul(u0, 2), 3] }), real, RUN)).toBeUndefined();
  expect(comparePrediction(predicted({ shape: [mul(u0, 4), 3] }), real, RUN)).toMatch(/^predicts sizes/);
  const longer = Tensor.from(new Array(9).fill(0), [3, 3], "float32");
  expect(comparePrediction([open, open], [real, longer], RUN)).toMatch(/^1: predicts sizes \[2,3\]/);
});

test("differences within PyTorch are bounded, not skipped", () => {
  const { compare } = knownDifference("aten.upsample_bilinear2d.vec")!;
  const bytes = (...values: number[]): Tensor => Tensor.from(values, [values.length], "uint8");
  expect(compare!(bytes(4, 9), bytes(5, 9), [])).toBeUndefined();
  expect(compare!(bytes(3, 9), bytes(5, 9), [])).toBe("element 0 is 3, wanted 5");
  const nearest = knownDifference("aten.upsample_nearest2d.vec")!.compare!;
  expect(nearest(bytes(1, 1), bytes(1, 2), [bytes(1, 2)])).toBeUndefined();
  expect(nearest(bytes(1, 7), bytes(1, 2), [bytes(1, 2)])).toBe("7 is not an element of the input");
  expect(knownDifference("aten.add.Tensor")).toBeUndefined();
});
