/**
 * @file A part of the recorded calls in modes that every machine has: as programs of one node,
 * against PyTorch's numbers.
 */
import { LOWERINGS } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { describe, expect, test } from "vitest";
import { gpujsBackend } from "./index.js";

const operators = defaultOperators();

describe.each([
  ["webasm", 40],
  ["cpu", 64],
] as const)("operators that have loops in mode %s", (mode, every) => {
  const { counts } = backendCasesSpec(() => gpujsBackend({ mode }), {
    operators,
    filter: ({ target }) => Object.hasOwn(LOWERINGS, target),
    every,
  });
  test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(counts.partition));
});
