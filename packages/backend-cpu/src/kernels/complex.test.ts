/** @file Complex forms of operators; the numbers are PyTorch 2.14's. */
import { complex, float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createEvaluator, evaluate } from "../interpreter/backend.js";
import { createRandomSource } from "./random-source.js";

type Pair = readonly [re: number, im: number];

const c64 = (...values: readonly Pair[]): Tensor =>
  Tensor.from(
    values.map(([re, im]) => ({ re, im })),
    [values.length],
    "complex64",
  );
const pairs = (tensor: unknown): number[][] =>
  ((tensor as Tensor).toArray() as { re: number; im: number }[]).map(({ re, im }) => [re, im]);
const run = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): unknown =>
  evaluate(target, args as never, kwargs as never);

function expectNear(got: unknown, wanted: readonly Pair[]): void {
  pairs(got).forEach((pair, i) => {
    pair.forEach((part, k) => {
      if (Number.isFinite(wanted[i]![k]!)) expect(part).toBeCloseTo(wanted[i]![k]!, 5);
      else expect(part).toBe(wanted[i]![k]!);
    });
  });
  expect(pairs(got)).toHaveLength(wanted.length);
}

const z = c64([1, 2], [3, -1], [-2, 0.5]);
const w = c64([0, 0.5], [2, 0], [1, -1]);
const v = c64([2, -1], [0, 1], [3, 0]);

describe("complex arithmetic", () => {
  test("addcmul and addcdiv with a complex value", () => {
    const value = complex(2, -1);
    expectNear(run("aten.addcmul.default", [z, w, v], { value }), [
      [3, 3.5],
      [5, 3],
      [1, -8.5],
    ]);
    expectNear(run("aten.addcdiv.default", [z, w, v], { value }), [
      [1, 2.5],
      [1, -5],
      [-1.6666666, -0.5],
    ]);
  });

  test("lerp from the nearer end", () => {
    expectNear(run("aten.lerp.Scalar", [z, w, complex(0.3, 0.1)]), [
      [0.85, 1.45],
      [2.6, -0.8],
      [-0.95, 0.35],
    ]);
    const weights = c64([0.6, 0], [0, 0.2], [0.3, 0.45]);
    expectNear(run("aten.lerp.Tensor", [z, w, weights]), [
      [0.4, 1.1],
      [2.8, -1.2],
      [-0.425, 1.4],
    ]);
  });

  test("distances and closeness go by the size of differences", () => {
    const distance = (p: number): unknown => (run("aten.dist.default", [z, w, p]) as Tensor).toArray()[0];
    // The sum of three sizes is exact here, and one unit in the last place off there.
    expect(distance(1)).toBeCloseTo(6.5710906982421875, 5);
    expect([2, 3, Infinity].map(distance)).toEqual([
      4.062019348144531, 3.5939481258392334, 3.3541018962860107,
    ]);
    expect(run("aten.allclose.default", [z, z])).toBe(true);
    expect(run("aten.allclose.default", [z, w])).toBe(false);
    const near = run("aten.isclose.default", [c64([NaN, 1]), c64([2, NaN]), 1e-5, 1e-8, true]) as Tensor;
    expect(near.toArray()).toEqual([true]);
  });

  test("sums of exponentials, infinite ones too", () => {
    expectNear(run("aten.logsumexp.default", [z, [0]]), [[2.8571455, -0.9702111]]);
    expectNear(run("aten.logcumsumexp.default", [c64([1, 4], [1, 2], [30, -5], [30, 8]), 0]), [
      [1, 4],
      [1.0775207, 3],
      [30, -5],
      [30.6694565, 7.7831855],
    ]);
    expectNear(
      run("aten.logcumsumexp.default", [c64([-Infinity, 0], [1, 0], [Infinity, 1], [0, Infinity]), 0]),
      [
        [-Infinity, 0],
        [1, 0],
        [Infinity, 1],
        [Infinity, 1],
      ],
    );
  });

  test("even steps between complex numbers, and powers of them", () => {
    expectNear(run("aten.linspace.default", [complex(1, 2), complex(4, -1), 4]), [
      [1, 2],
      [2, 1],
      [3, 0],
      [4, -1],
    ]);
    expectNear(run("aten.logspace.default", [0, complex(1, 1), 3, float(2)]), [
      [1, 0],
      [1.3301274, 0.480376],
      [1.5384778, 1.2779225],
    ]);
  });

  test("a power of two with a complex exponent", () => {
    expectNear(run("aten.ldexp.Tensor", [c64([1, 2]), c64([2, 1])]), [[-2.0347345, 8.7097559]]);
  });

  test("normal deviates for a seed: a mean moves both parts", () => {
    const seeded = createEvaluator({ random: createRandomSource(0) });
    const out = seeded("aten.normal_.default", [Tensor.empty([3], "complex64"), float(1), float(2)] as never);
    expectNear(out, [
      [3.1792977, 0.5850289],
      [-2.0812736, 1.8038832],
      [-0.5337462, -0.9779126],
    ]);
  });

  test("sizes have their last bit right", () => {
    const one = Tensor.from([{ re: -0.8959430318317265, im: -1.765825867652893 }], [1], "complex128");
    expect((run("aten.abs.default", [one]) as Tensor).toArray()).toEqual([1.9801148732232479]);
  });
});
