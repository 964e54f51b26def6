import { expect, test } from "vitest";
import { fuzz } from "./fuzz.fixture.js";
import { PROGRAM_TARGETS } from "./program-targets.fixture.js";
import { TEXT_TARGETS } from "./text-targets.fixture.js";

/** 100,000 in all; programs take longer, so that the small languages get more. */
const TARGETS = [
  ...TEXT_TARGETS.map((target) => ({ target, inputs: 13_000 })),
  ...PROGRAM_TARGETS.map((target) => ({ target, inputs: 5_000 })),
];

/** Values and terms that one input may take: less than 50 ms of CPU. */
const MOST_WORK = 100_000;

test("the inputs are 100,000 in all", () => {
  expect(TARGETS.reduce((sum, { inputs }) => sum + inputs, 0)).toBe(100_000);
});

test.each(TARGETS.map((row) => [row.target.name, row] as const))(
  "%s: every random input is read or refused with a typed error, with little work, a tenth pass",
  async (_, { target, inputs }) => {
    const { passed, mostWork, costliest } = await fuzz(target as never, inputs, 13);
    expect(passed).toBeGreaterThan(inputs / 10);
    expect(mostWork, costliest).toBeLessThan(MOST_WORK);
  },
  600_000,
);
