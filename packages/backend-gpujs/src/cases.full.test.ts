/**
 * @file All recorded calls, those of operators that run on the host too: each in a mode without an
 * adapter, and some on the adapter too: `device-calls.full.test.ts` runs more there, without a
 * backend.
 */
import { defaultOperators } from "@sconce/ops";
import type { OpCase } from "@sconce/ops-cases";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { describe, expect, test } from "vitest";
import { gpujsBackend, type Mode } from "./index.js";
import { hasWebgpu } from "./webgpu/device.fixture.js";

const isThere = await hasWebgpu();
const operators = defaultOperators();

/**
 * Calls of quantization, most of which refuse values or compute with integers: the host runs them.
 */
const isQuantized = ({ target }: OpCase): boolean =>
  /quant|torchao\.|qparams|int[48]pack|_int_mm|_scaled_mm/.test(target);

function spec(mode: Mode, every: number, first: number): void {
  const make = () => gpujsBackend({ mode });
  backendCasesSpec(make, { operators, every, first, filter: isQuantized });
  const filter = (one: OpCase): boolean => !isQuantized(one);
  const { counts } = backendCasesSpec(make, { operators, every, first, filter });
  test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(counts.partition));
}
describe.each(["webasm", "cpu"] as const)("edges in mode %s", (mode) => {
  const filter = ({ source }: OpCase): boolean => source === "edges";
  backendCasesSpec(() => gpujsBackend({ mode }), { operators, edges: true, filter, every: 2 });
});
describe("mode webasm", () => spec("webasm", 2, 0));
describe("mode cpu", () => spec("cpu", 2, 1));
describe.skipIf(!isThere)("mode webgpu", () => spec("webgpu", 8, 0));
