/**
 * @file Work grows with the size of a program and not faster: families from 100 to 1,600 calls, and
 * to 800 where a stage takes long. With its slack, 1,600 calls show a quadratic part as small as
 * 3,200 would with 1.5.
 */
import { afterAll, describe, expect, test } from "vitest";
import { FAMILIES } from "./families.fixture.js";
import { STAGES, superlinear } from "./stages.fixture.js";
import { WorkCounter } from "./work-counter.fixture.js";

const counter = new WorkCounter();
afterAll(() => counter.stop());

const LARGE = ["cpu", "wasm"];
const DEVICE = "gpujs:cpu";
const OTHERS = Object.keys(STAGES).filter((stage) => ![...LARGE, DEVICE].includes(stage));

describe.each(Object.entries(FAMILIES).map(([name, family], at) => ({ name, family, at })))(
  "$name",
  ({ family, at }) => {
    // Its regions are those of the other backends, printed in another language.
    const isWhole = at % 3 === 0;

    test("capture and backends, to 1,600 calls", async () => {
      const stages = isWhole ? [...LARGE, DEVICE] : LARGE;
      expect(await superlinear(counter, family, [100, 1600], { stages, slack: 1.25 })).toEqual([]);
    });

    test("other stages, to 800 calls", async () => {
      const stages = isWhole ? OTHERS : [...OTHERS, DEVICE];
      expect(await superlinear(counter, family, [100, 800], { stages, slack: 1.5 })).toEqual([]);
    });
  },
);
