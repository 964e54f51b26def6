/** @file Calls that PyTorch refuses, with its reasons; and edges that it does not. */
import { float } from "@sconce/ir";
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const run = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): Tensor =>
  evaluate(target, args as never, kwargs as never) as Tensor;
const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
const scalar = f32([1], []);

describe("refusals in PyTorch's words", () => {
  test.each([
    ["aten.arange.start_step", [1549556900, 1549556828, 1989724], "inconsistent with step sign"],
    [
      "aten.exponential_.default",
      [f32([0]), float(0)],
      "exponential_ expects lambda > 0.0, but found lambda=0",
    ],
    ["aten.uniform_.default", [f32([0]), float(3), float(-1)], "found from=3 > to=-1"],
    ["aten.normal_.default", [f32([0]), float(0), float(-1)], "normal expects std >= 0.0, but found std -1"],
    ["aten.normal.Tensor_Tensor", [f32([0]), f32([-1])], "normal expects all elements of std >= 0.0"],
    ["aten.narrow.Tensor", [f32([1, 2]), 0, scalar, 1], "start must be an 0-dim integral Tensor."],
    ["aten.fft_irfftn.default", [scalar, null, [0]], "Dimension specified as 0 but tensor has no dimensions"],
    [
      "aten.fft_fftn.default",
      [scalar, [1]],
      "Got shape with 1 values but input tensor only has 0 dimensions",
    ],
    ["aten.group_norm.default", [Tensor.empty([1, 2, 0], "float32"), 1], "Expected HxW to be greater than 0"],
    ["aten.ldexp.Tensor", [f32([1]), Tensor.from([true], [1], "bool")], "not implemented for 'Bool'"],
    [
      "aten.masked_scatter.default",
      [f32([1]), Tensor.from([1], [1], "uint8"), f32([1])],
      "masked_scatter_ only supports boolean masks",
    ],
    [
      "aten.masked_fill.Scalar",
      [Tensor.from([1], [1], "uint8"), Tensor.from([true], [1], "bool"), 300],
      "value cannot be converted to type uint8_t without overflow",
    ],
    [
      "aten.masked_fill.Scalar",
      [Tensor.from([1], [1], "float16"), Tensor.from([true], [1], "bool"), 1e5],
      "value cannot be converted to type c10::Half without overflow",
    ],
  ] as const)("%s", (target, args, message) => {
    expect(() => run(target, args)).toThrow(message);
  });
});

describe("edges", () => {
  test("as_strided_scatter writes to the memory behind a view", () => {
    const all = f32(Array.from({ length: 20 }, (_, i) => i));
    const view = all.asStrided([5], [1], 3);
    const written = run("aten.as_strided_scatter.default", [
      view,
      f32([-1, -1, -1, -1], [2, 2]),
      [2, 2],
      [1, 2],
      2,
    ]);
    expect(written.toArray()).toEqual([-1, -1, -1, 6, 7]);
    expect(view.toArray()).toEqual([3, 4, 5, 6, 7]);
  });

  test("view_copy copies where no view is possible", () => {
    const turned = f32([0, 1, 2, 3, 4, 5], [2, 3]).asStrided([3, 2], [1, 3]);
    expect(run("aten.view_copy.default", [turned, [6]]).toArray()).toEqual([0, 3, 1, 4, 2, 5]);
  });

  test("conj_physical of real numbers is the tensor itself", () => {
    expect(run("aten.conj_physical.default", [scalar]).storage).toBe(scalar.storage);
  });

  test("sequences of integers cut their ends first", () => {
    expect(run("aten.logspace.default", [0, 1.18, 2, float(5)], { dtype: "int64" }).toArray()).toEqual([
      1n,
      5n,
    ]);
  });

  test("ldexp by an integer goes beyond what a power of two can hold", () => {
    const exponents = Tensor.from([140n, -2n], [2], "int64");
    expect(run("aten.ldexp.Tensor", [f32([1e-40, 3]), exponents]).toArray()).toEqual([139.37890625, 0.75]);
  });

  test("masked_fill takes the largest integer and infinities", () => {
    const mask = Tensor.from([true], [1], "bool");
    const largest = 2n ** 63n - 1n;
    const filled = (dtype: DType, value: unknown): unknown[] =>
      run("aten.masked_fill.Scalar", [Tensor.empty([1], dtype), mask, value]).toArray();
    expect(filled("int64", largest)).toEqual([largest]);
    expect(filled("uint8", -255)).toEqual([1]);
    expect(filled("float16", Number.NEGATIVE_INFINITY)).toEqual([Number.NEGATIVE_INFINITY]);
  });

  test("trigamma is finite at its rounded poles", () => {
    expect(run("aten.polygamma.default", [1, f32([-8, -2.5])]).toArray()).toEqual([
      20177651499008, 9.539247512817383,
    ]);
  });

  test("the loss of one sample has no dimension", () => {
    const labels = Tensor.from([3n, 0n, -1n, 1n], [4], "int64");
    const loss = run("aten.multilabel_margin_loss.default", [f32([0.1, 0.2, 0.4, 0.8]), labels, 0]);
    expect([loss.shape, loss.toArray()]).toEqual([[], [0.8500000238418579]]);
  });
});
