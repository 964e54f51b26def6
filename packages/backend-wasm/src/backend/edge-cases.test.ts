/**
 * @file Recorded calls at the edges of operators, against PyTorch's numbers. Elements that an index
 * names often: sums and counts wrap, are rounded or overflow in the dtype of the result. Samples at
 * coordinates that are NaN, infinite or large.
 */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const { counts } = backendCasesSpec(() => wasmBackend({ threads: 1 }), {
  operators: defaultOperators(),
  edges: true,
  filter: ({ source, target }) =>
    source === "edges" && /scatter|index_(add|put|reduce)|grid_sampler_[23]d\./.test(target),
});
test("they run on the device", () => expect(counts.device).toBeGreaterThan(500));
