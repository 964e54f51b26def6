/** @file Dtypes that PyTorch's kernels do not compute in, empty tensors included. */
import { type DType, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluate } from "./backend.js";

const zeros = (dtype: DType, length = 2): Tensor => Tensor.empty([length], dtype);

test.each<
  [target: string, dtypes: readonly DType[], more: (x: Tensor) => readonly unknown[], message: string]
>([
  ["aten.abs.default", ["bool", "uint16"], () => [], '"abs_cpu" not implemented for'],
  ["aten.threshold.default", ["bool", "complex64"], () => [0, 1], '"threshold_cpu" not implemented for'],
  ["aten.dot.default", ["bool"], (x) => [x], '"dot" not implemented for'],
  ["aten.vdot.default", ["bool"], (x) => [x], '"dot" not implemented for'],
  [
    "aten.lerp.Scalar",
    ["bool", "int64", "uint8"],
    (x) => [x, 0.5],
    '"lerp_kernel_scalar" not implemented for',
  ],
  ["aten.lerp.Tensor", ["bool", "int64"], (x) => [x, x], '"lerp_kernel_tensor" not implemented for'],
  ["aten.positive.default", ["bool"], () => [], "The `+` operator, on a bool tensor is not supported."],
])("%s refuses %s", (target, dtypes, more, message) => {
  for (const dtype of dtypes) {
    for (const x of [zeros(dtype), zeros(dtype, 0)])
      expect(() => evaluate(target, [x, ...more(x)] as never)).toThrow(message);
  }
  const x = zeros("float32");
  expect(() => evaluate(target, [x, ...more(x)] as never)).not.toThrow();
});
