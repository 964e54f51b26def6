/** @file Iterations of many steps: PyTorch's numbers, on each backend. */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { describe, expect, test } from "vitest";
import { differences } from "./iterated.fixture.js";

const BACKENDS = [wasmBackend(), gpujsBackend({ mode: "cpu" })];

describe.each([30, 100])("%i steps", (steps) => {
  test.each(BACKENDS)("on $name", async (backend) => {
    expect(await differences(backend, steps)).toEqual([]);
  });
});
