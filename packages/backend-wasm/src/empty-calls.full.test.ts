/** @file Calls with operands of no elements, of each operator that has a lowering. */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { describe, expect, test } from "vitest";
import { wasmBackend } from "./index.js";

describe.each([1, 2])("%i threads", (threads) => {
  const { counts } = backendCasesSpec(() => wasmBackend({ threads }), {
    operators: defaultOperators(),
    filter: ({ source }) => source === "empties",
  });
  test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(700));
});
