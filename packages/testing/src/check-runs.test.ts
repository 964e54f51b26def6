import { fileURLToPath } from "node:url";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram, Value } from "@sconce/ir";
import { expect, test } from "vitest";
import { countRuns, PIPELINE } from "./check-runs.fixture.js";
import { model } from "./models.js";

const fixture = (name: string): Promise<ExportedProgram> =>
  openPt2File(fileURLToPath(new URL(`../fixtures/programs/${name}/program.pt2`, import.meta.url)));

const PROGRAMS: Readonly<Record<string, () => Promise<readonly [ExportedProgram, (readonly Value[])?]>>> = {
  net_resnet: async () => [await fixture("net_resnet")],
  net_resnet_train: async () => [await fixture("net_resnet_train")],
  "resnet18-small": async () => {
    const { program, inputs } = model("resnet18-small");
    return [program, inputs];
  },
};

test.each(Object.keys(PROGRAMS))("%s: a pass takes at most three runs of the whole program", async (name) => {
  const [program, inputs] = await PROGRAMS[name]!();
  const counted = countRuns(program, PIPELINE, inputs);
  expect(counted.length).toBeGreaterThan(0);
  for (const { whole } of counted) expect(whole).toBeLessThanOrEqual(3);
  for (const { largest } of counted) expect(largest).toBeLessThanOrEqual(4096);
  expect(counted.some(({ regions }) => regions > 0)).toBe(true);
});
