/** @file All recorded calls at the edges of operators, as programs of one node. */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { repeatsEdge } from "./edges.fixture.js";
import { wasmBackend } from "./index.js";

const { counts } = backendCasesSpec(() => wasmBackend(), {
  operators: defaultOperators(),
  edges: true,
  filter: repeatsEdge,
});
test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(4000));
