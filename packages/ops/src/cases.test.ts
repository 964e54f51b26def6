/**
 * @file Each third of the recorded calls, and all in the longer suites: kernel, shape rule and
 * decomposition give what PyTorch gave. One operator: `npx vitest run packages/ops -t silu`.
 */
import { CPU_KERNELS, createEvaluator } from "@sconce/backend-cpu";
import { defaultOperators } from "@sconce/ops";
import type { Kernels, OperatorCall } from "@sconce/ops-cases";
import { operatorSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { sampledEvery } from "../../../.config/sampled.js";

const operators = defaultOperators();
const kernels: Kernels = {
  has: (target) => Object.hasOwn(CPU_KERNELS, target),
  evaluator: (without) => createEvaluator({ operators, withoutKernels: without }) as OperatorCall,
};
const every = sampledEvery(3);
const { counts } = operatorSpec({ operators, kernels, every });

test("the recorded calls were run, most were predicted, and many were decomposed", () => {
  const [run, fake] = [7753 + 7625 + 1342 + 1816, 7188 + 6603 + 1140 + 1525];
  if (every === 1) expect([counts.run, counts.fake]).toEqual([run, fake]);
  expect(counts.run).toBeGreaterThanOrEqual(Math.floor(run / every));
  expect(counts.fake).toBeGreaterThanOrEqual(Math.floor(fake / every));
  expect(counts.decomposition).toBeGreaterThan(1300 / every);
});
