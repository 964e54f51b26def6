import { expect, test } from "vitest";
import { autocastDtype, isAutocastEligible } from "./autocast.js";

test.each([
  ["aten.linear.default", ["float32"], "bfloat16"],
  ["aten.conv_transpose2d.input", ["float32"], "bfloat16"],
  ["aten.mse_loss.default", ["bfloat16"], "float32"],
  ["aten.prod.int", ["float32"], undefined],
  ["aten.cat.default", ["float32", "bfloat16"], "float32"],
  ["aten.cat.default", ["bfloat16", "bfloat16"], "bfloat16"],
  ["aten.add.Tensor", ["float32"], undefined],
  ["mylib.linear.default", ["float32"], undefined],
] as const)("%s of %j runs in %s", (target, dtypes, wanted) => {
  expect(autocastDtype(target, "bfloat16", dtypes)).toBe(wanted);
});

test("only floats up to 32 bits are cast", () => {
  expect((["float32", "float16", "float64", "int64", "complex64"] as const).map(isAutocastEligible)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
