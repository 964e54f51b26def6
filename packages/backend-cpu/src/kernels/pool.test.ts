import { type DType, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const [inf, third] = [Number.POSITIVE_INFINITY, Math.fround(1e38)];
const line = [1e38, 1e38, 3e38, 3e38, -3e38, -3e38];
const square = [3e38, 3e38, -3e38, 1e38];

test.each<
  [
    target: string,
    values: readonly number[],
    shape: readonly number[],
    dtype: DType,
    args: unknown[],
    results: readonly number[],
  ]
>([
  ["avg_pool1d", line, [1, 1, 6], "float32", [[3]], [inf, -third]],
  ["avg_pool1d", line, [1, 1, 6], "float32", [[2]], [third, inf, -inf]],
  ["adaptive_avg_pool1d", line, [1, 1, 6], "float32", [[2]], [inf, -third]],
  ["avg_pool2d", square, [1, 1, 2, 2], "float32", [[2, 2]], [inf]],
  ["_adaptive_avg_pool2d", square, [1, 1, 2, 2], "float32", [[1, 1]], [inf]],
  ["avg_pool3d", square, [1, 1, 1, 2, 2], "float32", [[1, 2, 2]], [inf]],
  ["avg_pool2d", square, [1, 1, 2, 2], "float64", [[2, 2]], [1e38]],
  ["avg_pool2d", [6e4, 6e4, 6e4, 6e4], [1, 1, 2, 2], "float16", [[2, 2]], [6e4]],
  ["_adaptive_avg_pool2d", [6e4, 6e4, 6e4, 6e4], [1, 1, 2, 2], "float16", [[1, 1]], [6e4]],
])(
  "%s of %j overflows in the steps in which PyTorch adds up",
  (target, values, shape, dtype, args, results) => {
    const x = Tensor.from(values, shape, dtype);
    const pooled = evaluate(`aten.${target}.default`, [x, ...args] as never) as Tensor;
    expect([...pooled.toFloat64Array()]).toEqual(results);
  },
);
