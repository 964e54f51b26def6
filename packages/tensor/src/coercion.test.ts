import { isSconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { Tensor } from "./tensor.js";

const code = (run: () => unknown): string | undefined => {
  try {
    run();
  } catch (error) {
    return isSconceError(error) ? error.code : String(error);
  }
  return undefined;
};

test("a tensor is not an operand of JavaScript", () => {
  const x = Tensor.from([1, 2]) as unknown as number;
  for (const run of [() => x + 1, () => x < 1, () => -x, () => Number(x), () => x ** 2])
    expect(code(run)).toBe("TENSOR_COERCION");
});

test("a tensor prints as a text", () => {
  expect(`${Tensor.from([1, 2])}`).toBe("tensor([1, 2])");
});
