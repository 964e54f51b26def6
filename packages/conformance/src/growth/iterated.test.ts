/**
 * @file Iterations that read each value several times: PyTorch's numbers, on each backend and as
 * loops, for some. The full suite runs all.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { expect, test } from "vitest";
import { differences, ITERATED, loopDifference } from "./iterated.fixture.js";

const BACKENDS = {
  cpu: cpuBackend(),
  wasm: wasmBackend(),
  "gpujs:cpu": gpujsBackend({ mode: "cpu" }),
};

test.each(Object.entries(BACKENDS))("30 steps on %s", async (_, backend) => {
  expect(await differences(backend, 30, 12)).toEqual([]);
});

test.each(ITERATED.filter((_, at) => at % 3 === 0))("loops of $name of $dtype $shape", (one) => {
  expect(loopDifference(one)).toBeUndefined();
});
