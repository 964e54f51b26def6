/**
 * @file Work grows with the size of a program and not faster: a 27th of the families, from 100 to
 * 400 calls. All are in the full suite.
 */
import { afterAll, describe, expect, test } from "vitest";
import { FAMILIES } from "./families.fixture.js";
import { superlinear } from "./stages.fixture.js";
import { WorkCounter } from "./work-counter.fixture.js";

const counter = new WorkCounter();
afterAll(() => counter.stop());

test("there are 50 families", () => expect(Object.keys(FAMILIES).length).toBeGreaterThanOrEqual(50));

const SOME = Object.entries(FAMILIES).filter((_, at) => at % 27 === 0);
describe.each(SOME)("%s", (_, family) => {
  test("work grows linearly", async () => {
    const options = { stages: ["verify", "wasm"], slack: 1.25, together: true };
    expect(await superlinear(counter, family, [100, 400], options)).toEqual([]);
  });
});
