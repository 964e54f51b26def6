/**
 * @file All recorded calls: kernel, shape rule and decomposition give what PyTorch gave. One
 * operator: `npx vitest run packages/ops -t silu`.
 */
import { CPU_KERNELS, createEvaluator } from "@sconce/backend-cpu";
import { defaultOperators } from "@sconce/ops";
import type { Kernels, OperatorCall } from "@sconce/ops-cases";
import { operatorSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";

const operators = defaultOperators();
const kernels: Kernels = {
  has: (target) => Object.hasOwn(CPU_KERNELS, target),
  evaluator: (without) => createEvaluator({ operators, withoutKernels: without }) as OperatorCall,
};
const { counts } = operatorSpec({ operators, kernels });

test("every recorded call was run, most were predicted, and many were decomposed", () => {
  expect(counts.run).toBe(7270 + 7625 + 1342);
  expect(counts.fake).toBe(6747 + 6603 + 1140);
  expect(counts.decomposition).toBeGreaterThan(1300);
});
