import { beforeAll, describe, expect, test } from "vitest";
import { callCount, classify, type Digits, drawDigit, loadDigits, optimize } from "./classify.js";

let digits: Digits;
beforeAll(async () => {
  digits = await loadDigits();
});

describe("the digit classifier", () => {
  test("is as accurate as PyTorch, with PyTorch's logits", async () => {
    const { correct, predictions, difference } = await classify(digits, digits.program);
    expect(difference).toBeUndefined();
    expect(predictions).toHaveLength(360);
    expect(correct).toBe(357);
  });

  test("stays so when it is lowered and folded", async () => {
    const seen: number[] = [];
    const { correct, difference } = await classify(digits, optimize(digits), (done) => seen.push(done));
    expect(difference).toBeUndefined();
    expect(correct).toBe(357);
    expect(seen.at(-1)).toBe(360);
  });

  test("a difference in the logits is reported", async () => {
    const { logits } = digits;
    const wrong = { ...digits, logits: logits.asStrided(logits.shape, [1, 1], 0) };
    expect((await classify(wrong, digits.program)).difference).toMatch(/^element \d+ is /);
  });
});

describe("the optimized program", () => {
  test("calls fewer operators than the plain lowering, and is valid", () => {
    const lowered = digits.sconce.runDecompositions(digits.program);
    const optimized = optimize(digits);
    // Folded transposes of weights become constants, which are inputs of the graph: it is calls
    // that get fewer.
    expect(callCount(optimized)).toBeLessThan(callCount(lowered));
    expect(optimized.graph.size).toBeLessThanOrEqual(lowered.graph.size);
    expect(optimized.dialect).toBe("ATEN");
    expect(digits.sconce.verify(optimized)).toEqual([]);
  });

  test("leaves the exported one as it was", () => {
    const before = String(digits.program);
    optimize(digits);
    expect(String(digits.program)).toBe(before);
  });
});

test("images are drawn eight lines high", () => {
  const lines = drawDigit(digits.images, 0);
  expect(lines).toHaveLength(8);
  expect(new Set(lines.map((line) => line.length))).toEqual(new Set([16]));
  expect(lines.join("")).toMatch(/@/);
});
