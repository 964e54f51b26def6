import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram } from "@sconce/ir";
import { expect, test } from "vitest";
import { countRuns, PIPELINE } from "./check-runs.fixture.js";
import { PROGRAMS } from "./fixtures.js";

const fixture = (name: string): Promise<ExportedProgram> => openPt2File(`${PROGRAMS}${name}/program.pt2`);

test.each(["net_resnet", "net_resnet_train"])(
  "%s: a pass takes at most three runs of the whole program",
  async (name) => {
    const counted = countRuns(await fixture(name), PIPELINE);
    expect(counted.length).toBeGreaterThan(0);
    for (const { whole } of counted) expect(whole).toBeLessThanOrEqual(3);
    for (const { largest } of counted) expect(largest).toBeLessThanOrEqual(4096);
    expect(counted.some(({ regions }) => regions > 0)).toBe(true);
  },
);
