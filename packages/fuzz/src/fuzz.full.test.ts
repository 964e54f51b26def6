import { expect, test } from "vitest";
import { fuzz, MOST_WORK } from "./support/driver.js";
import { ARCHIVE_TARGETS } from "./targets/archives.js";
import { TARGETS } from "./targets.js";

/** Archives take longer, so that the other parsers get more. */
const INPUTS_OF_ARCHIVES = 3_000;
const ALL = 100_000;
const archives = new Set(ARCHIVE_TARGETS.map(({ name }) => name));
const others = TARGETS.length - archives.size;
const rest = Math.ceil((ALL - archives.size * INPUTS_OF_ARCHIVES) / others);
const ROWS = TARGETS.map((target) => ({
  target,
  inputs: archives.has(target.name) ? INPUTS_OF_ARCHIVES : rest,
}));

test("the inputs are 100,000 in all", () => {
  expect(ROWS.reduce((sum, { inputs }) => sum + inputs, 0)).toBeGreaterThanOrEqual(ALL);
});

test.each(ROWS.map((row) => [row.target.name, row] as const))(
  "%s: every random input is read or rejected with a typed error, with little work, a tenth pass",
  async (_, { target, inputs }) => {
    const { passed, mostWork, costliest, failures } = await fuzz(target, { seed: 13, inputs });
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThan(inputs / 10);
    expect(mostWork, costliest).toBeLessThanOrEqual(MOST_WORK);
  },
  600_000,
);
