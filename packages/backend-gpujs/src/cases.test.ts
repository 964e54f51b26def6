/**
 * @file A part of the recorded calls in modes that every machine has: as programs of one node,
 * against PyTorch's numbers. The full suite has all.
 */
import { LOWERINGS } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { describe, expect, test } from "vitest";
import { gpujsBackend } from "./index.js";

const operators = defaultOperators();

/** The operators that have loops, in the order of their names; the second mode takes a third. */
const targets = Object.keys(LOWERINGS).sort();

describe.each([
  ["webasm", 80, targets],
  ["cpu", 128, targets.filter((_, at) => at % 3 === 0)],
] as const)("operators that have loops in mode %s", (mode, every, chosen) => {
  const { counts } = backendCasesSpec(() => gpujsBackend({ mode }), {
    operators,
    filter: ({ target }) => chosen.includes(target),
    every,
  });
  test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(counts.partition));
});
