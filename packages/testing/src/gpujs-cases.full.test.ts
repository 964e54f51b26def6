/** @file All recorded calls on gpu.js, those of operators that run on the host too. */
import { fileURLToPath } from "node:url";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { createSconce } from "sconce";
import { expect, test } from "vitest";
import { BackendChecker } from "./conformance/backend-cases.js";
import { openOpCases } from "./conformance/op-case-set.js";

const entries = openOpCases(fileURLToPath(new URL("../fixtures/op-cases.zip", import.meta.url)));

test.each(["webasm", "cpu"] as const)(
  "every recorded call gives PyTorch's numbers in mode %s",
  async (mode) => {
    const checker = new BackendChecker(() => gpujsBackend({ mode }), createSconce().operators);
    const problems: unknown[] = [];
    for (const entry of entries) {
      const results = await checker.check(entry.read());
      problems.push(...results.filter(({ problem }) => problem !== undefined));
    }
    expect(problems).toEqual([]);
  },
  600_000,
);
