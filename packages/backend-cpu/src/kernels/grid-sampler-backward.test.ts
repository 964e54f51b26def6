import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const f32 = (values: readonly number[], shape: readonly number[]): Tensor =>
  Tensor.from(values, shape, "float32");

test.each([
  { mask: [true, true], image: [0.6875, 0.3125, 1.3125, 0.6875] },
  { mask: [true, false], image: [0.6875, 0.3125, 1.3125, 0.6875] },
  { mask: [false, true], image: null },
  { mask: [false, false], image: null },
])("PyTorch leaves out the gradient of the input only: $mask", ({ mask, image }) => {
  const grad = f32([1, 2], [1, 1, 1, 2]);
  const input = f32([0, 1, 2, 3], [1, 1, 2, 2]);
  const grid = f32([0, 0.5, -0.5, 0.25], [1, 1, 2, 2]);
  const results = evaluate("aten.grid_sampler_2d_backward.default", [grad, input, grid, 0, 0, true, mask]);
  const [first, second] = results as [Tensor | null, Tensor];
  expect(first && [...first.toArray()]).toEqual(image);
  expect([...second.toArray()]).toEqual([0.5, 1, 1, 2]);
});
