/** @file Work grows with the size of a program and not faster: families from 100 to 3,200 calls. */
import { afterAll, describe, expect, test } from "vitest";
import { FAMILIES } from "./families.fixture.js";
import { STAGES, superlinear } from "./stages.fixture.js";
import { WorkCounter } from "./work-counter.fixture.js";

const counter = new WorkCounter();
afterAll(() => counter.stop());

const BACKENDS = ["cpu", "wasm", "gpujs:cpu"];
const OTHERS = Object.keys(STAGES).filter((stage) => !BACKENDS.includes(stage));

describe.each(Object.entries(FAMILIES))("%s", (_, family) => {
  test("capture and backends, to 3,200 calls", async () => {
    expect(await superlinear(counter, family, [100, 3200], { stages: BACKENDS, slack: 1.5 })).toEqual([]);
  });

  test("other stages, to 1,600 calls", async () => {
    expect(await superlinear(counter, family, [100, 1600], { stages: OTHERS, slack: 1.5 })).toEqual([]);
  });
});
