/** @file The programs that PyTorch exported, but for those of `programs.test.ts`. */
import { expect, test } from "vitest";
import { checksOf, isSample, NAMES } from "./programs.fixture.js";

test.each(NAMES.filter((name, at) => !isSample(name, at)))(
  "%s: texts, lowering, numbers and refusals are PyTorch's",
  async (name) => {
    const checks = await checksOf(name);
    expect(checks.filter((check) => check.problem !== undefined)).toEqual([]);
  },
);
