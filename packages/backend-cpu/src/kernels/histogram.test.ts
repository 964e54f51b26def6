import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
const run = (target: string, args: readonly unknown[], options: object = {}): unknown[][] =>
  (evaluate(target, args as never, options as never) as unknown as readonly Tensor[]).map((item) => [
    ...item.toArray(),
  ]);
const bins = (values: readonly number[], count: number, options: object = {}): unknown[][] =>
  run("aten.histogram.bin_ct", [f32(values), count], options);

describe("histograms", () => {
  test("have the right edge in their last bin, and leave out what is outside", () => {
    expect(bins([1, 2, 3], 4)).toEqual([
      [1, 0, 1, 1],
      [1, 1.5, 2, 2.5, 3],
    ]);
    expect(bins([-1, 0, Number.NaN, 5], 2, { range: [float(0), float(2)] })[0]).toEqual([1, 0]);
    expect(run("aten.histogram.bins_tensor", [f32([1, 2, 3, 4]), f32([1, 2, 3])])[0]).toEqual([1, 2]);
  });

  test("of one value, or none, still have a width", () => {
    expect(bins([1, 1, 1], 2)).toEqual([
      [0, 3],
      [0.5, 1, 1.5],
    ]);
    expect(bins([], 2)).toEqual([
      [0, 0],
      [0, 0.5, 1],
    ]);
  });

  test("weigh points, and divide by the volume of bins", () => {
    const weight = f32([1, 2, 5]);
    expect(bins([1, 2, 3], 2, { weight, density: true })[0]).toEqual([0.125, 0.875]);
    const points = f32([1, 2, 3, 4], [2, 2]);
    const densities = evaluate("aten._histogramdd_from_bin_cts.default", [points, [2, 2]], { density: true });
    expect([...(densities as Tensor).toArray()]).toEqual([0.5, 0, 0, 0.5]);
  });

  test("refuse ranges that are none", () => {
    expect(() => bins([1, Number.NaN], 2)).toThrow("is not finite");
    expect(() => bins([1], 2, { range: [float(4), float(0)] })).toThrow("min 4 max 0");
    expect(() => bins([1], 0)).toThrow("bins must be > 0");
    expect(() => run("aten.histogram.bins_tensor", [f32([1]), f32([1, 2], [1, 2])])).toThrow("one dimension");
  });
});
