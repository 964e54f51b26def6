/** @file All recorded calls at the edges of operators, as programs of one node. */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { wasmBackend } from "./index.js";

const { counts } = backendCasesSpec(() => wasmBackend(), {
  operators: defaultOperators(),
  edges: true,
  filter: ({ source }) => source === "edges",
});
test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(4000));
