/** @file Calls with operands of no elements, of each operator that has a lowering. */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { gpujsBackend } from "./index.js";

const { counts } = backendCasesSpec(() => gpujsBackend({ mode: "cpu" }), {
  operators: defaultOperators(),
  filter: ({ source }) => source === "empties",
});
test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(500));
