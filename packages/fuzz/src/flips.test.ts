import { describe, test } from "vitest";
import { expectDetected, flipBits, placed, smallArchive } from "./flips.fixture.js";
import { BASES, OLD_LAYOUTS } from "./targets/bases.js";

describe("a flipped bit is detected, or has no effect", () => {
  test("in a small archive: one bit in 61", async () => {
    expectDetected(await flipBits(placed(await smallArchive()), 61));
  });

  test("in archives of PyTorch: one bit in 997", async () => {
    for (const bytes of [...BASES.slice(0, 3), ...OLD_LAYOUTS.slice(0, 2)])
      expectDetected(await flipBits(placed(bytes), 997));
  });
});
