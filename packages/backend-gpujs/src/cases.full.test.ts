/** @file All recorded calls in all modes, those of operators that run on the host too. */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { describe, expect, test } from "vitest";
import { gpujsBackend, type Mode } from "./index.js";
import { hasWebgpu } from "./webgpu/device.fixture.js";

const isThere = await hasWebgpu();
const operators = defaultOperators();

function spec(mode: Mode): void {
  const { counts } = backendCasesSpec(() => gpujsBackend({ mode }), { operators });
  test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(counts.partition));
}
describe.each(["webasm", "cpu"] as const)("mode %s", spec);
describe.skipIf(!isThere)("mode webgpu", () => spec("webgpu"));
