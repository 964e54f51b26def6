/** @file Work grows with the size of a program and not faster: families from 100 to 3,200 calls. */
import { afterAll, describe, expect, test } from "vitest";
import { FAMILIES } from "./families.fixture.js";
import { STAGES, superlinear } from "./stages.fixture.js";
import { WorkCounter } from "./work-counter.fixture.js";

const counter = new WorkCounter();
afterAll(() => counter.stop());

describe.each(Object.entries(FAMILIES))("%s", (_, family) => {
  test("work grows linearly", async () => {
    const options = { stages: Object.keys(STAGES), slack: 1.5 };
    expect(await superlinear(counter, family, [100, 3200], options)).toEqual([]);
  });
});
