/**
 * @file Given scale factors that do not lead to the given size, as PyTorch's kernels treat them.
 */
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const row = (length: number, rank: number): Tensor =>
  Tensor.from(
    Array.from({ length }, (_, i) => i),
    [...new Array<number>(rank + 1).fill(1), length],
    "float32",
  );
const values = (result: unknown): number[] => [...(result as Tensor)].map(Number);

/** 3 elements to 6 by 2.3, and to 3 by 1.2: images take the sizes, lines and volumes the factor. */
test.each<[name: string, rank: number, twice: readonly number[], same: readonly number[]]>([
  ["upsample_nearest1d", 1, [0, 0, 0, 1, 1, 2], [0, 0, 1]],
  ["upsample_nearest2d", 2, [0, 0, 1, 1, 2, 2], [0, 1, 2]],
  ["upsample_nearest3d", 3, [0, 0, 0, 1, 1, 2], [0, 0, 1]],
  ["_upsample_nearest_exact1d", 1, [0, 0, 1, 1, 1, 2], [0, 1, 2]],
  ["_upsample_nearest_exact2d", 2, [0, 0, 1, 1, 1, 2], [0, 1, 2]],
  ["_upsample_nearest_exact3d", 3, [0, 0, 1, 1, 1, 2], [0, 1, 2]],
])("%s", (name, rank, twice, same) => {
  const resized = (length: number, factor: number): number[] => {
    const ones = new Array<number>(rank - 1).fill(1);
    return values(evaluate(`aten.${name}.default`, [row(3, rank), [...ones, length], ...ones, factor]));
  };
  expect(resized(6, 2.3)).toEqual(twice);
  expect(resized(3, 1.2)).toEqual(same);
});

test("gradients of nearest neighbors take the sizes, those of exact ones the factor", () => {
  const gradient = (name: string): number[] =>
    values(
      evaluate(`aten.${name}.default`, [
        Tensor.from([1, 2, 3, 4, 5, 6], [1, 1, 6], "float32"),
        [6],
        [1, 1, 3],
        2.3,
      ]),
    );
  expect(gradient("upsample_nearest1d_backward")).toEqual([3, 7, 11]);
  expect(gradient("_upsample_nearest_exact1d_backward")).toEqual([3, 12, 6]);
});

test("volumes of more than three channels, channels last, take the sizes", () => {
  const volume = (channels: number): Tensor =>
    new Tensor({
      ...Tensor.from(
        [...Array(3 * channels)].map((_, i) => Math.floor(i / channels)),
        [3 * channels],
        "float32",
      ),
      shape: [1, channels, 1, 1, 3],
      strides: [3 * channels, 1, 3 * channels, 3 * channels, channels],
    });
  const first = (channels: number): number[] =>
    values(evaluate("aten.upsample_nearest3d.default", [volume(channels), [1, 1, 6], 1, 1, 2.3])).slice(0, 6);
  expect(first(4)).toEqual([0, 0, 1, 1, 2, 2]);
  expect(first(3)).toEqual([0, 0, 0, 1, 1, 2]);
});

test.each(["bilinear", "bicubic", "lanczos"])(
  "antialiased %s copies dimensions that keep their size",
  (mode) => {
    const image = Tensor.from([3, 1, 4, 1, 5, 9, 2, 6, 5], [1, 1, 3, 3], "float32");
    const same = evaluate(`aten._upsample_${mode}2d_aa.default`, [image, [3, 3], false, 1.1, 1.1]);
    expect(values(same)).toEqual(values(image));
  },
);
