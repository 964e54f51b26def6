/** @file Constants that PyTorch's kernels keep in float32 for every dtype; values from PyTorch. */
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const one = (value: number): Tensor => Tensor.from([value], [1], "float64");

test("a sixth, in the gradient of hardsigmoid", () => {
  const [value] = evaluate("aten.hardsigmoid_backward.default", [one(1), one(0)]) as Tensor;
  expect(value).toBe(0.1666666716337204);
});

test("the smallest variance, in the gradient of binary cross entropy", () => {
  const args = [one(1), one(1e-40), one(1), null, 0];
  const [value] = evaluate("aten.binary_cross_entropy_backward.default", args) as Tensor;
  expect(value).toBeCloseTo(-1000000003995.8029, 3);
});
