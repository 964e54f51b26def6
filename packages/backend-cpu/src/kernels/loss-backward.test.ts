import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const f32 = (values: readonly number[], shape: readonly number[]): Tensor =>
  Tensor.from(values, shape, "float32");
const i64 = (values: readonly number[], shape: readonly number[]): Tensor =>
  Tensor.from(values.map(BigInt), shape, "int64");
const listed = (target: string, args: readonly unknown[]): unknown[] => [
  ...(evaluate(target, args as never) as Tensor).toArray(),
];

// Values are PyTorch's.
describe("the gradient of the negative log likelihood", () => {
  const x = f32(new Array(12).fill(1), [3, 4]);
  const labels = i64([1, 0, 3], [3]);
  const gradient = (grad: Tensor, weight: Tensor | null, reduction: number, ignore: number, total: number) =>
    listed("aten.nll_loss_backward.default", [grad, x, labels, weight, reduction, ignore, f32([total], [])]);

  test("is zero off the targets, also beside infinities, NaN and a total weight of zero", () => {
    const each = f32([inf, 1, nan], [3]);
    expect(gradient(each, null, 0, -100, 0)).toEqual([0, -inf, 0, 0, -1, 0, 0, 0, 0, 0, 0, nan]);
    expect(gradient(f32([2], []), null, 1, 0, 0)).toEqual([0, -inf, 0, 0, 0, 0, 0, 0, 0, 0, 0, -inf]);
    const weight = f32([0, 1, 2, inf], [4]);
    expect(gradient(f32([2], []), weight, 1, -100, 2)).toEqual([0, -1, 0, 0, -0, 0, 0, 0, 0, 0, 0, -inf]);
    expect(gradient(f32([nan], []), weight, 2, 0, 2)).toEqual([0, nan, 0, 0, 0, 0, 0, 0, 0, 0, 0, nan]);
  });

  test("of images is zero off the targets", () => {
    const target = i64([1, 0, 2, 1], [2, 1, 2]);
    const args = [f32([inf, 1, nan, 2], [2, 1, 2]), f32(new Array(12).fill(1), [2, 3, 1, 2]), target];
    const run = (weight: Tensor | null, ignore: number): unknown[] =>
      listed("aten.nll_loss2d_backward.default", [...args, weight, 0, ignore, f32([0], [])]);
    expect(run(null, -100)).toEqual([0, -1, -inf, 0, 0, 0, 0, 0, 0, -2, nan, 0]);
    expect(run(f32([0, 1, inf], [3]), 1)).toEqual([0, -0, 0, 0, 0, 0, 0, 0, 0, 0, nan, 0]);
  });

  test("of one sample takes a target without dimensions", () => {
    const run = (target: Tensor): unknown[] =>
      listed("aten.nll_loss_backward.default", [
        f32([3], []),
        f32([1, 2, 3, 4], [4]),
        target,
        null,
        1,
        -100,
        f32([2], []),
      ]);
    expect(run(i64([1], []))).toEqual([0, -1.5, 0, 0]);
    expect(run(i64([-100], []))).toEqual([0, 0, 0, 0]);
    expect(() => run(i64([7], []))).toThrow("Target 7 is out of bounds.");
    expect(() => run(i64([1], [1]))).toThrow("size mismatch (got input: [4], target: [1])");
  });
});

test("the gradient of log_sigmoid refuses a buffer of another size", () => {
  const run = (buffer: readonly number[]): unknown[] =>
    listed("aten.log_sigmoid_backward.default", [
      f32([1, 1, 1], [3]),
      f32([-1, 2, 3], [3]),
      f32(new Array(buffer.reduce((a, b) => a * b, 1)).fill(0), buffer),
    ]);
  expect(run([1])).toEqual([1, 0, 0]);
  for (const [shape, size] of [
    [[4], 4],
    [[0], 0],
    [[2, 3], 2],
  ] as const)
    expect(() => run(shape)).toThrow(`must match the size of tensor b (${size})`);
});

test("gradients of windows that do not overlap are copied, signs of zeros with them", () => {
  const run = (windows: number, size: number, step: number): unknown[] => {
    const grad = f32(new Array(windows * size).fill(-0), [1, windows, size]);
    return listed("aten.unfold_backward.default", [grad, [1, 5], 1, size, step]);
  };
  expect(run(2, 2, 2)).toEqual([-0, -0, -0, -0, 0]);
  expect(run(2, 1, 3)).toEqual([-0, 0, 0, -0, 0]);
  expect(run(4, 2, 1)).toEqual([0, 0, 0, 0, 0]);
});

test.each([
  ["upsample_bilinear2d_backward", false, [1, nan, 1, 1]],
  ["upsample_bilinear2d_backward", true, [1, nan, 1, 1]],
  ["upsample_bicubic2d_backward", false, [1, inf, 1, 1]],
])(
  "the gradient of %s that keeps the size takes infinities as PyTorch (align_corners %s)",
  (name, align, want) => {
    const args = [f32([1, inf, 1, 1], [1, 1, 2, 2]), [2, 2], [1, 1, 2, 2], align];
    expect(listed(`aten.${name}.default`, args)).toEqual(want);
  },
);

test("the gradient of resizing multiplies infinities with weights of zero, as PyTorch", () => {
  const args = [f32([inf, inf, inf, 1], [1, 1, 2, 2]), [2, 2], [1, 1, 4, 4], true];
  expect(listed("aten.upsample_bilinear2d_backward.default", args)).toEqual([
    ...[inf, nan, 0, nan, nan, nan, 0, nan, 0, 0, 0, 0, nan, nan, 0, 1],
  ]);
});

test.each([
  ["over the last dimension start from the first term", [2, 3], 1, 0],
  ["over another dimension start from 0", [2, 3], 0, -0],
  ["over another dimension start from 0, also before a size of 1", [2, 3, 1], 1, -0],
])("sums in gradients of softmax %s", (_, shape, dim, want) => {
  const grad = f32(new Array(6).fill(-0), shape);
  const args = [grad, f32(new Array(6).fill(0.5), shape), dim, { kind: "dtype", dtype: "float32" }];
  for (const name of ["_softmax_backward_data", "_log_softmax_backward_data"])
    expect(listed(`aten.${name}.default`, args)).toEqual(new Array(6).fill(want));
});
