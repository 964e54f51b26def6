/** @file Some recorded calls of each kind on a WebGPU device; the full suite runs all. */
import { defaultOperators } from "@sconce/ops";
import { casesByTarget } from "@sconce/ops-cases";
import { readAllCases } from "@sconce/ops-cases/node";
import { afterAll, describe, expect, test } from "vitest";
import { checkOnDevice } from "./device-calls.fixture.js";
import { openTestDevice } from "./webgpu/device.fixture.js";

const device = await openTestDevice();
afterAll(() => device?.dispose());
const operators = defaultOperators();

const SOME = [
  "addmm.default",
  "convolution.default",
  "gelu.default",
  "gather.default",
  "where.self",
  "cat.default",
];

describe.skipIf(device === undefined)("recorded calls on a WebGPU device", () => {
  const byTarget = casesByTarget(readAllCases());
  test.each(SOME)("%s", async (name) => {
    const cases = byTarget.get(`aten.${name}`)!;
    const results = [];
    for (const one of cases)
      if (one.compare !== "error" && one.source !== "edges")
        results.push(await checkOnDevice(one, operators, device!));
    expect(results.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(results.filter(({ refused }) => refused === undefined).length).toBeGreaterThan(3);
  });
});
