/**
 * @file A part of the calls with operands of no elements. All are in the full suite.
 */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { gpujsBackend } from "./index.js";

const { counts } = backendCasesSpec(() => gpujsBackend({ mode: "cpu" }), {
  operators: defaultOperators(),
  filter: ({ source }) => source === "empties",
  every: 10,
});
test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(100));
