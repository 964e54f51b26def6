import { bigInteger, symbol } from "@sconce/symbolic";
import { expect, test } from "vitest";
import { numbersOf } from "./meta-number.js";

test("sizes that no tensor has are refused in PyTorch's words, and symbols are a fault", () => {
  expect(numbersOf([2, 3])).toEqual([2, 3]);
  expect(() => numbersOf([2, bigInteger(2n ** 63n - 1n)])).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      message: "Storage size calculation overflowed with sizes=[2, 9223372036854775807]",
    }),
  );
  expect(() => numbersOf([symbol("s0")])).toThrow(expect.objectContaining({ code: "INTERNAL" }));
});
