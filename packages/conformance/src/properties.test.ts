import { builtinPasses } from "@sconce/passes";
import { programProblem } from "@sconce/testing";
import { arbitraryProgram } from "@sconce/testing/fast-check";
import fc from "fast-check";
import { expect, test } from "vitest";

test(`8 generated programs hold through all ${builtinPasses.length} passes`, async () => {
  const holds = fc.asyncProperty(arbitraryProgram({ mutations: true }), async (program) => {
    expect(await programProblem(program)).toBeUndefined();
  });
  await fc.assert(holds, { seed: 20_260_101, numRuns: 8 });
});
