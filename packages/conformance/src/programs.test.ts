/** @file A third of the programs that PyTorch exported; the full suite has the others. */
import { describe, expect, test } from "vitest";
import { checksOf, isSample, NAMES } from "./programs.fixture.js";

describe("programs that PyTorch exported", () => {
  test.each(NAMES.filter(isSample))(
    "%s: texts, lowering, numbers and refusals are PyTorch's [S-070, S-094, S-095, S-097]",
    async (name) => {
      const checks = await checksOf(name);
      expect(checks.filter((check) => check.problem !== undefined)).toEqual([]);
    },
  );

  test("the corpus is there and is really checked", async () => {
    expect(NAMES.length).toBeGreaterThan(150);
    const checks = await checksOf("net_gpt");
    expect(checks.map((check) => check.name)).toEqual(
      expect.arrayContaining(["load program.pt2", "lower", "run", "run lowered", "run optimized"]),
    );
  });
});
