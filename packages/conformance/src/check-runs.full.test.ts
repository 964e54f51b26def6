/** @file A ResNet-18 at its full size: what a check of the default pipeline takes. */
import { expect, test } from "vitest";
import { countRuns, PIPELINE } from "./check-runs.fixture.js";
import { model } from "./models.js";

test("a pass takes at most three runs of ResNet-18, and small runs of what it changed", () => {
  const { program, inputs } = model("resnet18");
  const counted = countRuns(program, PIPELINE, inputs);
  expect(counted.length).toBeGreaterThan(0);
  for (const { whole } of counted) expect(whole).toBeLessThanOrEqual(3);
});
