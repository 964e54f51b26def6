/** @file Iterations of many steps: PyTorch's numbers, on each backend. */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { expect, test } from "vitest";
import { differences } from "./iterated.fixture.js";

test.each([wasmBackend(), gpujsBackend({ mode: "cpu" })])("100 steps on $name", async (backend) => {
  expect(await differences(backend, 100)).toEqual([]);
});
