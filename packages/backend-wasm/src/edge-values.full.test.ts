/**
 * @file Pointwise operators on values at the edges of their dtypes: kernels keep signs of zeros,
 * infinities and NaN as the interpreter does.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { defaultOperators } from "@sconce/ops";
import { EdgeChecker, edgeCalls } from "@sconce/ops-cases";
import { expect, test } from "vitest";
import { wasmBackend } from "./index.js";

test("edge values", async () => {
  const operators = defaultOperators();
  const checker = new EdgeChecker(wasmBackend({ operators }), cpuBackend({ operators }), operators, false);
  let ran = 0;
  const problems: string[] = [];
  for (const call of edgeCalls()) {
    const report = await checker.check(call);
    if (report.ran) ran++;
    problems.push(...report.differences.map((difference) => `${call.name} (${difference})`));
  }
  expect(problems).toEqual([]);
  expect(ran).toBeGreaterThan(500);
});
