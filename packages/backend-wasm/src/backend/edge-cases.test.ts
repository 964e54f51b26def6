/**
 * @file Recorded calls at the edges of operators, against PyTorch's numbers. Elements that an index
 * names often: sums and counts wrap, are rounded or overflow in the dtype of the result. Samples at
 * coordinates that are NaN, infinite or large. Batches of zeros, and
 * of numbers whose squares overflow.
 */
import { defaultOperators } from "@sconce/ops";
import type { OpCase } from "@sconce/ops-cases";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const SPECIAL = /scatter|index_(add|put|reduce)|grid_sampler_[23]d\./;
const NORMS = /norm_legit\.(default|no_stats)|group_norm\./;
/** Statistics beside parameters of another dtype have the dtype of the shape rule. */
const isPlain = ({ tags }: OpCase): boolean => !tags.includes("mixed-dtype") && !tags.includes("empty");
const { counts } = backendCasesSpec(() => wasmBackend({ threads: 1 }), {
  operators: defaultOperators(),
  edges: true,
  filter: (one) =>
    one.source === "edges" && (SPECIAL.test(one.target) || (NORMS.test(one.target) && isPlain(one))),
});
test("they run on the device", () => expect(counts.device).toBeGreaterThan(500));
