/** @file A good part of the recorded calls on gpu.js: as programs of one node, against PyTorch's numbers. */
import { fileURLToPath } from "node:url";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { LOWERINGS } from "@sconce/codegen";
import { createSconce } from "sconce";
import { expect, test } from "vitest";
import { BackendChecker } from "./conformance/backend-cases.js";
import { openOpCases } from "./conformance/op-case-set.js";

const entries = openOpCases(fileURLToPath(new URL("../fixtures/op-cases.zip", import.meta.url)));
const { operators } = createSconce();

test.each([
  ["webasm", 3],
  ["cpu", 5],
] as const)("every operator that has loops gives PyTorch's numbers in mode %s", async (mode, every) => {
  const checker = new BackendChecker(() => gpujsBackend({ mode }), operators);
  const problems: unknown[] = [];
  for (const entry of entries) {
    const file = entry.read();
    if (!Object.hasOwn(LOWERINGS, file.target)) continue;
    // Every few of a file's cases, so that all kinds come up.
    const results = await checker.check(
      file,
      file.cases.filter((_, at) => at % every === 0),
    );
    problems.push(...results.filter(({ problem }) => problem !== undefined));
  }
  expect(problems).toEqual([]);
  expect(checker.counts.device).toBeGreaterThan(checker.counts.partition);
});
