/**
 * @file Integers at the ends of their range, halves that overflow, and calls with little or nothing
 * to compute.
 */
import type { SconceError } from "@sconce/errors";
import { float } from "@sconce/ir";
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const call = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): unknown =>
  evaluate(target, args as never, kwargs as never);
const run = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): unknown[] =>
  (call(target, args, kwargs) as Tensor).toArray();
const all = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): unknown[][] =>
  (call(target, args, kwargs) as readonly Tensor[]).map((one) => one.toArray());
const tensor = (
  values: readonly number[],
  dtype: DType,
  shape: readonly number[] = [values.length],
): Tensor => Tensor.from(values, shape, dtype);
const int64 = (...values: readonly bigint[]): Tensor => Tensor.from(values, [values.length], "int64");
const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as SconceError).message;
  }
  return "";
};
const PLANE = [
  1.4140625, 0.30078125, -2.203125, 0.69921875, 1.1015625, -0.8984375, 3.296875, -1.703125, 0.1015625,
];
const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;

describe("integers", () => {
  test("a large number beside narrow integers keeps its low bits", () => {
    const bytes = tensor([1, 200, 255], "uint8");
    expect(run("aten.add.Scalar", [bytes, MOST])).toEqual([0, 199, 254]);
    expect(run("aten.rsub.Scalar", [bytes, MOST])).toEqual([254, 55, 0]);
    expect(run("aten.mul.Scalar", [bytes, MOST])).toEqual([255, 56, 1]);
    expect(run("aten.remainder.Scalar", [bytes, MOST])).toEqual([1, 200, 0]);
    expect(run("aten.floor_divide.Scalar", [bytes, MOST])).toEqual([0, 0, 1]);
    expect(run("aten.lt.Scalar", [bytes, MOST])).toEqual([true, true, false]);
    expect(run("aten.add.Scalar", [tensor([1, 127, 5, 0], "int32"), 2n ** 53n + 1n])).toEqual([2, 128, 6, 1]);
    const shift = "aten.bitwise_left_shift.Tensor_Scalar";
    expect(run(shift, [tensor([1, 127, 5, 0], "int16"), LEAST])).toEqual([1, 127, 5, 0]);
  });

  test("divisors of the least integer have the sign of the remainders", () => {
    const [x, y] = [int64(5n, LEAST, LEAST, 6n), int64(LEAST, -1n, LEAST, LEAST)];
    expect(run("aten.gcd.default", [x, y])).toEqual([-1n, 1n, LEAST, -2n]);
    expect(run("aten.lcm.default", [x, y])).toEqual([LEAST, LEAST, LEAST, LEAST]);
    expect(run("aten.lcm.default", [int64(2n), int64(MOST)])).toEqual([2n]);
    const [a, b] = [tensor([7, -128, 5, -128, 0, 6], "int8"), tensor([127, -1, -128, 3, -128, -128], "int8")];
    expect(run("aten.gcd.default", [a, b])).toEqual([1, 1, -1, 1, -128, -2]);
    expect(run("aten.lcm.default", [a, b])).toEqual([121, -128, -128, -128, 0, -128]);
  });

  test("ranges and their ends are cut to the dtype", () => {
    const range = [2 ** 53, 2n ** 53n + 4n];
    expect(run("aten.arange.start_step", range, { dtype: "uint8" })).toEqual([0, 1, 2, 3]);
    expect(run("aten.logspace.default", [5, -5, 7], { dtype: "uint8" })).toEqual([160, 0, 0, 0, 0, 0, 0]);
  });
});

describe("halves", () => {
  test("the step of a sequence is rounded at every place", () => {
    const values = [5, 3.34375, 1.671875, 0, -1.671875, -3.34375, -5];
    expect(run("aten.linspace.default", [5, -5, 7], { dtype: "bfloat16" })).toEqual(values);
  });

  test("a number that is added is a half first", () => {
    const x = tensor([1, -60000, 2048], "float16");
    expect(run("aten.add.Scalar", [x, float(2049.5)])).toEqual([2052, -57952, 4096]);
    expect(run("aten.add.Scalar", [x, float(70000)])).toEqual([Infinity, Infinity, Infinity]);
    expect(run("aten.sub.Scalar", [x, float(683.1), float(3.01)])).toEqual([-2054, -62048, -7.671875]);
  });

  test("gradients of a sampled plane are rounded at every step", () => {
    const [grad, plane] = [
      tensor([2, 1.1015625], "bfloat16", [1, 1, 1, 2]),
      tensor(PLANE, "bfloat16", [1, 1, 3, 3]),
    ];
    const grid = tensor([0.30078125, -0.41015625, -0.69921875, 0.5], "bfloat16", [1, 1, 2, 2]);
    const args = [grad, plane, grid, 0, 0, false, [true, true]];
    expect(all("aten.grid_sampler_2d_backward.default", args)).toEqual([
      [0, 0.68359375, 0.55078125, 0.26171875, 0.423828125, 0.341796875, 0.7890625, 0, 0],
      [-6.9375, 3.0625, 4.375, 4.0625],
    ]);
  });

  test("a mean of integers is taken in float32, their sum is not", () => {
    const x = int64(70000n, -70000n);
    expect(run("aten.mean.default", [x], { dtype: "float16" })).toEqual([0]);
    expect(run("aten.sum.default", [x], { dtype: "float16" })).toEqual([Number.NaN]);
  });
});

