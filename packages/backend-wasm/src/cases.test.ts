/**
 * @file A part of the recorded calls, those at edges included, as programs of one node, against
 * PyTorch's numbers.
 */
import { LOWERINGS } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { wasmBackend } from "./index.js";

const { counts } = backendCasesSpec(() => wasmBackend(), {
  operators: defaultOperators(),
  edges: true,
  filter: (one) =>
    Object.hasOwn(LOWERINGS, one.target) && (one.source !== "edges" || one.compare !== "error"),
  every: 64,
});
test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(counts.partition));
