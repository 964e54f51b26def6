/** @file Single corruptions of all programs of the corpus are reported. */
import { expect, test } from "vitest";
import { MUTATIONS, mutatedPrograms } from "./verify-mutations.fixture.js";

test("each corruption of a program is reported", async () => {
  const { missed, applied, loaded } = await mutatedPrograms(1);
  expect(missed).toEqual([]);
  expect(Object.keys(MUTATIONS).filter((name) => !applied.has(name))).toEqual([]);
  expect(loaded).toBeGreaterThan(150);
});
