import { expect, test } from "vitest";
import { fuzz } from "./support/driver.js";
import { TARGETS } from "./targets.js";

test.each(TARGETS.map((target) => [target.name, target] as const))(
  "%s: random inputs are read or rejected with a typed error, a tenth pass",
  async (_, target) => {
    const { passed, inputs, failures } = await fuzz(target, { seed: 2024, inputs: 30 });
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThan(inputs / 10);
    expect(passed < inputs || target.takesAll === true).toBe(true);
  },
);
