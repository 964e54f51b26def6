import { float } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import { expect, test } from "vitest";
import { torch } from "./torch.js";

/** What `torch.finfo` says: bits, eps, max, tiny, resolution. */
const FLOATS: readonly (readonly [DType, number, number, number, number, number])[] = [
  ["float64", 64, 2.220446049250313e-16, 1.7976931348623157e308, 2.2250738585072014e-308, 1e-15],
  ["float32", 32, 1.1920928955078125e-7, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-6],
  ["float16", 16, 0.0009765625, 65504, 6.103515625e-5, 0.001],
  ["bfloat16", 16, 0.0078125, 3.3895313892515355e38, 1.1754943508222875e-38, 0.01],
  ["float8_e4m3fn", 8, 0.125, 448, 0.015625, 1],
  ["float8_e5m2", 8, 0.25, 57344, 6.103515625e-5, 1],
  ["float8_e4m3fnuz", 8, 0.125, 240, 0.0078125, 1],
  ["float8_e5m2fnuz", 8, 0.125, 57344, 3.0517578125e-5, 1],
  ["complex64", 32, 1.1920928955078125e-7, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-6],
];

test.each(FLOATS)("the limits of %s", (dtype, bits, eps, max, tiny, resolution) => {
  expect(torch.finfo(dtype)).toMatchObject({
    bits,
    eps,
    max: float(max),
    min: float(-max),
    tiny,
    smallestNormal: tiny,
    resolution,
  });
});

test.each([
  ["uint8", 255, 0],
  ["int8", 127, -128],
  ["int32", 2147483647, -2147483648],
  ["uint32", 4294967295, 0],
  ["int64", 9223372036854775807n, -9223372036854775808n],
  ["uint64", 18446744073709551615n, 0n],
] as const)("the limits of %s", (dtype, max, min) => {
  expect(torch.iinfo(dtype)).toMatchObject({ max, min, dtype });
});

test("dtypes of the other kind are refused", () => {
  expect(() => torch.finfo("int32")).toThrow(/not a float dtype/);
  expect(() => torch.iinfo("float32")).toThrow(/not an integer dtype/);
  expect(() => torch.iinfo("bool")).toThrow(/not an integer dtype/);
});
