/** @file What every operator row has to have. */

import type { Node } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { CPU_KERNELS, cpuBackend } from "./index.js";

const operators = defaultOperators();

const callOf = (target: string): Node =>
  ({ name: "call", op: "call_function", target, args: [], kwargs: {}, meta: {} }) as unknown as Node;

test("every row can run: by a kernel, a decomposition or its shape rule", () => {
  const backend = cpuBackend({ operators });
  const stranded = [...operators].filter(
    ({ target }) => backend.supports(callOf(target), undefined!) !== true,
  );
  expect(stranded.map(({ target }) => target)).toEqual([]);
});

test("every kernel belongs to a row", () => {
  expect(Object.keys(CPU_KERNELS).filter((target) => operators.get(target) === undefined)).toEqual([]);
});
