/**
 * @file Statistics of halves, whose dtype is that of PyTorch's kernels and not the recorded one.
 */
import { parseGraph } from "@sconce/ir/text";
import { expect, test } from "vitest";
import { hasOwnStatistics } from "./own-dtypes.js";

const layer = (weight: string, read: string): string => `graph(%x: bf16[3, 4], %w: ${weight}[4]) {
  %n: (bf16[3, 4], bf16[3, 1], bf16[3, 1]) = aten.native_layer_norm.default(%x, [4], %w, none, 1e-5)
  %y: bf16[3, 4] = operator.getitem(%n, 0)
  %m: bf16[3, 1] = operator.getitem(%n, 1)
  return (${read})
}`;
const batch = (use: string): string => `graph(%x: f16[3, 4], %m: f16[4], %v: f16[4]) {
  %n: (f16[3, 4], f16[4], f16[4], f32[4], f32[4]) = aten._native_batch_norm_legit_functional.default(%x, none, none, %m, %v, True, 0.1, 1e-5)
  %o: f32[4] = operator.getitem(%n, 3)
  ${use}
  return (%r)
}`;

test.each([
  ["a mean beside float32 parameters", layer("f32", "%y, %m"), true],
  ["the result alone", layer("f32", "%y"), false],
  ["a mean beside parameters of halves", layer("bf16", "%y, %m"), false],
  ["a running mean that a sum reads", batch("%r: f32[4] = aten.add.Tensor(%o, 1)"), true],
  ["a running mean that a copy rounds", batch("%r: f16[4] = aten.copy.default(%m, %o)"), false],
])("%s", (_, text, isOwn) => {
  const graph = parseGraph(text);
  expect(hasOwnStatistics(graph.node("n"), graph)).toBe(isOwn);
});
