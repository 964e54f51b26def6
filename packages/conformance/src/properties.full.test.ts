import { programProblem } from "@sconce/testing";
import { arbitraryProgram } from "@sconce/testing/fast-check";
import fc from "fast-check";
import { expect, test } from "vitest";

test.each([
  ["any", { mutations: true }],
  ["functional", { mutations: false }],
  ["small", { mutations: true, maxNodes: 4 }],
  ["long", { mutations: true, maxNodes: 60 }],
] as const)("generated programs: %s", async (_, options) => {
  const holds = fc.asyncProperty(arbitraryProgram(options), async (program) => {
    expect(await programProblem(program)).toBeUndefined();
  });
  await fc.assert(holds, { seed: 19_491_001, numRuns: 125 });
});
