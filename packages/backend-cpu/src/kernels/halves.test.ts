/**
 * @file What halves round to in operators that round on the way; all numbers are PyTorch 2.14's.
 */
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const run = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): Tensor =>
  evaluate(target, args as never, kwargs as never) as Tensor;
const many = (target: string, args: readonly unknown[]): readonly Tensor[] =>
  evaluate(target, args as never) as unknown as readonly Tensor[];
const brain = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "bfloat16");
const half = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float16");
const row = (values: readonly number[], dtype: DType): Tensor =>
  Tensor.from(values, [values.length / 2, 2], dtype);
const sequence = (count: number, value: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => value(i));

describe("halves round where PyTorch rounds them", () => {
  test("addbmm adds one product after the other", () => {
    const self = brain(
      sequence(6, (i) => i / 7),
      [2, 3],
    );
    const a = brain(
      sequence(12, (i) => (i - 5) / 3),
      [2, 2, 3],
    );
    const b = brain(
      sequence(18, (i) => (i - 8) / 5),
      [2, 3, 3],
    );
    expect(run("aten.addbmm.default", [self, a, b], { beta: 0.6, alpha: 0.2 }).toArray()).toEqual([
      1.28125, 1.2890625, 1.2890625, 1.421875, 1.6640625, 1.90625,
    ]);
  });

  test("addr and cross round each step", () => {
    const [u, v] = [brain([1.1, 2.3, -0.7]), brain([0.3, -1.9])];
    const self = brain([0.11, 0.22, 0.33, 0.44, 0.55, 0.66], [3, 2]);
    expect(run("aten.addr.default", [self, u, v], { beta: 0.6, alpha: 0.3 }).toArray()).toEqual([
      0.166015625, -0.49609375, 0.40625, -1.046875, 0.26953125, 0.796875,
    ]);
    expect(run("aten.linalg_cross.default", [u, brain([0.3, -1.9, 5.5])]).toArray()).toEqual([
      11.3125, -6.28125, -2.78125,
    ]);
  });

  test("adaptive averages of volumes divide by one length after the other", () => {
    const x = brain(
      sequence(45, (i) => (i % 11) / 3),
      [1, 1, 3, 3, 5],
    );
    expect(run("aten._adaptive_avg_pool3d.default", [x, [2, 1, 2]]).toArray()).toEqual([
      1.4453125, 1.5, 1.96875, 1.6171875,
    ]);
  });

  test("lines and volumes are resized with weights that are halves", () => {
    const line = brain([0.3, 1.7, -2.2, 0.9], [1, 1, 4]);
    expect(run("aten.upsample_linear1d.default", [line, [7], false]).toArray()).toEqual([
      0.30078125, 0.80078125, 1.6015625, -0.25, -1.984375, -0.2041015625, 0.8984375,
    ]);
    const volume = brain(
      sequence(12, (i) => (i % 7) / 3),
      [1, 1, 2, 2, 3],
    );
    expect(
      run("aten.upsample_trilinear3d.default", [volume, [3, 3, 5], false])
        .toArray()
        .slice(15, 25),
    ).toEqual([1, 0.66796875, 0.1669921875, 0.3671875, 0.5, 0.91796875, 0.8203125, 0.66796875, 0.8671875, 1]);
  });

  test("grid sampling adds the corners in the dtype itself", () => {
    const image = brain([0.3, 1.7, -2.2, 0.9, 4.1, -3.3], [1, 1, 2, 3]);
    const grid = brain([0.3, -0.2, 0.77, 0.11, -0.61, 0.93], [1, 1, 3, 2]);
    expect(run("aten.grid_sampler_2d.default", [image, grid, 0, 0, false]).toArray()).toEqual([
      0.21875, -2.4375, 0.66796875,
    ]);
  });

  test("statistics of a batch are rounded before they are used", () => {
    const values = [0.3, 1.7, -2.2, 0.9, 4.1, -3.3];
    const normalized = (x: Tensor): number[][] =>
      many("aten.native_batch_norm.default", [x, null, null, null, null, true, 0.1, 1e-5]).map(
        (tensor) => tensor.toArray() as number[],
      );
    const wide = row(values, "bfloat16");
    expect(normalized(wide)).toEqual([
      [-0.166015625, 0.87890625, -1.1328125, 0.515625, 1.296875, -1.3984375],
      [0.73046875, -0.2314453125],
      [0.38671875, 0.455078125],
    ]);
    expect(normalized(row(wide.toArray() as number[], "float16"))).toEqual([
      [-0.166015625, 0.8828125, -1.1328125, 0.515625, 1.298828125, -1.3984375],
      [0.73046875, -0.2318115234375],
      [0.38623046875, 0.456298828125],
    ]);
  });

  test("the exponential of soft_margin_loss overflows", () => {
    const [x, y] = [half([-8.4765625, 2, 1.5]), half([3.6, 1, -2])];
    expect(run("aten.soft_margin_loss.default", [x, y, 0]).toArray()).toEqual([
      Infinity,
      0.126953125,
      3.048828125,
    ]);
  });

  test("histc rounds on the way to a bin", () => {
    const counts = run("aten.histc.default", [half([-1.9, -1.1, 0.3, 0.55, 1.2, 1.95]), 40, -2, 2]).toArray();
    expect(counts.flatMap((count, bin) => (count === 0 ? [] : [bin]))).toEqual([0, 9, 23, 25, 32, 39]);
  });
});

describe("images of bytes are resized in 16-bit integers, as PyTorch does", () => {
  const image = Tensor.from([0, 255, 7, 13, 200, 91], [1, 1, 2, 3], "uint8");
  const resized = (target: string, size: readonly number[]): unknown[] =>
    run(target, [image, size, false]).toArray();

  test("linear", () => {
    const wanted = [0, 102, 255, 106, 7, 7, 95, 228, 121, 49, 13, 88, 200, 135, 91];
    expect(resized("aten.upsample_bilinear2d.default", [3, 5])).toEqual(wanted);
    expect(resized("aten._upsample_bilinear2d_aa.default", [3, 5])).toEqual(wanted);
    expect(resized("aten.upsample_bilinear2d.default", [1, 2])).toEqual([62, 94]);
    expect(resized("aten._upsample_bilinear2d_aa.default", [1, 2])).toEqual([90, 116]);
  });

  test("cubic", () => {
    expect(resized("aten.upsample_bicubic2d.default", [3, 5])).toEqual([
      0, 119, 255, 120, 0, 0, 105, 228, 135, 41, 0, 91, 195, 149, 88,
    ]);
    expect(resized("aten._upsample_bicubic2d_aa.default", [3, 5])).toEqual([
      0, 102, 255, 103, 0, 0, 92, 228, 122, 42, 0, 82, 196, 140, 88,
    ]);
    expect(resized("aten.upsample_bicubic2d.default", [1, 2])).toEqual([63, 97]);
  });
});
