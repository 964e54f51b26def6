/**
 * @file Iterations that read each value several times: PyTorch's numbers, on each backend for some,
 * and as loops for all. The full suite runs all.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { evaluateLoops, lowerToLoops, printLoops } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { differences, ITERATED, iterated, startOf } from "./iterated.fixture.js";

const operators = defaultOperators();
const BACKENDS = {
  cpu: cpuBackend(),
  wasm: wasmBackend(),
  "gpujs:cpu": gpujsBackend({ mode: "cpu" }),
};

test.each(Object.entries(BACKENDS))("30 steps on %s", async (_, backend) => {
  expect(await differences(backend, 30, 4)).toEqual([]);
});

test.each(ITERATED)("loops of $name of $dtype $shape", (one) => {
  const { graph } = runDecompositions(iterated(one, 30));
  const loops = lowerToLoops(graph, { operators });
  const [got] = evaluateLoops(loops, [startOf(one)]);
  expect([...(got as Tensor).toFloat64Array()]).toEqual(one.out["30"]);
  expect(printLoops(loops).length).toBeLessThan(100 * graph.size);
});
