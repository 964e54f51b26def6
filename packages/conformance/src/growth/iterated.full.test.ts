/** @file Iterations of many steps: PyTorch's numbers, on each backend. */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { describe, expect, test } from "vitest";
import { differences, ITERATED, loopDifference } from "./iterated.fixture.js";

const BACKENDS = [wasmBackend(), gpujsBackend({ mode: "cpu" })];

describe.each([30, 100])("%i steps", (steps) => {
  test.each(BACKENDS)("on $name", async (backend) => {
    expect(await differences(backend, steps)).toEqual([]);
  });
});

test.each(ITERATED.filter((_, at) => at % 3 !== 0))("loops of $name of $dtype $shape", (one) => {
  expect(loopDifference(one)).toBeUndefined();
});
