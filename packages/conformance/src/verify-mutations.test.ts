/**
 * @file Single corruptions of some programs of the corpus are reported;
 * `verify-mutations.full.test.ts` takes all.
 */
import { expect, test } from "vitest";
import { MUTATIONS, mutatedPrograms } from "./verify-mutations.fixture.js";

test("each corruption of a program is reported", async () => {
  const { missed, applied, loaded } = await mutatedPrograms(6);
  expect(missed).toEqual([]);
  expect(Object.keys(MUTATIONS).filter((name) => !applied.has(name))).toEqual([]);
  expect(loaded).toBeGreaterThan(20);
});