describe("reductions", () => {
  test("a sum in bool says whether anything is true", () => {
    const many = tensor(new Array(256).fill(1), "bool");
    expect(run("aten.sum.default", [many], { dtype: "bool" })).toEqual([true]);
    const rows = tensor([0, 2, 0, 0.5], "float32", [2, 2]);
    expect(run("aten.sum.dim_IntList", [rows, [0]], { dtype: "bool" })).toEqual([false, true]);
    const gap = tensor([Number.NaN, 0], "float32");
    expect(run("aten.sum.default", [gap], { dtype: "bool" })).toEqual([true]);
    expect(run("aten.nansum.default", [gap], { dtype: "bool" })).toEqual([false]);
  });

  test("a number is its own top", () => {
    expect(all("aten.topk.default", [tensor([5], "float32", []), 0])).toEqual([[5], [0n]]);
  });

  test("rows that are masked altogether have no logarithm", () => {
    const x = tensor([1, 2, 3, 4], "float32", [1, 1, 2, 2]);
    const mask = tensor(new Array(4).fill(-Infinity), "float32", [2, 2]);
    const target = "aten._scaled_dot_product_flash_attention_for_cpu.default";
    expect(all(target, [x, x, x], { attn_mask: mask })).toEqual([
      [0, 0, 0, 0],
      [0, 0],
    ]);
  });
});

describe("writing under a mask", () => {
  const x = tensor([0, 0, 0], "float32");
  const mask = tensor([1, 0, 1], "bool");

  test("one value of any dtype fills", () => {
    expect(run("aten.index_put.default", [x, [mask], Tensor.from([7n], [], "int64")])).toEqual([7, 0, 7]);
    expect(
      run("aten.index_put.default", [tensor([0, 0, 0], "int64"), [mask], tensor([7.9], "float32")]),
    ).toEqual([7n, 0n, 7n]);
  });

  test("it has to fit, and only fills", () => {
    const bytes = tensor([0, 0, 0], "uint8");
    expect(refusal(() => run("aten.index_put.default", [bytes, [mask], int64(300n)]))).toContain(
      "value cannot be converted to type uint8_t without overflow",
    );
    const mismatch = "Index put requires the source and destination dtypes match";
    expect(refusal(() => run("aten.index_put.default", [x, [mask], int64(7n), true]))).toContain(mismatch);
    expect(refusal(() => run("aten.index_put.default", [x, [int64(0n)], int64(7n)]))).toContain(mismatch);
  });
});

describe("little to compute", () => {
  test("without elements any dtype is normalized and any dimension rolled", () => {
    const none = Tensor.empty([0, 3], "int64");
    expect((call("aten._softmax.default", [none, 0, false]) as Tensor).dtype).toBe("int64");
    expect((call("aten.log_softmax.int", [none, 0, "int8"]) as Tensor).shape).toEqual([0, 3]);
    expect((call("aten.roll.default", [Tensor.empty([0], "float32"), [0], [1]]) as Tensor).shape).toEqual([
      0,
    ]);
    expect(refusal(() => call("aten.roll.default", [none, [0, 0], [1]]))).toContain(
      "shifts and dimensions must align",
    );
    expect(refusal(() => call("aten._softmax.default", [tensor([1], "int64"), 0, false]))).toContain(
      "not implemented for",
    );
  });

  test("one element is true or false", () => {
    expect(call("aten.is_nonzero.default", [tensor([0], "bool", [])])).toBe(false);
    expect(call("aten.is_nonzero.default", [tensor([2], "float32")])).toBe(true);
    expect(refusal(() => call("aten.is_nonzero.default", [tensor([1, 2], "float32")]))).toContain(
      "Boolean value of Tensor with more than one value is ambiguous",
    );
  });

  test("distances by a negative norm, which only pdist itself refuses", () => {
    const rows = tensor([1, 2, 3, 5, 0, 1], "float64", [3, 2]);
    const distances = run("aten._pdist_forward.default", [rows, float(-1)]) as number[];
    [1.2, 0.5, 12 / 7].forEach((value, i) => {
      expect(distances[i]).toBeCloseTo(value, 12);
    });
    expect(refusal(() => run("aten.pdist.default", [rows, float(-1)]))).toContain(
      "pdist only supports non-negative p values",
    );
  });
});

test("a shift of 2^53 or more is refused: its rest would be that of another number", () => {
  const shift = 3n * (2n ** 53n + 1n);
  expect(
    refusal(() => call("aten.roll.default", [Tensor.from([1, 2, 3], [3], "float32"), [shift], [0]])),
  ).toContain("roll: a shift of 2^53 or more");
});

describe("moments whose squares overflow", () => {
  // The factor of each row: where large elements are, and how many elements there are (PyTorch's).
  test.each([
    ["all", 3, Number.NaN],
    ["all", 8, Number.NaN],
    ["all", 9, 0],
    ["all", 300, 0],
    ["all", 1000, Number.NaN],
    ["first", 7, Number.NaN],
    ["first", 16, Number.NaN],
    ["last", 16, 0],
    ["last", 5, Number.NaN],
    ["first", 12, 0],
  ] as const)("%s of %d elements", (place, size, wanted) => {
    const isLarge = (i: number): boolean => place === "all" || i === (place === "first" ? 0 : size - 1);
    const row = Array.from({ length: size }, (_, i) => (isLarge(i) ? 1e30 * (1 + (i % 3)) : i % 5));
    const [, , rstd] = all("aten.native_layer_norm.default", [
      tensor(row, "float32", [1, size]),
      [size],
      null,
      null,
      float(1e-5),
    ]);
    expect(rstd).toEqual([wanted]);
  });

  test("the exponential of halves is refused, which PyTorch's kernel does not compute", () => {
    const matrix = tensor([1, 2, 3, 4], "float16", [2, 2]);
    expect(refusal(() => run("aten.linalg_matrix_exp.default", [matrix]))).toContain(
      "convert them to float32",
    );
    expect(run("aten.linalg_matrix_exp.default", [tensor([0], "float16", [1, 1])])).toEqual([1]);
  });
});
