import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

test("an observer finds the range of many elements", () => {
  const count = 200_000;
  const self = Tensor.from(
    Array.from({ length: count }, (_, i) => ((i % 19) - 9) / 8),
    [count],
    "float32",
  );
  const one = (value: number, dtype: "float32" | "int32" | "int64" = "float32"): Tensor =>
    Tensor.from([value], [1], dtype);
  const [on, least, most] = [one(1, "int64"), one(Number.POSITIVE_INFINITY), one(Number.NEGATIVE_INFINITY)];
  const state = [least, most, one(1), one(0, "int32")];
  const results = evaluate("aten._fused_moving_avg_obs_fq_helper_functional.default", [
    self,
    on,
    on,
    ...state,
    ...[float(0.01), 0, 255, 0],
  ] as never) as unknown as readonly Tensor[];
  const [, , low, high, scale, zero] = results.map((result) => result.toArray());
  // Values of PyTorch 2.14.
  expect([low, high, zero]).toEqual([[-1.125], [1.125], [128]]);
  expect(scale![0]).toBe(Math.fround(2.25 / 255));
});
