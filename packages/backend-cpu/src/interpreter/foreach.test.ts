import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "./backend.js";

const f32 = (...values: number[]): Tensor => Tensor.from(values, [values.length], "float32");
const run = (target: string, ...args: readonly unknown[]): number[][] =>
  (evaluate(target, args as never) as unknown as readonly Tensor[]).map(
    (item) => item.toArray() as unknown as number[],
  );

describe("operators over lists", () => {
  test("repeat an elementwise operator over tensors, numbers and lists of numbers", () => {
    const list = [f32(1, 2), f32(3)];
    expect(run("aten._foreach_add.List", list, list)).toEqual([[2, 4], [6]]);
    expect(run("aten._foreach_mul.Scalar", list, float(2))).toEqual([[2, 4], [6]]);
    expect(run("aten._foreach_pow.ScalarList", list, [2, 3])).toEqual([[1, 4], [27]]);
    expect(run("aten._foreach_maximum.Scalar", list, 2)).toEqual([[2, 2], [3]]);
    expect(run("aten._foreach_addcdiv.Tensor", list, list, list, f32(1, 10))).toEqual([[2, 3], [13]]);
    expect(run("aten._foreach_norm.Scalar", [f32(3, 4), f32(-2)])).toEqual([[5], [2]]);
    // Values of PyTorch 2.14: torch._foreach_powsum([tensor([3., 4.]), tensor([-2.])], 3).
    expect(run("aten._foreach_powsum.Scalar", [f32(3, 4), f32(-2)], 3)).toEqual([[91], [8]]);
    expect(run("aten._foreach_powsum.Scalar", [f32(3, 4), f32(-2)])).toEqual([[25], [4]]);
  });

  test("write their lists in place", () => {
    const list = [f32(1, 4), f32(9)];
    expect(evaluate("aten._foreach_sqrt_.default", [list])).toBeNull();
    expect(list.map((item) => item.toArray())).toEqual([[1, 2], [3]]);
    const out = [f32(0, 0), f32(0)];
    evaluate("aten._foreach_neg.out", [list], { out });
    expect(out.map((item) => item.toArray())).toEqual([[-1, -2], [-3]]);
  });

  test("fill tensors whose elements share places", () => {
    const shared = (): Tensor => f32(1).asStrided([3], [0], 0);
    const list = [shared(), f32(1, 2)];
    expect(evaluate("aten._foreach_zero_.default", [list])).toBeNull();
    expect(list.map((item) => item.toArray())).toEqual([
      [0, 0, 0],
      [0, 0],
    ]);
    const filled = shared();
    expect(evaluate("aten.fill_.Scalar", [filled, 2])).toBe(filled);
    expect(filled.toArray()).toEqual([2, 2, 2]);
  });

  test("refuse lists of different lengths", () => {
    expect(() => run("aten._foreach_add.List", [f32(1)], [])).toThrow("same number of tensors, got 1 and 0");
    expect(() => run("aten._foreach_add.ScalarList", [f32(1)], [1, 2])).toThrow("as scalar list");
    expect(() => run("aten._foreach_exp.default", [])).toThrow("at least one tensor");
  });
});
