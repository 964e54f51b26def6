/**
 * @file Recorded calls that loops express, on a WebGPU device: what it computes is what PyTorch
 * gave. Where an operator has many, each fourth one.
 */
import { LOWERINGS } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { casesByTarget, caseTitle, type OpCase } from "@sconce/ops-cases";
import { readAllCases } from "@sconce/ops-cases/node";
import { afterAll, describe, expect, test } from "vitest";
import { checkOnDevice, type DeviceOutcome } from "./device-calls.fixture.js";
import { openTestDevice } from "./webgpu/device.fixture.js";

const device = await openTestDevice();
afterAll(() => device?.dispose());
const results: DeviceOutcome[] = [];
/** Up to so many recorded calls of an operator are all run. */
const FEW = 6;

function* calls(): Iterable<OpCase> {
  for (const [target, all] of casesByTarget(readAllCases())) {
    if (!Object.hasOwn(LOWERINGS, target)) continue;
    const given = all.filter(({ compare, source }) => compare !== "error" && source !== "edges");
    yield* given.length <= FEW ? given : given.filter((_, at) => at % 4 === 0);
  }
}

describe.skipIf(device === undefined)("recorded calls on a WebGPU device", () => {
  test("give PyTorch's numbers", async () => {
    const operators = defaultOperators();
    const problems: string[] = [];
    for (const one of calls()) {
      const result = await checkOnDevice(one, operators, device!);
      results.push(result);
      if (result.problem !== undefined) problems.push(`${caseTitle(one)}: ${result.problem}`);
    }
    expect(problems).toEqual([]);
    expect(device!.allocated).toBe(0);
  });

  test("few are refused but those of float64", () => {
    const refused = results.filter(({ refused }) => refused !== undefined && !refused.includes("float64"));
    expect(results.length).toBeGreaterThan(1000);
    expect(refused.length / results.length).toBeLessThan(0.05);
  });
});
