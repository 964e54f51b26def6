import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const f32 = (values: readonly number[], shape: readonly number[]): Tensor =>
  Tensor.from(values, shape, "float32");
const i64 = (values: readonly number[], shape: readonly number[]): Tensor =>
  Tensor.from(values.map(BigInt), shape, "int64");
const one = f32([1], []);

describe("gradients of margins", () => {
  const multi = (target: readonly number[], ...rest: readonly unknown[]): unknown[] => {
    const args = [one, f32([0.5, 0, -2, 0], [1, 4]), i64(target, [target.length]), ...rest];
    return [...(evaluate("aten.multi_margin_loss_backward.default", args as never) as Tensor).toArray()];
  };

  test("push the right class up and those within the margin down", () => {
    expect(multi([0], 1, 1)).toEqual([-0.5, 0.25, 0, 0.25]);
    expect(multi([0], 2, 1)).toEqual([-0.5, 0.25, 0, 0.25]);
    expect(multi([0], 1, 1, f32([2, 1, 1, 1], [4]))).toEqual([-1, 0.5, 0, 0.5]);
  });

  test("are +0 for a label that no class is near, as PyTorch counts down from +0", () => {
    const far = [one, f32([9, 0, 0], [1, 3]), i64([0], [1]), 1, 1];
    for (const [slope, zero] of [
      [1, 0],
      [-1, -0],
    ] as const) {
      const result = evaluate("aten.multi_margin_loss_backward.default", [
        f32([slope], []),
        ...far.slice(1),
      ] as never) as Tensor;
      expect([...result.toArray()]).toEqual([zero, zero, zero]);
    }
  });

  test("of several labels stop at the first that is negative", () => {
    const scores = f32([0, 0, 0, -5], [1, 4]);
    const [target, isTarget] = [i64([1, -1, 0, 0], [1, 4]), f32([0, 1, 0, 0], [1, 4])];
    const args = [one, scores, target, 1, isTarget];
    const result = evaluate("aten.multilabel_margin_loss_backward.default", args as never) as Tensor;
    expect([...result.toArray()]).toEqual([0.25, -0.5, 0.25, 0]);
  });

  test("refuse labels and powers that there are not", () => {
    expect(() => multi([4], 1, 1)).toThrow("target out of range");
    expect(() => multi([0], 3, 1)).toThrow("only p == 1 and p == 2 supported");
    expect(() => multi([0, 1], 1, 1)).toThrow("Expected target size [1]");
  });
});
