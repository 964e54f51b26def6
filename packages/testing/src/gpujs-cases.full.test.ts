/** @file All recorded calls on gpu.js, those of operators that run on the host too. */
import { fileURLToPath } from "node:url";
import { gpujsBackend, type Mode } from "@sconce/backend-gpujs";
import { createSconce } from "sconce";
import { describe, expect, test } from "vitest";
import { BackendChecker } from "./conformance/backend-cases.js";
import { openOpCases } from "./conformance/op-case-set.js";
import { hasWebgpu } from "./conformance/test-device.js";

const entries = openOpCases(fileURLToPath(new URL("../fixtures/op-cases.zip", import.meta.url)));
const isThere = await hasWebgpu();

async function check(mode: Mode): Promise<void> {
  const checker = new BackendChecker(() => gpujsBackend({ mode }), createSconce().operators);
  const problems: unknown[] = [];
  for (const entry of entries) {
    const results = await checker.check(entry.read());
    problems.push(...results.filter(({ problem }) => problem !== undefined));
  }
  expect(problems).toEqual([]);
  expect(checker.counts.device).toBeGreaterThan(checker.counts.partition);
}

const TITLE = "every recorded call gives PyTorch's numbers in mode %s";
test.each(["webasm", "cpu"] as const)(TITLE, check, 600_000);
describe.skipIf(!isThere)("on a WebGPU device", () => {
  test.each(["webgpu"] as const)(TITLE, check, 600_000);
});
