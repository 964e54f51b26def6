import { expect, test } from "vitest";
import { fuzz } from "./fuzz.fixture.js";
import { PROGRAM_TARGETS } from "./program-targets.fixture.js";
import { TEXT_TARGETS } from "./text-targets.fixture.js";

test.each([...TEXT_TARGETS, ...PROGRAM_TARGETS].map((target) => [target.name, target] as const))(
  "%s: random inputs are read or refused with a typed error, a tenth pass",
  async (_, target) => {
    const { passed, inputs } = await fuzz(target as never, 60, 2024);
    expect(passed).toBeGreaterThan(inputs / 10);
    expect(passed).toBeLessThan(inputs);
  },
);
