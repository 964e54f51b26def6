/** @file A part of the recorded calls, as programs of one node, against PyTorch's numbers. */
import { LOWERINGS } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { wasmBackend } from "./index.js";

const { counts } = backendCasesSpec(() => wasmBackend(), {
  operators: defaultOperators(),
  filter: ({ target }) => Object.hasOwn(LOWERINGS, target),
  every: 10,
});
test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(counts.partition));
