/**
 * @file Pointwise operators on values at the edges of their dtypes: devices keep signs of zeros,
 * infinities and NaN as the interpreter does.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { defaultOperators } from "@sconce/ops";
import { EdgeChecker, edgeCalls } from "@sconce/ops-cases";
import { describe, expect, test } from "vitest";
import { gpujsBackend, type Mode } from "./index.js";
import { hasWebgpu } from "./webgpu/device.fixture.js";

const isThere = await hasWebgpu();
const calls = edgeCalls();

/** @param least calls that have to run on the device, not on the host */
async function check(mode: Mode, least: number): Promise<void> {
  const operators = defaultOperators();
  const device = gpujsBackend({ mode, operators, allowSoftware: true });
  const checker = new EdgeChecker(device, cpuBackend({ operators }), operators, mode === "webgpu");
  let ran = 0;
  const problems: string[] = [];
  for (const call of calls) {
    const report = await checker.check(call);
    if (report.ran) ran++;
    problems.push(...report.differences.map((difference) => `${call.name} (${difference})`));
  }
  expect(problems).toEqual([]);
  expect(ran).toBeGreaterThan(least);
}

const TITLE = "edge values in mode %s";
test.each([
  ["webasm", 390],
  ["cpu", 400],
] as const)(TITLE, check);
describe.skipIf(!isThere)("on a WebGPU device", () => {
  test.each([["webgpu", 540]] as const)(TITLE, check);
});
