import { isSconceError } from "@sconce/errors";
import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, it } from "vitest";
import { torch } from "./torch.js";

const mask = torch.tensor([true, false]);
const whole = torch.tensor([1, 2]);
const fractions = torch.tensor([0.5, 2]);

describe("a large whole number that decides the dtype", () => {
  it.each<readonly [string, () => Tensor]>([
    ["torch.full", () => torch.full([2], -1e9)],
    ["torch.full", () => torch.full([2], 2 ** 24, { dtype: null })],
    ["torch.tensor", () => torch.tensor(-1e9)],
    ["torch.asTensor", () => torch.asTensor(1e18)],
    ["torch.where", () => torch.where(mask, 0, -1e9)],
    ["torch.where", () => torch.where(mask, whole, -1e9)],
    ["torch.where", () => torch.where(mask, -1e9, mask)],
    ["Tensor.where", () => whole.where(mask, -1e9)],
  ])("is refused by %s (%#)", (name, run) => {
    let error: unknown;
    try {
      run();
    } catch (thrown) {
      error = thrown;
    }
    expect(isSconceError(error) && [error.code, error.message.split(":")[0]]).toEqual([
      "TORCH_ARGUMENT",
      name,
    ]);
    expect(isSconceError(error) && error.fix).toMatch(/^for float32 write float\(.*; for int64 write -?\d+n/);
  });

  it.each<readonly [string, () => Tensor]>([
    ["float32", () => torch.full([2], float(-1e9))],
    ["float32", () => torch.full([2], -1e9, { dtype: "float32" })],
    ["int64", () => torch.full([2], -1e9, { dtype: "int64" })],
    ["int64", () => torch.full([2], -1000000000n)],
    ["float32", () => torch.full([2], 1e30)],
    ["int64", () => torch.full([2], 2 ** 24 - 1)],
    ["int64", () => torch.tensor([1e9, 2])],
    ["float32", () => torch.where(mask, fractions, -1e9)],
    ["float32", () => torch.where(mask, 0.5, -1e9)],
    ["int64", () => torch.where(mask, whole, -1000000000n)],
    ["float32", () => torch.where(mask, whole, float(-1e9))],
    ["int64", () => whole.newFull([2], 1e9)],
    ["float32", () => fractions.maskedFill(mask, -1e9)],
  ])("is %s where something else decides (%#)", (dtype, run) => {
    expect(run().dtype).toBe(dtype);
  });
});
